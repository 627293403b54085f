"""How the GPU count is searched, and what is reserved on top of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from metaroce.model.base import Count, Factor, Noun, NsTime, Share
from metaroce.model.service import Lognormal


class Reservation(Noun):
    """Margins that each layer adds to what the layer above asked for; they multiply."""

    scheduler: Share = 0.20
    """share added by the scheduler"""
    device_plugin: Share = 0.15
    """share added by the Kubernetes device plugin"""
    nic_driver: Share = 0.30
    """share added by the NIC driver"""

    @property
    def product(self) -> float:
        """1.2 x 1.15 x 1.3 = 1.794 for the defaults."""
        return (1 + self.scheduler) * (1 + self.device_plugin) * (1 + self.nic_driver)


class PlainFormula(Noun):
    """The mean-rate formula, shown beside the search: requests x GPU-seconds / hours, times a factor for the peak."""

    requests_per_day: Annotated[float, Field(gt=0, le=1e15)] | None = None
    """requests a day; empty = the scenario's own mean rate over the hours of `day_share_of_peak`"""
    gpu_seconds: Factor | None = None
    """GPU-seconds a request; empty = from the step times of a well filled replica (a quarter of max_batch)"""
    useful_hours: Annotated[float, Field(gt=0, le=24)] = 20.0
    """hours a day in which a GPU does useful work"""
    peak_factor: Factor = 2.5
    """for P99 and bursts"""


class Alternative(Noun):
    """The network one would have otherwise: its time per request takes the place of the fabric's."""

    name: str = "kernel TCP"
    """Its name in the report."""
    request: Lognormal
    """Network time of one request."""


class Capacity(Noun):
    """The search for the smallest count of replicas that meets the objectives."""

    window: NsTime = 600_000_000_000
    """length of load that one run of the search simulates: the busiest such window of the requests"""
    max_replicas: Count = 4096
    """where the search gives up"""
    own: Literal["peak", "base"] = "peak"
    """own what the peak needs, or only the base (one replica at least) and rent the rest by the hour"""
    dephase: NsTime = 60_000_000_000
    """over how long requests could be spread, to show what that would save; 0 = do not ask"""
    alternative: Alternative | None = None
    """a network to compare with: how many GPUs would it take? empty = no comparison"""
    reservation: Reservation = Reservation()
    """margins on top of the need"""
    formula: PlainFormula = PlainFormula()
    """the mean-rate formula beside the search"""
    day_share_of_peak: Annotated[tuple[Share, ...], Field(min_length=1)] = (
        0.15, 0.12, 0.10, 0.10, 0.12, 0.18, 0.30, 0.55, 0.80, 1.0, 1.0, 0.95,
        0.85, 0.95, 1.0, 1.0, 0.95, 0.80, 0.55, 0.40, 0.32, 0.26, 0.22, 0.18,
    )  # fmt: skip
    """load of each hour of a working day as a share of the simulated window's load: for base and rented burst"""

    @model_validator(mode="after")
    def _some_load(self) -> Capacity:
        if not any(self.day_share_of_peak):
            raise ValueError("day_share_of_peak is zero in every hour: one hour at least must have load")
        return self
