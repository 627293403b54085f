"""What a simulation answers: one row per flow, one per port, time series, totals."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FlowResults:
    """One entry per flow, in the order of the flow table; int64[n] unless said otherwise.

    start_ps      when it started
    finish_ps     last acknowledgement at the sender; -1 = not finished
    delivered_ps  last byte at the receiver, in order; -1 = not yet
    fct_ps        finish - start; -1 = not finished
    ideal_ps      the same in an empty fabric: store-and-forward at port rate
    slowdown      float64[n], fct / ideal; NaN = not finished
    failed        bool[n], gave up after its retries
    resent        data packets sent again
    marks         CE-marked data packets received
    cnps          congestion notifications that reached the sender
    naks          negative acknowledgements that reached the sender
    timeouts      retransmission timeouts
    paused_ps     time its priority was paused at its NIC while it lived
    """

    start_ps: Ints
    finish_ps: Ints
    delivered_ps: Ints
    fct_ps: Ints
    ideal_ps: Ints
    slowdown: NDArray[np.float64]
    failed: NDArray[np.bool_]
    resent: Ints
    marks: Ints
    cnps: Ints
    naks: Ints
    timeouts: Ints
    paused_ps: Ints


@dataclass(frozen=True, slots=True)
class PortResults:
    """One entry per port of the fabric; int64[P].

    sent_bytes, sent_packets  data and control packets transmitted (pause frames apart)
    marks            data packets marked CE in its queues
    headroom_drops   lossless packets that came through this port and found no headroom
    tail_drops       lossy packets that found its queue full
    corrupted        packets lost on its link to bit errors
    pauses_sent      pause frames this port sent (for what its reverse direction brought)
    pauses_received  pauses that took effect on it
    paused_ps        time paused, summed over priorities
    max_queue        most bytes waiting in all its queues
    max_group        most bytes of one priority group fed by it, headroom included
    """

    sent_bytes: Ints
    sent_packets: Ints
    marks: Ints
    headroom_drops: Ints
    tail_drops: Ints
    corrupted: Ints
    pauses_sent: Ints
    pauses_received: Ints
    paused_ps: Ints
    max_queue: Ints
    max_group: Ints


@dataclass(frozen=True, slots=True)
class Series:
    """Counters over time: B bins of `bin_ps` from time 0, int64[B, P]; the last bin may be cut short by the end.

    sent_bytes  bytes transmitted in the bin
    max_queue   most bytes waiting in the port's queues during the bin
    marks       CE marks set
    paused_ps   time paused, summed over priorities
    """

    bin_ps: int
    sent_bytes: Ints
    max_queue: Ints
    marks: Ints
    paused_ps: Ints

    @property
    def start_ps(self) -> Ints:
        """Start of each bin: int64[B]."""
        return np.arange(len(self.sent_bytes)) * self.bin_ps


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole run. All bytes are wire bytes of data and control packets.

    events       events processed
    packets      data packets sent, again or for the first time
    packet_hops  packets put on a link, data and control
    end_ps       simulated time at the end
    finished, failed, unfinished   flows
    """

    events: int
    packets: int
    packet_hops: int
    end_ps: int
    finished: int
    failed: int
    unfinished: int
    injected_bytes: int
    delivered_bytes: int
    dropped_bytes: int
    in_flight_bytes: int


@dataclass(frozen=True, slots=True)
class SimResult:
    """Result of one simulation.

    buffer_peak  int64[N], most bytes of the shared buffer (without headroom and reserves) taken in each node
    """

    flows: FlowResults
    ports: PortResults
    series: Series
    totals: Totals
    buffer_peak: Ints

    def unaccounted_bytes(self) -> int:
        """Bytes in - delivered - dropped - in flight: 0 unless the simulator lost or invented a packet."""
        t = self.totals
        return t.injected_bytes - t.delivered_bytes - t.dropped_bytes - t.in_flight_bytes

    def flow_table(self) -> polars.DataFrame:
        """The flows as a table, one column per field of FlowResults."""
        return _table(self.flows)

    def port_table(self) -> polars.DataFrame:
        """The ports as a table, one column per field of PortResults."""
        return _table(self.ports)


def _table(columns: FlowResults | PortResults) -> polars.DataFrame:
    import polars

    return polars.DataFrame({field.name: getattr(columns, field.name) for field in dataclasses.fields(columns)})
