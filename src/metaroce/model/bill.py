"""How what is bought is housed and kept running: rack and hall, spares, failure rates and repair times."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from metaroce.model.base import Count, Noun, Share

Hours = Annotated[float, Field(gt=0, le=1e9)]
Weeks = Annotated[int, Field(ge=0, le=520)]
Watts = Annotated[float, Field(ge=0, le=1e9)]


class RackKind(Noun):
    """A rack position of the catalog: what it can feed and cool, and how high it is."""

    kw: Annotated[float, Field(gt=0, le=1000)]
    """Power that it can feed and cool, kW."""
    units: Annotated[int, Field(ge=1, le=60)]
    """Height, rack units."""
    source: str
    """Where the numbers come from."""


class RackPlan(Noun):
    """Where the hardware stands, and the limits that may bind."""

    kind: str = "air-42kw"
    """Rack, by its name in `catalog/racks.toml`."""
    kw: Annotated[float, Field(gt=0, le=1000)] | None = None
    """Power of one rack, kW; the catalog's when left out."""
    units: Annotated[int, Field(ge=1, le=60)] | None = None
    """Height of one rack, rack units; the catalog's when left out."""
    reserved_units: Annotated[int, Field(ge=0, le=59)] = 4
    """Units kept for patch panels, management switches and power strips."""
    hall_kw: Annotated[float, Field(gt=0, le=1e7)] | None = None
    """IT power of the whole hall, kW; no limit when left out."""
    hall_racks: Count | None = None
    """Rack positions of the whole hall; no limit when left out."""
    switch_units: Annotated[int, Field(ge=1, le=60)] = 2
    """Height of one switch, rack units."""


class FailureRate(Noun):
    """Mean time between failures of one kind of part, with the range that sources disagree in."""

    mtbf_h: Hours
    """Most credible mean time between failures of one part, hours."""
    low_h: Hours
    """Worst published value, hours."""
    high_h: Hours
    """Best published value, hours."""
    per: str
    """What one part is: GPU, NIC, port, switch, server."""
    source: Annotated[str, Field(min_length=8)]
    """Where the numbers come from, and how they were derived."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low_h <= self.mtbf_h <= self.high_h:
            raise ValueError(f"low_h {self.low_h:g} <= mtbf_h {self.mtbf_h:g} <= high_h {self.high_h:g} does not hold")
        return self


class RepairTimes(Noun):
    """How long a failed part stays away when a spare is at hand."""

    restart_h: Hours = 0.117
    """Server back after a restart: 420 s of detection, reschedule, restart and warm-up (mlsysim registry)."""
    swap_h: Hours = 24.0
    """Server back after a part was exchanged: diagnosis, hands, burn-in."""
    swap_share: Share = 0.66
    """Share of server failures that need the exchange. 277 of 419 interruptions of Llama 3 were of such parts;
    some of them a reset would have cured, so this is the careful side."""
    switch_h: Hours = 4.0
    """Switch back after exchange, with its configuration restored."""
    link_h: Hours = 2.0
    """Optic or cable cleaned or exchanged."""


class Replenishment(Noun):
    """Weeks until a used spare is replaced: RMA or new order."""

    gpu_weeks: Weeks = 10
    """GPU module (H100 servers in 2024: 8-12 weeks)."""
    nic_weeks: Weeks = 20
    """NIC (field reports: more than 20 weeks in a shortage)."""
    switch_weeks: Weeks = 16
    """Switch (field reports: 8 weeks, 16 in a shortage)."""
    optic_weeks: Weeks = 8
    """Optical transceiver."""
    dac_weeks: Weeks = 4
    """Copper cable."""
    psu_weeks: Weeks = 6
    """Power supply."""


class SparesPolicy(Noun):
    """How sure the fleet must be of its capacity, and of its spare parts."""

    availability: Annotated[float, Field(gt=0, lt=1)] = 0.999
    """Share of time in which enough replicas are up."""
    item_service: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Share of time in which no failed part waits for a spare."""
    psus_per_server: Annotated[int, Field(ge=0, le=16)] = 6
    """Power supplies in one server."""
    degraded_is_down: bool = False
    """True when a server that lost one of its leaves cannot serve (no fail-over between rails)."""
    rates: dict[str, FailureRate] = Field(default_factory=dict)
    """Your own failure rates by catalog name; they take the place of the catalog's."""
    repair: RepairTimes = RepairTimes()
    """How long a failed part stays away."""
    replenish: Replenishment = Replenishment()
    """Weeks until a used spare is replaced."""


class BillPlan(Noun):
    """From a GPU count to a list that can be ordered."""

    rack: RackPlan = RackPlan()
    """Where the servers stand."""
    dac_reach_m: Annotated[float, Field(ge=0, le=10)] = 3.0
    """Links up to this length are copper where the catalog's copper reaches, longer ones have two optical
    transceivers, metres. 0 = optics everywhere."""
    switch_w_per_tbps: Watts = 25.0
    """Power of a switch without optics per Tbit/s of its ports, W, where the fabric does not name its model."""
    spares: SparesPolicy = SparesPolicy()
    """Spare servers and spare parts."""
