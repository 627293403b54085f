"""Devices as the catalog describes them: switches, NICs and cables, every value with its source."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from metaroce.model.base import Count, Noun, PsTime, Rate, Size


class Sourced(Noun):
    """An entry of the catalog: where its values come from, and which of them nobody published."""

    source: str
    """Where the values come from: data sheet, configuration in a public repository, own arithmetic."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Sources of single fields, where they differ from `source`."""
    assumed: tuple[str, ...] = ()
    """Fields whose value is our assumption: check them against your device before you rely on them."""

    @model_validator(mode="after")
    def _names_fields(self) -> Sourced:
        unknown = sorted({*self.assumed, *self.sources} - set(type(self).model_fields))
        if unknown:
            raise ValueError(f"sources or assumed names no field: {', '.join(unknown)}")
        return self


class Switch(Sourced):
    """A fixed-form switch with one chip."""

    product: str
    """Products of this kind, for people."""
    chip: str
    """The switching chip."""
    ports: Count
    """Cages at the front."""
    port_rate: Rate
    """Speed of one cage, e.g. 800G."""
    lane_rate: Rate
    """Speed of one electrical lane: a cage splits into ports of whole lanes."""
    max_ports: Count
    """How many ports the chip can address after all splits."""
    buffer: Size
    """Packet memory of the chip, all of it."""
    shared_pool: Size | None = None
    """What lossless queues share, as public configurations set it (SONiC egress or ingress pool); none = not known."""
    headroom_pool: Size | None = None
    """Shared PFC headroom, as public configurations set it; none = not known."""
    slices: Count = 1
    """The memory is split into so many parts; a queue lives in one of them."""
    cell: Size
    """Unit of buffer allocation: a packet occupies whole cells."""
    group_minimum: Size = 0
    """Bytes guaranteed to each lossless priority group."""
    alpha: float = Field(default=1.0, gt=0, le=128)
    """Dynamic threshold of lossless priority groups that public configurations use (2 ** dynamic_th)."""
    latency: PsTime
    """First bit in to first bit out, port to port, without queueing."""
    power_w: float = Field(gt=0, le=20_000)
    """Typical draw without transceivers, W."""

    @property
    def capacity(self) -> int:
        """Sum of all cages, bit/s, one direction."""
        return self.ports * self.port_rate

    def split(self, rate: int) -> int:
        """How many ports of `rate` bit/s one cage gives; 0 when it cannot carry one."""
        if rate > self.port_rate:
            return 0
        return min(self.port_rate // max(rate, self.lane_rate), self.port_rate // self.lane_rate)

    def radix(self, rate: int) -> int:
        """How many ports of `rate` bit/s the whole switch gives."""
        return min(self.ports * self.split(rate), self.max_ports)


class Nic(Sourced):
    """A network card; each of its ports is one endpoint of the fabric."""

    product: str
    """Product, for people."""
    rate: Rate
    """Fastest speed of one port."""
    ports: Count = 1
    """Ports on the card."""
    host_rate: Rate
    """What the host interface carries in one direction, before its own overhead: PCIe lanes x speed."""
    latency: PsTime
    """Processing of one packet in the card, per direction."""
    timestamp_resolution: PsTime | None = None
    """Step of the hardware clock that stamps packets; none = not known."""
    cached_qps: Count | None = None
    """Queue pairs whose state fits the card's cache; none = not known."""
    power_w: float = Field(gt=0, le=500)
    """Typical draw without transceiver, W."""


class Cable(Sourced):
    """One kind of link medium at one speed, both ends together with what lies between."""

    kind: Literal["dac", "aec", "aoc", "optic"]
    """dac passive copper, aec active copper, aoc fibre with fixed ends, optic two transceivers and a fibre."""
    rate: Rate
    """Speed of the link it serves."""
    reach_m: float = Field(gt=0, le=100_000)
    """Longest length, m."""
    power_w: float = Field(ge=0, le=200)
    """Draw of both ends together, W."""
