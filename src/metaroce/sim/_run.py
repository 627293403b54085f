"""The event loop.

Strategy: every event ends in at most one port that may have something to send (`kick`) and at most one flow whose law
must hear something (`g.woken`), so serving a port and calling a law stand at one place each and are compiled in line.
"""

from __future__ import annotations

from numba import types

from metaroce.congestion.compiled import HOOK_TUPLE
from metaroce.kit.jit import inlined, uncounted
from metaroce.sim._calendar import next_bucket, pop_later, schedule, take
from metaroce.sim._host import (
    consult,
    notify,
    retry,
    ring_timer,
    send_data,
    start,
    take_data,
    take_reply,
    wake,
)
from metaroce.sim._layout import (
    BACKLOG,
    BINS,
    BYTES,
    DATA,
    END,
    FOREVER,
    FULL,
    IDLE,
    MARKS,
    MORE,
    NOTIFY,
    PAUSE,
    PAUSED,
    PRIORITIES,
    RETRY,
    SLOT,
    SPARE,
    START,
    TIMER,
    WORLD,
)
from metaroce.sim._switch import forward, mark, pause, release, send_pause
from metaroce.sim._wire import arm, choose, dequeue, free_packet, transmit, uniform


@inlined
def arrive(w, g, p):
    """The first packet on the wire of port p arrives at the other end. Returns the port to serve, or -1."""
    port = w.ports[p]
    k = int(port.first)
    packet = w.packets[k]
    port.first = packet.next
    if port.first >= 0:
        schedule(w, g, p, w.packets[port.first].at)
    if g.corruption > 0.0 and uniform(g) < g.corruption:
        port.corrupted += 1
        port.dropped_bytes += packet.length
        g.dropped_bytes += packet.length
        free_packet(w, g, k)
        return -1
    if port.peer >= g.endpoints:
        return forward(w, g, p, port, k, packet)
    if packet.kind == DATA:
        return take_data(w, g, int(port.peer), k, packet)
    take_reply(w, g, k, packet)
    return -1


@inlined
def serve(w, g, p):
    """Let port p send its next frame if its link is free; keep it armed while more is waiting."""
    port = w.ports[p]
    if port.free_at > g.now:
        arm(w, g, p, port)
        return
    if port.pausing != 0:
        send_pause(w, g, port)
    else:
        ready = port.waiting & ~port.paused
        if ready != 0:
            priority = choose(port, ready, g.host_strict if p < g.endpoints else g.switch_strict)
            k = dequeue(w, p, port, priority)
            packet = w.packets[k]
            if p >= g.endpoints:
                release(w, g, port, packet)
                if g.mark_at == 0 and packet.kind == DATA:
                    mark(g, port, packet, w.queues[p * PRIORITIES + priority].bytes)
            transmit(w, g, p, port, k, packet)
        elif port.rings & ~port.paused != 0:
            send_data(w, g, p, port, choose(port, port.rings & ~port.paused, 0))
    if ((port.waiting | port.rings) & ~port.paused) | port.pausing != 0:
        arm(w, g, p, port)


@uncounted
def seldom(w, g, kind, index):
    """Events outside the calendar. Returns the port to serve, or -1."""
    if kind == TIMER:
        ring_timer(w, g, index)
    elif kind == RETRY:
        retry(w, g, index)
    elif kind == START:
        start(w, g)
    elif kind == NOTIFY:
        return notify(w, g, index)
    elif kind == PAUSE:
        return pause(w, g, index)
    return -1


@uncounted
def close_bins(w, g, at):
    """Write the series of every bin that ends at or before `at`; False when there is no room for the next."""
    while at >= g.bin_end:
        if g.bin + 1 >= w.series.shape[1]:
            return False
        write_bin(w, g)
        g.bin += 1
        g.bin_end += g.bin_width
    return True


@uncounted
def write_bin(w, g):
    """Running totals at the end of the current bin, and its largest backlog."""
    for p in range(g.ports):
        port = w.ports[p]
        w.series[BYTES, g.bin, p] = port.sent_bytes
        w.series[MARKS, g.bin, p] = port.marks
        w.series[BACKLOG, g.bin, p] = port.bin_backlog
        if port.bin_backlog > port.max_backlog:
            port.max_backlog = port.bin_backlog
        port.bin_backlog = port.backlog
        paused = 0
        for priority in range(PRIORITIES):
            queue = w.queues[p * PRIORITIES + priority]
            paused += queue.paused_ps
            if (port.paused >> priority) & 1:
                paused += min(g.now, g.bin_end) - queue.paused_at
        w.series[PAUSED, g.bin, p] = paused


@uncounted(signature=types.int64(WORLD, HOOK_TUPLE, types.int64))
def run(w, hooks, budget):
    """Process up to `budget` events in all; returns MORE, END, FULL (packets or heap short) or BINS (series full).

    w      World, changed in place
    hooks  functions of the laws, see congestion.compiled
    """
    g = w.total[0]
    while g.events < budget:
        kick = -1
        if g.woken < 0:
            if g.live == 0:
                return END
            if g.free < SPARE or g.heap_size + SPARE > len(w.heap_at):
                return FULL
            bucket = next_bucket(w, g)
            at_slot = w.slot_at[w.buckets[2 * bucket]] if bucket >= 0 else FOREVER
            at_heap = w.heap_at[0] if g.heap_size > 0 else FOREVER
            at = min(at_slot, at_heap)
            if at > g.until:
                g.now = g.until if g.until < FOREVER - 1 else g.now
                return END
            if at >= g.bin_end and not close_bins(w, g, at):
                return BINS
            g.now = at
            g.events += 1
            what = pop_later(w.heap_at, w.heap_what, g) if at_heap <= at_slot else (take(w, g, bucket) << 3) | SLOT
            index = what >> 3
            if what & 7 != SLOT:
                kick = seldom(w, g, what & 7, index)
            elif index < g.ports:
                kick = arrive(w, g, index)
            elif index < 2 * g.ports:
                kick = index - g.ports
                w.ports[kick].armed = 0
            else:
                g.woken = index - 2 * g.ports
                w.flows[g.woken].where = IDLE
        if g.woken >= 0:
            f, tell = g.woken, g.tell
            g.woken, g.tell = -1, 0
            if tell != 0:
                consult(w, g, hooks, f, tell)
            kick = wake(w, g, f)
        if kick >= 0:
            serve(w, g, kick)
    return MORE
