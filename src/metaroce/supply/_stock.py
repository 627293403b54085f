"""One tier's week, for a row of paths: goods in, orders in, goods out, and the start of new production.

Material is conserved: what leaves one place arrives in exactly one other, and a tier ships only what it has.
"""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel
from metaroce.supply import _state as st
from metaroce.supply import allocation

_proportional = kernel(allocation.proportional)
_linear = kernel(allocation.linear)
_uniform = kernel(allocation.uniform)
_in_order = kernel(allocation.in_order)


@kernel
def receive(plan, s, t, k, received):
    """Goods whose time has come enter the stock.

    A delivery serves waiting customers first, which is need; of the rest, units ordered in defence have the share they
    have in the open orders.
    """
    slot = s.wip[k, t % s.wip.shape[1]]
    on_hand, owed, moving = s.tier[k, st.ON_HAND], s.tier[k, st.OWED], s.tier[k, st.MOVING]
    excess, surplus, waiting = s.tier[k, st.EXCESS], s.tier[k, st.SURPLUS], s.tier[k, st.WAITING]
    for i in range(received.size):
        received[i] = slot[i]
        slot[i] = 0.0
        on_hand[i] += received[i]
        moving[i] -= received[i]
    if plan.tiers[k].games:
        for i in range(received.size):
            share = min(1.0, excess[i] / owed[i]) if owed[i] > 0.0 else 0.0
            at_least = received[i] - (owed[i] - excess[i])  # not more can be need than was needed
            surplus[i] = min(excess[i], max(share * max(0.0, received[i] - waiting[i]), at_least))
            excess[i] -= surplus[i]
    for i in range(received.size):
        owed[i] -= received[i]


@kernel
def take_orders(plan, s, t, k, outside, incoming):
    """Orders of this week join the backlog of their edge. outside: float64[X, T, n], what outside customers order."""
    waiting = s.tier[k, st.WAITING]
    for i in range(incoming.size):
        incoming[i] = 0.0
        waiting[i] = 0.0
    for place in range(plan.tiers[k].sells_at, plan.tiers[k].sells_to):
        e = plan.sells[place]
        backlog, bill, again = s.edge[e, st.BACKLOG], plan.bills[t, e].bill, plan.bills[t, e].respecified
        buyer = plan.edges[e].buyer
        if buyer < 0:
            source = outside[e, t]
        else:
            source = s.mail[buyer, t % s.mail.shape[1]]
        for i in range(incoming.size):
            asked = source[i] * bill
            incoming[i] += asked
            backlog[i] = backlog[i] * again + asked
            waiting[i] += backlog[i]


@kernel
def ship(plan, s, k, shipped):
    """Send what is asked and there. In a shortage the tier's rule divides the stock among its customers."""
    on_hand, waiting, pace = s.tier[k, st.ON_HAND], s.tier[k, st.WAITING], s.tier[k, st.PACE]
    first, last = plan.tiers[k].sells_at, plan.tiers[k].sells_to
    for i in range(shipped.size):
        shipped[i] = min(on_hand[i], waiting[i])
    if last - first == 1:
        e = plan.sells[first]
        sent, backlog = s.edge[e, st.SENT], s.edge[e, st.BACKLOG]
        for i in range(shipped.size):
            sent[i] = shipped[i]
            backlog[i] -= shipped[i]
    else:
        _divide(plan, s, k, shipped)
    for i in range(shipped.size):
        on_hand[i] -= shipped[i]
        waiting[i] -= shipped[i]
        pace[i] += (shipped[i] - pace[i]) / 8.0


@kernel
def _divide(plan, s, k, shipped):
    first, last = plan.tiers[k].sells_at, plan.tiers[k].sells_to
    claims, shares = np.empty(last - first), np.empty(last - first)
    rule, waiting = plan.tiers[k].allocation, s.tier[k, st.WAITING]
    for i in range(shipped.size):
        for place in range(first, last):
            claims[place - first] = s.edge[plan.sells[place], st.BACKLOG, i]
        if shipped[i] >= waiting[i]:
            shares[:] = claims
        elif rule == 0:
            _proportional(claims, shipped[i], shares)
        elif rule == 1:
            _linear(claims, shipped[i], shares)
        elif rule == 2:
            _uniform(claims, shipped[i], shares)
        else:
            _in_order(claims, shipped[i], shares)
        for place in range(first, last):
            e = plan.sells[place]
            s.edge[e, st.SENT, i] = shares[place - first]
            s.edge[e, st.BACKLOG, i] = max(0.0, claims[place - first] - shares[place - first])


@kernel
def start(plan, s, t, k):
    """Parts that arrived are put together, as many as the scarcest part and the capacity allow."""
    kits, moving = s.tier[k, st.KITS], s.tier[k, st.MOVING]
    for i in range(kits.size):
        kits[i] = np.inf
    for place in range(plan.tiers[k].buys_at, plan.tiers[k].buys_to):
        e = plan.buys[place]
        parts, bill = s.edge[e, st.PARTS], plan.bills[t, e].bill
        supplied = s.mail[k, t % s.mail.shape[1]] if plan.edges[e].supplier < 0 else s.edge[e, st.SENT]
        for i in range(kits.size):
            parts[i] += supplied[i] / bill
            kits[i] = min(kits[i], parts[i])
    limit, lead = plan.weeks[t, k].capacity, plan.weeks[t, k].lead
    slot = s.wip[k, (t + lead) % s.wip.shape[1]]
    for place in range(plan.tiers[k].buys_at, plan.tiers[k].buys_to):
        parts = s.edge[plan.buys[place], st.PARTS]
        for i in range(kits.size):
            parts[i] -= min(kits[i], limit)
    for i in range(kits.size):
        started = min(kits[i], limit)
        kits[i] -= started
        slot[i] += started
        moving[i] += started
