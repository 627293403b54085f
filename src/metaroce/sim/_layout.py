"""The simulator's memory: one record type per thing, everything in flat arrays that are allocated before the run.

Strategy: an event touches a packet (40 bytes), a port and a queue (one or two cache lines each), and a priority group
or a flow. Lists (queues, wires, rings, free packets) are chains of indices through `next`; -1 ends them.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from metaroce.congestion.state import CLASS, NEVER, STATE

_I1, _I4, _I8, _F8 = np.int8, np.int32, np.int64, np.float64

DATA, ACK, NAK, CNP = 0, 1, 2, 3  # kinds of packets
SLOT, START, RETRY, TIMER, NOTIFY, PAUSE = 0, 1, 2, 3, 4, 5  # kinds of events; SLOT = port or pacing event
IDLE, READY, WAITING = 0, 1, 2  # where a flow is: nowhere, in its NIC's ring, waiting for its pacing time
UNBORN, ACTIVE, DONE, FAILED = 0, 1, 2, 3  # states of a flow
MORE, END, FULL, BINS = 0, 1, 2, 3  # why the kernel came back: budget, over, out of memory, out of bins
ON_START, ON_LOSS, ON_CNP, ON_ACK, ON_TIMER, ON_SENT = 0, 1, 2, 3, 4, 5  # order of congestion.state.HOOKS

PRIORITIES = 8
SPARE = 16  # free packets and heap places that one event may need
BUCKETS = 16_384  # of the calendar; a power of two
FOREVER = NEVER

#: at: arrival at the end of the wire; born: start of transmission of the data packet; seq: packet number (DATA) or
#: next one expected (ACK, NAK); group: ingress port * 8 + priority while in a switch; ce: marks it carries.
PACKET = np.dtype(
    [("at", _I8), ("born", _I8), ("next", _I4), ("flow", _I4), ("seq", _I4), ("group", _I4), ("length", _I4),
     ("hop", _I1), ("kind", _I1), ("priority", _I1), ("ce", np.uint8)],
    align=True,
)  # fmt: skip

#: One direction of a link and the queue in front of it. byte_ps: ps per byte, 0 = not whole; latency: propagation and
#: processing at the far end; waiting, rings, paused, pausing: bit masks of priorities with packets, with ready flows,
#: paused by the peer, with a pause frame to send. The second half is touched rarely.
PORT = np.dtype(
    [("free_at", _I8), ("byte_ps", _I8), ("latency", _I8), ("sent_bytes", _I8), ("sent_packets", _I8), ("backlog", _I8),
     ("bin_backlog", _I8), ("first", _I4), ("last", _I4), ("waiting", _I4), ("rings", _I4), ("paused", _I4),
     ("pausing", _I4), ("armed", _I4), ("turn", _I4), ("node", _I4), ("peer", _I4), ("kmin", _I8), ("kmax", _I8),
     ("rate", _I8), ("propagation", _I8), ("headroom", _I8), ("reverse", _I4), ("marks", _I8),
     ("max_backlog", _I8), ("ingress_drops", _I8), ("egress_drops", _I8), ("corrupted", _I8), ("dropped_bytes", _I8),
     ("pauses_sent", _I8), ("pauses_received", _I8)],
    align=True,
)  # fmt: skip

#: One priority of one port: its packets, its ready flows (endpoints only), its pauses.
QUEUE = np.dtype(
    [("bytes", _I8), ("first", _I4), ("last", _I4), ("ring_first", _I4), ("ring_last", _I4), ("paused_at", _I8),
     ("paused_ps", _I8)],
    align=True,
)  # fmt: skip

#: One priority group: what came through one port in one priority and is still in the switch.
#: bytes: in reserve and shared buffer; over: in headroom; xoff: 1 while its sender is paused.
GROUP = np.dtype([("bytes", _I8), ("over", _I8), ("max_bytes", _I8), ("xoff", _I8)], align=True)

#: pool: shared bytes of the buffer, after headroom and reserves; used: how many of them are taken.
NODE = np.dtype([("pool", _I8), ("used", _I8), ("max_used", _I8)], align=True)

#: One flow = one queue pair. unacked, next_seq, top: first packet not acknowledged, next to send, first never sent.
FLOW = np.dtype(
    [("next_seq", _I8), ("unacked", _I8), ("top", _I8), ("packets", _I8), ("next_at", _I8), ("retry_at", _I8),
     ("last_payload", _I8), ("expected", _I8), ("timer_at", _I8), ("cnp_at", _I8), ("src", _I4), ("dst", _I4),
     ("state", _I4), ("where", _I4), ("next", _I4), ("priority", _I4), ("law", _I4), ("row", _I4), ("nak", _I4),
     ("unreported", _I4), ("ce", _I4), ("retry_armed", _I4), ("start", _I8), ("finish", _I8), ("delivered", _I8),
     ("resent", _I8), ("marks", _I8), ("cnps", _I8), ("naks", _I8), ("timeouts", _I8), ("retries", _I8),
     ("paused_ps", _I8)],
    align=True,
)  # fmt: skip

#: Scalars: settings, the clock, the calendar, totals.
GLOBAL = np.dtype(
    [("now", _I8), ("events", _I8), ("woken", _I8), ("tell", _I8), ("live", _I8), ("started", _I8),
     ("heap_size", _I8), ("in_calendar", _I8), ("shift", _I8), ("free", _I8), ("free_first", _I8), ("bin_end", _I8),
     ("bin_width", _I8), ("bin", _I8), ("random", np.uint64), ("endpoints", _I8), ("ports", _I8), ("hops", _I8),
     ("back_hops", _I8), ("flows", _I8), ("until", _I8), ("hooks", _I8), ("mtu", _I8), ("header", _I8), ("ack", _I8),
     ("ack_interval", _I8), ("timeout", _I8), ("retries", _I8), ("lossless", _I8), ("alpha", _F8), ("lossy_alpha", _F8),
     ("reserve", _I8), ("xon_offset", _I8), ("pause_frame", _I8), ("pause_delay", _I8), ("mark_at", _I8),
     ("pmax", _F8), ("control", _I8), ("host_strict", _I8), ("switch_strict", _I8), ("cnp_flag", _I8),
     ("cnp_interval", _I8), ("cnp_delay", _I8), ("whole_ns", _I8), ("corruption", _F8), ("injected_bytes", _I8),
     ("delivered_bytes", _I8), ("dropped_bytes", _I8), ("acked_bytes", _I8)],
    align=True,
)  # fmt: skip

#: Planes of the time series. All but BACKLOG are running totals at the end of the bin.
BYTES, BACKLOG, MARKS, PAUSED = 0, 1, 2, 3


class World(NamedTuple):
    """All memory of a run. N nodes, P ports, F flows, E endpoints, C classes, H hops, B bins, L laws.

    total       GLOBAL[1]
    ports       PORT[P]
    queues      QUEUE[8 P]
    groups      GROUP[8 P]           by the port the packets came through
    nodes       NODE[N]
    flows       FLOW[F]
    states      STATE[F]             what the laws see
    classes     CLASS[E C]
    params      float64[L, 24]
    packets     PACKET[K]            grown when it runs short
    forward     int32[F H]           ports from the source's uplink to the destination
    backward    int32[F H']          the way of the ACKs
    slot_at     int64[2 P + F]       time of the event: arrival from port, port free, flow may send
    slot_next   int32[2 P + F]
    buckets     int32[2 BUCKETS]     first and last slot of each bucket of the calendar
    occupied    int64[BUCKETS / 32]  32 bits a word
    heap_at     int64[Q]             4-ary heap of everything beyond the calendar and of rare events
    heap_what   int64[Q]             index << 3 | kind
    series      int64[4, B, P]
    """

    total: NDArray[np.void]
    ports: NDArray[np.void]
    queues: NDArray[np.void]
    groups: NDArray[np.void]
    nodes: NDArray[np.void]
    flows: NDArray[np.void]
    states: NDArray[np.void]
    classes: NDArray[np.void]
    params: NDArray[np.float64]
    packets: NDArray[np.void]
    forward: NDArray[np.int32]
    backward: NDArray[np.int32]
    slot_at: NDArray[np.int64]
    slot_next: NDArray[np.int32]
    buckets: NDArray[np.int32]
    occupied: NDArray[np.int64]
    heap_at: NDArray[np.int64]
    heap_what: NDArray[np.int64]
    series: NDArray[np.int64]


_KINDS = (
    GLOBAL,
    PORT,
    QUEUE,
    GROUP,
    NODE,
    FLOW,
    STATE,
    CLASS,
    _F8,
    PACKET,
    _I4,
    _I4,
    _I8,
    _I4,
    _I4,
    _I8,
    _I8,
    _I8,
    _I8,
)
_RANKS = {8: 2, 18: 3}

#: numba's type of a World, for explicit signatures.
WORLD = numba.typeof(World(*(np.zeros((1,) * _RANKS.get(i, 1), kind) for i, kind in enumerate(_KINDS))))
