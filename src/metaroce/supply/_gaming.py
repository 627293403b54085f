"""Defensive orders for a row of paths: inflate, cancel, and the waits that make buyers nervous."""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel
from metaroce.supply import _state as st


@kernel
def inflate(plan, s, t, k, order, phantom):
    """Turn the needed order into the placed one, in place; `phantom` (float64[n]) receives what is beyond need."""
    factor, reaction, limit = plan.tiers[k].factor, plan.tiers[k].reaction, plan.tiers[k].limit
    usual = plan.tiers[k].delay + plan.weeks[t, k].lead
    quote, open_phantom = s.tier[k, st.QUOTE], s.tier[k, st.EXCESS]
    for i in range(order.size):
        inflated = order[i] * min(limit, factor * (1.0 + reaction * quote[i] / usual))
        if plan.tiers[k].whole:
            inflated = np.floor(inflated + 0.5)
        phantom[i] = inflated - order[i]
        order[i] = inflated
        open_phantom[i] += phantom[i]


@kernel
def cancel(plan, s, t, k, cancelled):
    """Take back unshipped surplus orders once the own backlog is gone and the quoted wait no longer rises.

    The suppliers have not yet opened their week, so their backlog stands in last week's units.
    """
    cancelled[:] = 0.0
    share = plan.tiers[k].cancelled
    if share == 0.0:
        return
    last_week = plan.bills[max(t - 1, 0)]
    for i in range(cancelled.size):
        if s.tier[k, st.WAITING, i] > 0.0 or s.tier[k, st.QUOTE, i] > s.tier[k, st.QUOTE_BEFORE, i]:
            continue
        units = s.tier[k, st.EXCESS, i] * share
        for place in range(plan.tiers[k].buys_at, plan.tiers[k].buys_to):
            e = plan.buys[place]
            unshipped = (
                s.edge[e, st.PARTS, i] if plan.edges[e].supplier < 0 else s.edge[e, st.BACKLOG, i] / last_week[e].bill
            )
            units = min(units, unshipped)
        cancelled[i] = units
        s.tier[k, st.EXCESS, i] -= units
        s.tier[k, st.OWED, i] -= units
        for place in range(plan.tiers[k].buys_at, plan.tiers[k].buys_to):
            e = plan.buys[place]
            if plan.edges[e].supplier < 0:
                s.edge[e, st.PARTS, i] = max(0.0, s.edge[e, st.PARTS, i] - units)
            else:
                s.edge[e, st.BACKLOG, i] = max(0.0, s.edge[e, st.BACKLOG, i] - units * last_week[e].bill)


@kernel
def quote_waits(plan, s, t, k):
    """Weeks the suppliers of k make it wait: their backlog over their pace; for raw material queue over capacity."""
    quote, before = s.tier[k, st.QUOTE], s.tier[k, st.QUOTE_BEFORE]
    before[:] = quote
    quote[:] = 0.0
    for place in range(plan.tiers[k].buys_at, plan.tiers[k].buys_to):
        supplier = plan.edges[plan.buys[place]].supplier
        for i in range(quote.size):
            if supplier < 0:
                weeks = s.tier[k, st.KITS, i] / plan.weeks[t, k].capacity if s.tier[k, st.KITS, i] > 0.0 else 0.0
            elif s.tier[supplier, st.PACE, i] > 0.0:
                weeks = s.tier[supplier, st.WAITING, i] / s.tier[supplier, st.PACE, i]
            else:
                weeks = 0.0
            quote[i] = max(quote[i], weeks)
