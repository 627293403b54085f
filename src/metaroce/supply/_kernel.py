"""The chain week by week, for a block of paths.

Strategy: weeks outside, tiers inside, paths innermost, so that every loop runs over neighbouring numbers. A block is
small enough that its state stays in the cache. In a week every tier, buyers before suppliers, receives, takes orders,
ships, forecasts and orders; then all tiers start production. Orders without delay are therefore seen in the same
week, and goods never arrive before the next one.
"""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel
from metaroce.supply import columns as c
from metaroce.supply._gaming import cancel, inflate, quote_waits
from metaroce.supply._orders import decide, update_forecast
from metaroce.supply._state import quiet_state
from metaroce.supply._stock import receive, ship, start, take_orders


@kernel
def simulate(plan, outside, warmup, at, trace, delivered, moments, totals):
    """Run one block of n paths and write its part of the outputs.

    plan       Plan
    outside    float64[X, T, n]     orders of outside customers; row 0 the end customer, in end products
    warmup     int64                weeks not counted in moments
    at         int64                place of the block's first path in the outputs
    trace      float64[T or 1, K, 11, N]  see columns; with one row only the last week remains
    delivered  float64[T or 1, N]   units sent to the end customer
    moments    float64[K + 1, 16, N], zeros on entry; row K the end customer
    totals     float64[T, K, 11]    sums over paths, added to
    """
    K, T, n = plan.sequence.size, outside.shape[1], outside.shape[2]
    s = quiet_state(plan, n)
    keep = trace.shape[0] > 1
    seen = np.empty(n)
    for t in range(T):
        row = t if keep else 0
        for place in range(K):
            k = plan.sequence[place]
            rows = trace[row, k]
            _week(plan, s, t, k, outside, rows, at, seen)
        for k in range(K):
            start(plan, s, t, k)
        for k in range(K):
            _note(plan, s, t, k, trace[row, k], at, n)
            if plan.games[k]:
                quote_waits(plan, s, t, k)
            if not keep:
                for column in range(totals.shape[2]):
                    totals[t, k, column] += trace[row, k, column, at : at + n].sum()
            if t >= warmup:
                _add(plan, t, k, trace[row, k], moments[k], at, n)
        delivered[row, at : at + n] = s.sent[0]
        if t >= warmup:
            _add_customer(plan, t, outside[0, t], moments[K], at)


@kernel
def _week(plan, s, t, k, outside, rows, at, seen):
    """Goods in, orders in, goods out, own order: one tier."""
    to = at + seen.size
    incoming, order = rows[c.INCOMING, at:to], rows[c.ORDER, at:to]
    phantom = rows[c.PHANTOM, at:to]
    receive(plan, s, t, k, rows[c.RECEIVED, at:to])
    take_orders(plan, s, t, k, outside, incoming)
    ship(plan, s, k, rows[c.SHIPPED, at:to])
    seen[:] = incoming
    if plan.shared[k]:
        _share_end_demand(plan, t, k, outside, seen)
    update_forecast(plan.forecast[k], plan.forecast_p[k], s.forecast[k], s.history[k], t, seen)
    if t < plan.frozen_weeks:
        order[:] = plan.volume[k] / plan.inflation[k, 0]
    else:
        decide(plan.policy[k], plan.policy_p[k], incoming, s.forecast[k], s.on_hand[k], s.waiting[k], s.owed[k],
               s.phantom[k], s.surplus[k], plan.cover[t, k], plan.safety[t, k], order)  # fmt: skip
    if plan.whole[k]:
        for i in range(order.size):
            order[i] = np.floor(order[i] + 0.5)
    for i in range(order.size):
        order[i] = max(0.0, order[i])
    cancel(plan, s, t, k, rows[c.CANCELLED, at:to])
    phantom[:] = 0.0
    if plan.games[k]:
        inflate(plan, s, t, k, order, phantom)
    mail, owed = s.mail[k, (t + plan.delay[k]) % s.mail.shape[1]], s.owed[k]
    for i in range(order.size):
        mail[i] = order[i]
        owed[i] += order[i]


@kernel
def _share_end_demand(plan, t, k, outside, seen):
    """What a tier sees when end demand is shared: the customers' demand in its units, and its own outside buyers."""
    for i in range(seen.size):
        seen[i] = outside[0, t, i] * plan.end_units[t, k]
    for place in range(plan.sells_at[k], plan.sells_at[k + 1]):
        e = plan.sells[place]
        if e > 0 and plan.edge_buyer[e] < 0:
            for i in range(seen.size):
                seen[i] += outside[e, t, i]


@kernel
def _note(plan, s, t, k, rows, at, n):
    """Stocks at the end of the week. The backlog is read again: buyers may have cancelled after the tier shipped."""
    rows[c.ON_HAND, at : at + n] = s.on_hand[k]
    rows[c.BACKLOG, at : at + n] = s.waiting[k]
    rows[c.IN_TRANSIT, at : at + n] = s.moving[k]
    rows[c.UNSTARTED, at : at + n] = s.kits[k]
    rows[c.OPEN_ORDERS, at : at + n] = s.owed[k]


@kernel
def _add(plan, t, k, rows, m, at, n):
    """Add one week of a tier to its moments."""
    units, volume = plan.end_units[t, k], plan.volume[k]
    for i in range(at, at + n):
        asked, order, backlog = rows[c.INCOMING, i], rows[c.ORDER, i], rows[c.BACKLOG, i]
        from_usual = (order - volume) / units
        m[c.ORDER_1, i] += from_usual
        m[c.ORDER_2, i] += from_usual * from_usual
        from_usual = (asked - volume) / units
        m[c.ASKED_1, i] += from_usual
        m[c.ASKED_2, i] += from_usual * from_usual
        net = rows[c.ON_HAND, i] - backlog
        m[c.NET_1, i] += net
        m[c.NET_2, i] += net * net
        if order / units > m[c.ORDER_PEAK, i]:
            m[c.ORDER_PEAK, i] = order / units
            m[c.ORDER_PEAK_WEEK, i] = t
        m[c.ORDER_PEAK_UNITS, i] = max(m[c.ORDER_PEAK_UNITS, i], order)
        m[c.ASKED_PEAK, i] = max(m[c.ASKED_PEAK, i], asked / units)
        m[c.BACKLOG_PEAK, i] = max(m[c.BACKLOG_PEAK, i], backlog)
        m[c.ASKED, i] += asked
        m[c.SHORT, i] += min(asked, backlog)
        m[c.ORDERED, i] += order
        m[c.PHANTOMS, i] += rows[c.PHANTOM, i]
        m[c.CANCELS, i] += rows[c.CANCELLED, i]


@kernel
def _add_customer(plan, t, demand, m, at):
    """Add one week of the end customer, in end products."""
    usual = plan.base_demand
    for i in range(demand.size):
        order = demand[i]
        m[c.ORDER_1, at + i] += order - usual
        m[c.ORDER_2, at + i] += (order - usual) * (order - usual)
        m[c.ORDERED, at + i] += order
        if order > m[c.ORDER_PEAK, at + i]:
            m[c.ORDER_PEAK, at + i] = order
            m[c.ORDER_PEAK_WEEK, at + i] = t
