"""Endpoints: the NIC's round robin, reliable connections with go-back-N, acknowledgements and CNPs.

Strategy: a flow is idle, in its NIC's ring of ready flows, or waiting for its pacing time. Whoever changes a flow puts
it into `g.woken` and the hooks its law must hear into `g.tell`; the main loop then calls the law and wakes the flow at
one single place.
"""

from __future__ import annotations

from metaroce.congestion.state import HOOKS
from metaroce.kit.jit import inlined, uncounted
from metaroce.sim._calendar import later, schedule
from metaroce.sim._layout import (
    ACK,
    ACTIVE,
    CNP,
    DATA,
    DONE,
    FAILED,
    FOREVER,
    IDLE,
    NAK,
    NOTIFY,
    ON_ACK,
    ON_CNP,
    ON_LOSS,
    ON_SENT,
    ON_START,
    ON_TIMER,
    PRIORITIES,
    READY,
    RETRY,
    START,
    TIMER,
    WAITING,
)
from metaroce.sim._wire import enqueue, free_packet, new_packet, transmit

_HOOKS = len(HOOKS)


@inlined
def take_data(w, g, e, k, packet):
    """Data reached its endpoint: acknowledge with the same packet, or drop it silently. Returns the port to serve."""
    flow = w.flows[packet.flow]
    g.delivered_bytes += packet.length
    if packet.ce > 0:
        flow.marks += 1
        flow.ce = min(flow.ce + 1, 255)
        if g.cnp_flag == 0 and g.now >= flow.cnp_at:
            flow.cnp_at = g.now + g.cnp_interval
            later(w.heap_at, w.heap_what, g, g.now + g.cnp_delay, (int(packet.flow) << 3) | NOTIFY)
    kind = -1
    if packet.seq == flow.expected:
        flow.expected += 1
        flow.nak = 0
        flow.unreported += 1
        if flow.unreported >= g.ack_interval or flow.expected == flow.packets:
            kind = ACK
        if flow.expected == flow.packets:
            flow.delivered = g.now
    elif packet.seq < flow.expected:
        kind = ACK  # sent twice: the sender has not heard of the first
    elif flow.nak == 0:
        flow.nak = 1  # one NAK per gap
        kind = NAK
    if kind < 0:
        free_packet(w, g, k)
        return -1
    packet.seq = flow.expected
    packet.ce = flow.ce
    flow.ce = 0
    flow.unreported = 0
    reply(w, g, e, flow, kind, k, packet)
    return e


@inlined
def reply(w, g, e, flow, kind, k, packet):
    """Queue packet k at endpoint e as ACK, NAK or CNP to the sender of `flow`."""
    packet.kind = kind
    packet.hop = 0
    packet.length = g.ack
    g.injected_bytes += g.ack
    packet.priority = g.control if g.switch_strict != 0 else flow.priority
    enqueue(w, e, w.ports[e], g.control if g.host_strict != 0 else flow.priority, k, packet)


@uncounted
def notify(w, g, f):
    """The receiver of flow f sends a CNP. Returns the port to serve."""
    flow = w.flows[f]
    k = new_packet(w, g)
    packet = w.packets[k]
    packet.flow = f
    packet.seq = 0
    packet.ce = 0
    packet.born = g.now
    reply(w, g, flow.dst, flow, CNP, k, packet)
    return int(flow.dst)


@inlined
def take_reply(w, g, k, packet):
    """ACK, NAK or CNP reached the sender: slide, go back, or tell the law."""
    f = int(packet.flow)
    flow = w.flows[f]
    g.delivered_bytes += packet.length
    kind, seq, ce = packet.kind, int(packet.seq), int(packet.ce)
    born = packet.born
    free_packet(w, g, k)
    if flow.state != ACTIVE:
        return
    g.woken = f
    if kind == CNP:
        flow.cnps += 1
        g.tell = 1 << ON_CNP
        return
    news = seq - flow.unacked
    state = w.states[f]
    state.acked = 0.0
    if news > 0:
        slide(g, flow, state, seq)
        if seq == flow.packets:
            finish(w, g, flow, DONE)
            return
    if kind == NAK:
        flow.naks += 1
        flow.next_seq = flow.unacked
        g.tell = 1 << ON_LOSS
    state.rtt = g.now - born
    state.ce = ce
    state.inflight = (flow.next_seq - flow.unacked) * g.mtu
    g.tell |= 1 << ON_ACK
    if g.cnp_flag and ce > 0:
        flow.cnps += 1
        g.tell |= 1 << ON_CNP


