"""Count what is still in the network, independently of the counters, by walking every wire and queue."""

from __future__ import annotations

from numba import types

from metaroce.kit.jit import uncounted
from metaroce.sim._layout import WORLD


@uncounted
def chain_bytes(packets, first):
    """Bytes of a chain of packets."""
    total = 0
    while first >= 0:
        total += packets[first].length
        first = packets[first].next
    return total


@uncounted(signature=types.int64(WORLD))
def bytes_in_flight(w):
    """Bytes of all packets on wires and in queues."""
    total = 0
    for port in w.ports:
        total += chain_bytes(w.packets, port.first)
    for queue in w.queues:
        total += chain_bytes(w.packets, queue.first)
    return total
