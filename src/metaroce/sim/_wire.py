"""Ports: serialisation, wires, queues, and the choice of the next packet."""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import inlined
from metaroce.sim._calendar import schedule
from metaroce.sim._layout import PRIORITIES

_PS_PER_S = 1_000_000_000_000
_GOLDEN, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@inlined
def uniform(g):
    """Next number in [0, 1) of the run's stream (SplitMix64: Steele, Lea & Flood, OOPSLA 2014)."""
    g.random = g.random + _GOLDEN
    z = g.random
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return float((z ^ (z >> _S31)) >> _S11) * 1.1102230246251565e-16


@inlined
def wire_time(g, port, size):
    """Picoseconds that `size` bytes occupy the port's link."""
    time = size * port.byte_ps if port.byte_ps > 0 else size * 8 * _PS_PER_S // port.rate
    return time - time % 1000 if g.whole_ns else time


@inlined
def arm(w, g, p, port):
    """Wake port p when its link is free."""
    if port.armed == 0:
        port.armed = 1
        schedule(w, g, g.ports + p, max(g.now, port.free_at))


@inlined
def transmit(w, g, p, port, k, packet):
    """Put packet k on the free link of port p."""
    size = int(packet.length)
    port.free_at = g.now + wire_time(g, port, size)
    packet.at = port.free_at + port.latency
    packet.next = -1
    if port.first < 0:
        port.first = k
        schedule(w, g, p, packet.at)
    else:
        w.packets[port.last].next = k
    port.last = k
    port.sent_bytes += size
    port.sent_packets += 1


@inlined
def enqueue(w, p, port, priority, k, packet):
    """Append packet k to a queue of port p."""
    queue = w.queues[p * PRIORITIES + priority]
    if queue.first < 0:
        queue.first = k
        port.waiting |= 1 << priority
    else:
        w.packets[queue.last].next = k
    queue.last = k
    packet.next = -1
    queue.bytes += packet.length
    port.backlog += packet.length
    if port.backlog > port.bin_backlog:
        port.bin_backlog = port.backlog


@inlined
def dequeue(w, p, port, priority):
    """Take the first packet from a queue that is not empty."""
    queue = w.queues[p * PRIORITIES + priority]
    k = queue.first
    packet = w.packets[k]
    queue.first = packet.next
    if queue.first < 0:
        port.waiting &= ~(1 << priority)
    queue.bytes -= packet.length
    port.backlog -= packet.length
    return k


@inlined
def choose(port, ready, strict):
    """Priority to serve among the bits of `ready`: strict ones first, the others in turn, one packet each."""
    urgent = ready & strict
    if urgent != 0:
        ready = urgent
    priority = (port.turn + 1) & 7
    while (ready >> priority) & 1 == 0:
        priority = (priority + 1) & 7
    if urgent == 0:
        port.turn = priority
    return priority


@inlined
def free_packet(w, g, k):
    """Give packet k back."""
    w.packets[k].next = g.free_first
    g.free_first = k
    g.free += 1


@inlined
def new_packet(w, g):
    """Take a free packet; there is one, because the main loop keeps `SPARE` in reserve."""
    k = g.free_first
    g.free_first = w.packets[k].next
    g.free -= 1
    return k