@inlined
def slide(g, flow, state, seq):
    """Everything before packet `seq` has arrived."""
    acked = (seq - flow.unacked) * g.mtu
    if seq == flow.packets:
        acked += flow.last_payload - g.mtu
    state.acked = acked
    g.acked_bytes += acked
    flow.unacked = seq
    if flow.next_seq < seq:
        flow.next_seq = seq
    flow.retries = 0
    flow.retry_at = g.now + g.timeout


@uncounted
def finish(w, g, flow, state):
    """The flow ends: acknowledged, or given up."""
    flow.state = state
    flow.finish = g.now if state == DONE else -1
    g.live -= 1
    w.classes[flow.row].flows -= 1
    flow.paused_ps += paused_so_far(w, g, flow)


@uncounted
def paused_so_far(w, g, flow):
    """How long the flow's priority has been paused at its NIC since the beginning."""
    queue = w.queues[flow.src * PRIORITIES + flow.priority]
    if (w.ports[flow.src].paused >> flow.priority) & 1:
        return queue.paused_ps + g.now - queue.paused_at
    return queue.paused_ps


@inlined
def wants_to_send(flow, state, mtu):
    """Something is left to send, and the window allows it; one packet is always allowed."""
    if flow.state != ACTIVE or flow.next_seq >= flow.packets:
        return False
    if state.window <= 0.0:
        return True
    inflight = (flow.next_seq - flow.unacked) * mtu
    return inflight == 0 or inflight < state.window


@inlined
def wake(w, g, f):
    """Bring an idle flow that may send into its NIC's ring, or let it wait. Returns the port to serve, or -1."""
    flow = w.flows[f]
    if flow.where != IDLE or not wants_to_send(flow, w.states[f], g.mtu):
        return -1
    if flow.next_at > g.now:
        flow.where = WAITING
        schedule(w, g, 2 * g.ports + f, flow.next_at)
        return -1
    flow.where = READY
    flow.next = -1
    queue = w.queues[flow.src * PRIORITIES + flow.priority]
    if queue.ring_first < 0:
        queue.ring_first = f
        w.ports[flow.src].rings |= 1 << flow.priority
    else:
        w.flows[queue.ring_last].next = f
    queue.ring_last = f
    return int(flow.src)


@inlined
def send_data(w, g, p, port, priority):
    """The next flow in the ring of port p sends one packet; flows that no longer want to send leave the ring."""
    queue = w.queues[p * PRIORITIES + priority]
    while queue.ring_first >= 0:
        f = int(queue.ring_first)
        flow = w.flows[f]
        queue.ring_first = flow.next
        if flow.next < 0:
            port.rings &= ~(1 << priority)
        flow.where = IDLE
        if wants_to_send(flow, w.states[f], g.mtu):
            emit(w, g, p, port, f, flow)
            return


@inlined
def emit(w, g, p, port, f, flow):
    """One data packet of flow f leaves through its free port p; then the flow waits for its pacing time."""
    k = new_packet(w, g)
    packet = w.packets[k]
    seq = int(flow.next_seq)
    flow.next_seq = seq + 1
    size = g.header + (flow.last_payload if seq + 1 == flow.packets else g.mtu)
    packet.kind = DATA
    packet.flow = f
    packet.seq = seq
    packet.length = size
    packet.hop = 0
    packet.ce = 0
    packet.priority = flow.priority
    packet.born = g.now
    g.injected_bytes += size
    if seq < flow.top:
        flow.resent += 1
    else:
        flow.top = seq + 1
    if seq == flow.unacked:
        flow.retry_at = g.now + g.timeout
        if flow.retry_armed == 0:
            flow.retry_armed = 1
            later(w.heap_at, w.heap_what, g, flow.retry_at, (f << 3) | RETRY)
    transmit(w, g, p, port, k, packet)
    flow.next_at = g.now + pacing_gap(g, port, w.states[f], size)
    g.woken = f
    if (g.hooks >> (flow.law * _HOOKS + ON_SENT)) & 1:
        w.states[f].sent = size
        g.tell = 1 << ON_SENT


