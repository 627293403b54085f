"""What one request, or one engine step, moves between servers; and for which windows of time that is simulated."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from metaroce.model.base import Noun, PsTime, Share, Size, default_kind


class GivenTransfers(Noun):
    """Each request moves `count` messages into one server at once: an incast, so the slowest of them counts."""

    kind: Literal["given"] = "given"
    count: Annotated[int, Field(ge=1, le=1024)] = 23
    """parallel transfers of one request"""
    smallest: Size = 4_000
    """bytes of the smallest transfer"""
    largest: Size = 64_000
    """bytes of the largest; sizes are log-uniform between the two"""
    spread: Literal["port", "rails"] = "port"
    """`port`: all into one NIC of the server; `rails`: dealt over all its NICs in turn"""
    budget: PsTime = 15_000_000
    """time within which a transfer should end"""
    budget_share: Share = 0.99
    """share of transfers that should"""

    @model_validator(mode="after")
    def _ordered(self) -> GivenTransfers:
        if not 0 < self.smallest <= self.largest:
            raise ValueError(f"smallest ({self.smallest} B) must be above 0 and not above largest ({self.largest} B)")
        return self


class ModelTransfers(Noun):
    """Transfers follow from the model: expert all-to-all and tensor all-reduce per step, KV cache per request."""

    kind: Literal["model"] = "model"
    steps: Annotated[int, Field(ge=1, le=10_000)] = 12
    """engine steps whose collectives are simulated in each window (layers beyond the first few are drawn from them)"""


Transfers = Annotated[GivenTransfers | ModelTransfers, Field(discriminator="kind"), default_kind("given")]


class Background(Noun):
    """Other traffic on the same fabric (storage, checkpoints): Poisson flows between random servers."""

    load: Share = 0.0
    """of every NIC's rate, on average"""
    size: Size = 1_000_000
    """bytes of one flow"""
    priority: Annotated[int, Field(ge=0, le=7)] = 3
    """0..7; the same as the requests' own to share their queue"""


class Windows(Noun):
    """Which part of the load is put on the packet simulator: all of it would take days."""

    packets: Annotated[int, Field(ge=1_000, le=100_000_000)] = 1_000_000
    """data packets simulated per window and seed; a longer window is sampled by short slices around requests"""
    slice: PsTime = 2_000_000_000
    """length of one slice around a request, when a window does not fit; shortened where the background is heavy"""
    requests: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    """requests wanted in each window and seed; where slices hold fewer, more are placed into them, on other servers"""
