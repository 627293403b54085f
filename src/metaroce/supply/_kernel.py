"""The chain week by week, for a block of paths.

Strategy: weeks outside, tiers inside, paths innermost, so that every loop runs over neighbouring numbers. A block is
small enough that its state stays in the cache. In a week every tier, buyers before suppliers, receives, takes orders,
ships, forecasts and orders; then all tiers start production. Orders without delay are therefore seen in the same
week, and goods never arrive before the next one.
"""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel
from metaroce.supply import _state as st
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
    trace      float64[T or 1, K, 11, N], zeros on entry; see columns; with one row only the last week remains
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
            if plan.tiers[k].games:
                quote_waits(plan, s, t, k)
            if not keep:
                for column in range(totals.shape[2]):
                    totals[t, k, column] += _sum(trace[row, k, column, at : at + n])
            if t >= warmup:
                _add(plan, t, k, trace[row, k], moments[k], at, n)
        _copy(s.edge[0, st.SENT], delivered[row, at : at + n])
        if t >= warmup:
            _add_customer(plan, t, outside[0, t], moments[K], at)


@kernel
def _week(plan, s, t, k, outside, rows, at, seen):
    """Goods in, orders in, goods out, own order: one tier."""
    to = at + seen.size
    incoming, order = rows[c.INCOMING, at:to], rows[c.ORDER, at:to]
    receive(plan, s, t, k, rows[c.RECEIVED, at:to])
    take_orders(plan, s, t, k, outside, incoming)
    ship(plan, s, k, rows[c.SHIPPED, at:to])
    _copy(incoming, seen)
    if plan.tiers[k].shared:
        _share_end_demand(plan, t, k, outside, seen)
    update_forecast(plan.tiers[k].forecast, plan.forecast_p[k], s.tier[k, st.FORECAST], s.history[k], t, seen)
    if t < plan.frozen_weeks:
        for i in range(order.size):
            order[i] = plan.tiers[k].volume / plan.tiers[k].factor
    else:
        decide(
            plan.tiers[k].policy,
            plan.policy_p[k],
            incoming,
            s.tier[k],
            plan.weeks[t, k].cover,
            plan.weeks[t, k].safety,
            order,
        )
    if plan.tiers[k].whole:
        for i in range(order.size):
            order[i] = np.floor(order[i] + 0.5)
    for i in range(order.size):
        order[i] = max(0.0, order[i])
    if plan.tiers[k].games:
        cancel(plan, s, t, k, rows[c.CANCELLED, at:to])
        inflate(plan, s, t, k, order, rows[c.PHANTOM, at:to])
    mail, owed = s.mail[k, (t + plan.tiers[k].delay) % s.mail.shape[1]], s.tier[k, st.OWED]
    for i in range(order.size):
        mail[i] = order[i]
        owed[i] += order[i]


@kernel
def _share_end_demand(plan, t, k, outside, seen):
    """What a tier sees when end demand is shared: the demand of all outside customers it works for, in its units."""
    for i in range(seen.size):
        seen[i] = 0.0
    for x in range(outside.shape[0]):
        units = plan.reach[x, t, k]
        for i in range(seen.size):
            seen[i] += outside[x, t, i] * units


@kernel
def _note(plan, s, t, k, rows, at, n):
    """Stocks at the end of the week, which for open orders is after the start of production."""
    to = at + n
    _copy(s.tier[k, st.ON_HAND], rows[c.ON_HAND, at:to])
    _copy(s.tier[k, st.WAITING], rows[c.BACKLOG, at:to])
    _copy(s.tier[k, st.MOVING], rows[c.IN_TRANSIT, at:to])
    _copy(s.tier[k, st.KITS], rows[c.UNSTARTED, at:to])
    _copy(s.tier[k, st.OWED], rows[c.OPEN_ORDERS, at:to])


@kernel
def _copy(values, into):
    """An explicit loop: slice assignment first looks for overlap, which costs more than the copy of a short row."""
    for i in range(values.size):
        into[i] = values[i]


@kernel
def _add(plan, t, k, rows, m, at, n):
    """Add one week of a tier to its moments: one short loop per column, so that the compiler can widen each."""
    to, units, usual = at + n, plan.weeks[t, k].end_units, plan.tiers[k].volume
    asked, order, backlog = rows[c.INCOMING, at:to], rows[c.ORDER, at:to], rows[c.BACKLOG, at:to]
    _add_powers(m[c.ORDER_1, at:to], m[c.ORDER_2, at:to], order, usual, units)
    _add_powers(m[c.ASKED_1, at:to], m[c.ASKED_2, at:to], asked, usual, units)
    _add_peak(m[c.ORDER_PEAK, at:to], m[c.ORDER_PEAK_WEEK, at:to], order, units, t)
    net_1, net_2, on_hand = m[c.NET_1, at:to], m[c.NET_2, at:to], rows[c.ON_HAND, at:to]
    stock = plan.tiers[k].stock
    for i in range(n):
        net = on_hand[i] - backlog[i] - stock
        net_1[i] += net
        net_2[i] += net * net
    largest, asked_peak, backlog_peak = m[c.ORDER_PEAK_UNITS, at:to], m[c.ASKED_PEAK, at:to], m[c.BACKLOG_PEAK, at:to]
    for i in range(n):
        largest[i] = max(largest[i], order[i])
    for i in range(n):
        asked_peak[i] = max(asked_peak[i], asked[i] / units)
    for i in range(n):
        backlog_peak[i] = max(backlog_peak[i], backlog[i])
    asked_sum, short, ordered = m[c.ASKED, at:to], m[c.SHORT, at:to], m[c.ORDERED, at:to]
    for i in range(n):
        asked_sum[i] += asked[i]
        short[i] += min(asked[i], backlog[i])
    for i in range(n):
        ordered[i] += order[i]
    if plan.tiers[k].games:
        m[c.PHANTOMS, at:to] += rows[c.PHANTOM, at:to]
        m[c.CANCELS, at:to] += rows[c.CANCELLED, at:to]


@kernel
def _add_powers(first, second, values, usual, units):
    for i in range(values.size):
        x = (values[i] - usual) / units
        first[i] += x
        second[i] += x * x


@kernel
def _add_peak(peak, week, values, units, t):
    for i in range(values.size):
        x = values[i] / units
        week[i] = t if x > peak[i] else week[i]
        peak[i] = max(peak[i], x)


@kernel
def _sum(values):
    """Sum in four strands: same order on every machine, and four times as fast as one."""
    a = b = d = e = 0.0
    n = values.size
    for i in range(0, n - 3, 4):
        a += values[i]
        b += values[i + 1]
        d += values[i + 2]
        e += values[i + 3]
    for i in range(n - n % 4, n):
        a += values[i]
    return (a + b) + (d + e)


@kernel
def _add_customer(plan, t, demand, m, at):
    """Add one week of the end customer, in end products."""
    to = at + demand.size
    _add_powers(m[c.ORDER_1, at:to], m[c.ORDER_2, at:to], demand, plan.base_demand, 1.0)
    _add_peak(m[c.ORDER_PEAK, at:to], m[c.ORDER_PEAK_WEEK, at:to], demand, 1.0, t)
    m[c.ORDERED, at:to] += demand