@inlined
def pacing_gap(g, port, state, size):
    """Time from the start of a packet to the next of the same flow; a window below one packet stretches it."""
    if state.rate >= state.line:
        gap = port.free_at - g.now
    else:
        gap = int(size * 8e12 / state.rate)
        if g.whole_ns:
            gap -= gap % 1000
    if 0.0 < state.window < g.mtu:
        gap = max(gap, int(max(state.rtt, state.base_rtt) * size / state.window))
    return gap


@uncounted
def start(w, g):
    """The next flow starts, and the one after it is put into the heap."""
    f = int(g.started)
    g.started += 1
    if g.started < g.flows:
        later(w.heap_at, w.heap_what, g, w.flows[g.started].start, START)
    flow = w.flows[f]
    flow.state = ACTIVE
    flow.paused_ps = -paused_so_far(w, g, flow)
    w.classes[flow.row].flows += 1
    g.woken = f
    g.tell = 1 << ON_START


@uncounted
def retry(w, g, f):
    """The retransmission timer of flow f rings: too early, or everything unacknowledged is sent again."""
    flow = w.flows[f]
    flow.retry_armed = 0
    if flow.state != ACTIVE or flow.unacked >= flow.top:
        return
    if flow.retry_at > g.now:
        flow.retry_armed = 1
        later(w.heap_at, w.heap_what, g, flow.retry_at, (f << 3) | RETRY)
        return
    if flow.retries >= g.retries:
        finish(w, g, flow, FAILED)
        return
    flow.retries += 1
    flow.timeouts += 1
    flow.next_seq = flow.unacked
    w.states[f].inflight = 0.0
    g.woken = f
    g.tell = 1 << ON_LOSS
    flow.retry_at = g.now + g.timeout
    flow.retry_armed = 1
    later(w.heap_at, w.heap_what, g, flow.retry_at, (f << 3) | RETRY)


@uncounted
def ring_timer(w, g, f):
    """A law timer of flow f is due: find which one."""
    flow = w.flows[f]
    if flow.timer_at != g.now or flow.state != ACTIVE:
        return  # moved since
    flow.timer_at = FOREVER
    state = w.states[f]
    g.woken = f
    g.tell = 1 << ON_TIMER
    if state.at0 <= g.now:
        state.timer, state.at0 = 0, FOREVER
    elif state.at1 <= g.now:
        state.timer, state.at1 = 1, FOREVER
    elif state.at2 <= g.now:
        state.timer, state.at2 = 2, FOREVER
    elif state.at3 <= g.now:
        state.timer, state.at3 = 3, FOREVER
    else:
        g.tell = 1 << _HOOKS  # none: only look for the next


@inlined
def consult(w, g, hooks, f, tell):
    """Call the hooks in `tell`, clamp what the law decided, and keep its earliest timer in the heap."""
    flow = w.flows[f]
    state = w.states[f]
    base = flow.law * _HOOKS
    called = (g.hooks >> base) & tell
    if called == 0 and tell < (1 << ON_TIMER):
        return
    for hook in range(_HOOKS):
        if (called >> hook) & 1:
            hooks[base + hook](state, w.classes[flow.row], w.params[flow.law], g.now)
    state.rate = min(max(state.rate, state.floor), state.line)
    state.window = max(state.window, 0.0)
    at = min(min(state.at0, state.at1), min(state.at2, state.at3))
    if at < flow.timer_at:
        flow.timer_at = max(at, g.now)
        later(w.heap_at, w.heap_what, g, flow.timer_at, (f << 3) | TIMER)
