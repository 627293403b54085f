"""Defensive orders for a row of paths: inflate, cancel, and the waits that make buyers nervous."""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel


@kernel
def inflate(plan, s, t, k, order, phantom):
    """Turn the needed order into the placed one, in place; `phantom` (float64[n]) receives what is beyond need."""
    factor, reaction, limit = plan.inflation[k, 0], plan.inflation[k, 1], plan.inflation[k, 2]
    usual = plan.delay[k] + plan.lead[t, k]
    quote, open_phantom = s.quote[k], s.phantom[k]
    for i in range(order.size):
        inflated = order[i] * min(limit, factor * (1.0 + reaction * quote[i] / usual))
        if plan.whole[k]:
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
    share = plan.inflation[k, 3]
    if share == 0.0:
        return
    bill = plan.bill[max(t - 1, 0)]
    for i in range(cancelled.size):
        if s.waiting[k, i] > 0.0 or s.quote[k, i] > s.quote_before[k, i]:
            continue
        units = s.phantom[k, i] * share
        for place in range(plan.buys_at[k], plan.buys_at[k + 1]):
            e = plan.buys[place]
            unshipped = s.parts[e, i] if plan.edge_supplier[e] < 0 else s.backlog[e, i] / bill[e]
            units = min(units, unshipped)
        cancelled[i] = units
        s.phantom[k, i] -= units
        s.owed[k, i] -= units
        for place in range(plan.buys_at[k], plan.buys_at[k + 1]):
            e = plan.buys[place]
            if plan.edge_supplier[e] < 0:
                s.parts[e, i] = max(0.0, s.parts[e, i] - units)
            else:
                s.backlog[e, i] = max(0.0, s.backlog[e, i] - units * bill[e])


@kernel
def quote_waits(plan, s, t, k):
    """Weeks the suppliers of k make it wait: their backlog over their pace; for raw material the own queue over capacity."""
    quote, before = s.quote[k], s.quote_before[k]
    before[:] = quote
    quote[:] = 0.0
    for place in range(plan.buys_at[k], plan.buys_at[k + 1]):
        supplier = plan.edge_supplier[plan.buys[place]]
        for i in range(quote.size):
            if supplier < 0:
                weeks = s.kits[k, i] / plan.capacity[t, k] if s.kits[k, i] > 0.0 else 0.0
            elif s.pace[supplier, i] > 0.0:
                weeks = s.waiting[supplier, i] / s.pace[supplier, i]
            else:
                weeks = 0.0
            quote[i] = max(quote[i], weeks)
