"""Switches: admission into the shared buffer, pauses, marks and drops.

Strategy: as in ns-3's model of a shared-buffer switch (HPCC, SIGCOMM 2019), a priority group owns a reserve, then takes
shared bytes up to alpha x (what is free), then headroom; what finds the headroom full is lost. A packet gives its
bytes back when its transmission starts. Pauses are frames: they wait for the packet on the wire, take their time on
the link, and travel.
"""

from __future__ import annotations

from metaroce.kit.jit import inlined, uncounted
from metaroce.sim._calendar import later
from metaroce.sim._layout import DATA, PAUSE, PRIORITIES
from metaroce.sim._wire import arm, enqueue, free_packet, uniform, wire_time


@inlined
def forward(w, g, came, port, k, packet):
    """Packet k arrived at a switch through port `came`: queue or drop it. Returns the port to serve, or -1."""
    packet.hop += 1
    flow, hop = int(packet.flow), int(packet.hop)
    out = w.forward[flow * g.hops + hop] if packet.kind == DATA else w.backward[flow * g.back_hops + hop]
    priority = int(packet.priority)
    group = came * PRIORITIES + priority
    packet.group = group
    if (g.lossless >> priority) & 1:
        if not admit(w, g, port, w.groups[group], priority, int(packet.length)):
            port.ingress_drops += 1
            drop(w, g, port, k, packet)
            return -1
    else:
        node = w.nodes[port.peer]
        free = node.pool - node.used
        if w.queues[out * PRIORITIES + priority].bytes + packet.length > min(free, int(g.lossy_alpha * free)):
            w.ports[out].egress_drops += 1
            drop(w, g, w.ports[out], k, packet)
            return -1
        node.used += packet.length
        if node.used > node.max_used:
            node.max_used = node.used
    exit_port = w.ports[out]
    if g.mark_at == 1 and packet.kind == DATA:
        mark(g, exit_port, packet, w.queues[out * PRIORITIES + priority].bytes)
    enqueue(w, out, exit_port, priority, k, packet)
    return out


@inlined
def admit(w, g, port, group, priority, size):
    """Charge a lossless packet to its group and pause the sender when that is full; False when it does not fit."""
    node = w.nodes[port.peer]
    free = node.pool - node.used
    shared = max(group.bytes - g.reserve, 0)
    after = group.bytes + size - g.reserve
    fits = after <= 0 or after <= min(int(g.alpha * free), shared + free)
    if not fits and group.over + size > port.headroom:
        if group.xoff == 0 and group.bytes + group.over > 0:  # an empty group has nothing whose leaving would resume it
            group.xoff = 1
            signal(w, g, port, priority)
        return False
    if not fits:
        group.over += size
    else:
        group.bytes += size
        shared = max(after, 0)
        node.used += min(size, shared)
        if node.used > node.max_used:
            node.max_used = node.used
    if group.bytes + group.over > group.max_bytes:
        group.max_bytes = group.bytes + group.over
    if group.xoff == 0 and (group.over > 0 or shared >= int(g.alpha * (node.pool - node.used))):
        group.xoff = 1
        signal(w, g, port, priority)
    return True


@inlined
def release(w, g, exit_port, packet):
    """A packet leaves the switch: give its bytes back, and resume the sender when its group has room again."""
    node = w.nodes[exit_port.node]
    size = int(packet.length)
    priority = int(packet.priority)
    if (g.lossless >> priority) & 1 == 0:
        node.used -= size
        return
    group = w.groups[packet.group]
    from_headroom = min(group.over, size)
    rest = size - from_headroom
    group.over -= from_headroom
    node.used -= min(rest, max(group.bytes - g.reserve, 0))
    group.bytes -= rest
    if group.xoff == 1 and group.over == 0:
        shared = max(group.bytes - g.reserve, 0)
        if shared == 0 or shared + g.xon_offset <= int(g.alpha * (node.pool - node.used)):
            group.xoff = 0
            signal(w, g, w.ports[packet.group // PRIORITIES], priority)


@inlined
def mark(g, port, packet, backlog):
    """Set the CE mark with the probability that belongs to `backlog` bytes."""
    if backlog <= port.kmin:
        return
    if backlog <= port.kmax and uniform(g) >= g.pmax * (backlog - port.kmin) / (port.kmax - port.kmin):
        return
    if packet.ce == 0:
        packet.ce = 1
        port.marks += 1


@uncounted
def signal(w, g, port, priority):
    """Send the changed state of a group to the peer that feeds `port`; a frame still unsent is taken back."""
    back = int(port.reverse)
    port_back = w.ports[back]
    port_back.pausing ^= 1 << priority
    if port_back.pausing != 0:
        arm(w, g, back, port_back)


@uncounted
def send_pause(w, g, port):
    """One pause frame with all changed priorities leaves through port p, before any packet."""
    fed = int(port.reverse)
    on = 0
    for priority in range(PRIORITIES):
        if (port.pausing >> priority) & 1 and w.groups[fed * PRIORITIES + priority].xoff == 1:
            on |= 1 << priority
            port.pauses_sent += 1
    off = port.pausing & ~on
    port.pausing = 0
    port.free_at = g.now + wire_time(g, port, g.pause_frame)
    what = (((fed << 16) | (on << 8) | off) << 3) | PAUSE
    later(w.heap_at, w.heap_what, g, port.free_at + port.propagation + g.pause_delay, what)


@uncounted
def pause(w, g, index):
    """A pause frame takes effect at the port it names. Returns the port to serve, or -1."""
    p, on, off = index >> 16, (index >> 8) & 255, index & 255
    port = w.ports[p]
    for priority in range(PRIORITIES):
        bit = 1 << priority
        queue = w.queues[p * PRIORITIES + priority]
        if on & bit and port.paused & bit == 0:
            port.paused |= bit
            port.pauses_received += 1
            queue.paused_at = g.now
        elif off & bit and port.paused & bit:
            port.paused &= ~bit
            queue.paused_ps += g.now - queue.paused_at
    return p if off != 0 else -1


@inlined
def drop(w, g, port, k, packet):
    """Packet k is lost at `port`."""
    port.dropped_bytes += packet.length
    g.dropped_bytes += packet.length
    free_packet(w, g, k)
