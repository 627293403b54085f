"""How the simulated fabric behaves: transport, marking, pausing, buffers, congestion control and the clock."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from metaroce.model.base import Count, Factor, Noun, PsTime, Rate, Share, Size

Priority = Annotated[int, Field(ge=0, le=7)]
Packet = Annotated[Size, Field(ge=1, le=65_000)]


class EcnSettings(Noun):
    """Marking of data packets in the egress queue of their priority, linear between two thresholds."""

    enabled: bool = True
    """Whether switches mark at all."""
    kmin: Size = 400_000
    """Bytes in the queue above which marking starts."""
    kmax: Size = 1_600_000
    """Bytes in the queue above which every packet is marked."""
    pmax: Share = 0.2
    """Probability just below kmax."""
    at: Literal["dequeue", "enqueue"] = "dequeue"
    """When the queue is looked at: as the packet leaves (without itself) or as it comes (before it is added)."""
    reference_rate: Rate | None = None
    """Link rate the thresholds are meant for; they grow in proportion on faster ports. None: the same on all ports."""

    @model_validator(mode="after")
    def _ordered(self) -> EcnSettings:
        if self.kmin > self.kmax:
            raise ValueError(f"kmin {self.kmin} B is above kmax {self.kmax} B")
        return self


class PfcSettings(Noun):
    """Priority flow control (IEEE 802.1Qbb) with a dynamic threshold per ingress port and priority."""

    enabled: bool = True
    """Whether switches pause the sender of the lossless priorities; without it every priority is lossy."""
    alpha: Factor = 0.125
    """A priority group may hold alpha x the free shared buffer before it pauses its sender."""
    headroom: Literal["auto"] | Size = "auto"
    """Bytes kept per port and lossless priority for what arrives after the pause; auto: the exact worst case."""
    reserve: Size = 4096
    """Bytes each priority group owns before it takes from the shared buffer."""
    xon_offset: Size = 3072
    """The sender is resumed when the group is this many bytes below its threshold and its headroom is empty."""
    frame: Packet = 84
    """Bytes a pause frame occupies on the wire."""
    delay: PsTime = 0
    """Time from the arrival of a pause frame to its effect."""


class BufferSettings(Noun):
    """Packet memory of a switch."""

    size: Size | None = None
    """Bytes per switch, in place of what the catalog or topology says."""
    lossy_alpha: Factor = 1.0
    """An egress queue of a lossy priority may hold lossy_alpha x the free shared buffer; what comes then is dropped."""


class CnpSettings(Noun):
    """How the receiver tells the sender about marks (congestion notification)."""

    interval: PsTime = 4_000_000
    """At most one CNP per flow in this time."""
    delay: PsTime = 0
    """Time in the receiver's NIC from the marked packet to its CNP."""
    as_ack_flag: bool = False
    """True: no CNP packets, every ACK of a marked packet counts as one (as the HPCC simulator does)."""


class ControlSettings(Noun):
    """The lane of ACK, NAK and CNP packets."""

    priority: Priority = 6
    """Their priority."""
    strict: Literal["everywhere", "hosts", "nowhere"] = "everywhere"
    """Where they have this priority, served before all others; elsewhere they travel in the priority of their flow.
    With "hosts" (ns-3 HPCC) no pause stops them, though switches charge them as lossless: headroom can overflow."""


class LawSettings(Noun):
    """A congestion control law and its parameters."""

    name: str = "dcqcn"
    """Name of the law: see metaroce.congestion.laws.LAWS."""
    params: dict[str, float] = Field(default_factory=dict)
    """Parameters that differ from the law's own defaults; rates in bit/s, times in ps, sizes in bytes."""
    min_rate: Rate = 100_000_000
    """The rate of a flow never falls below this."""


class SimSettings(Noun):
    """Everything about a simulation of the fabric that is neither topology nor traffic."""

    mtu: Packet = 4096
    """Payload bytes per data packet."""
    header: Size = 82
    """Bytes around the payload: Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4, and 20 of preamble and gap."""
    ack: Packet = 86
    """Bytes of an ACK, NAK or CNP on the wire: as above with AETH, without payload."""
    ack_interval: Count = 1
    """Packets per acknowledgement; the last packet of a flow is always acknowledged."""
    timeout: PsTime = 67_108_864_000
    """Without progress for so long, all that is unacknowledged is sent again; 4.096 us x 2^14."""
    retries: Annotated[int, Field(ge=0, le=1_000_000)] = 7
    """Timeouts in a row without progress after which a flow fails."""
    ecn: EcnSettings = EcnSettings()
    """Marking."""
    pfc: PfcSettings = PfcSettings()
    """Pausing."""
    lossless: tuple[Priority, ...] = (3,)
    """Priorities that pause instead of dropping."""
    buffer: BufferSettings = BufferSettings()
    """Packet memory of the switches."""
    control: ControlSettings = ControlSettings()
    """The lane of acknowledgements."""
    cnp: CnpSettings = CnpSettings()
    """Congestion notification."""
    law: LawSettings = LawSettings()
    """Congestion control of every flow, unless its traffic class has its own."""
    class_laws: dict[Annotated[int, Field(ge=0, le=127)], LawSettings] = Field(default_factory=dict[int, LawSettings])
    """Congestion control by traffic class index; at most four different laws in one run."""
    corruption: Share = 0.0
    """Probability that a link loses a packet to bit errors, per packet and link."""
    until: PsTime | None = None
    """Stop at this simulated time; None: when every flow has finished or failed."""
    bin: PsTime = 10_000_000
    """Width of a time-series bin to begin with; it doubles as often as needed to keep their number bounded."""
    clock: Literal["ps", "ns"] = "ps"
    """ps: exact. ns: times on the wire are cut to whole nanoseconds, to compare with ns-3 packet by packet."""
