"""What the simulated chain remembers from week to week, for a block of paths, and its quiet start.

One array holds all rows of a tier, one all rows of an edge: fewer arrays, faster calls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from metaroce.kit.jit import kernel

# rows of State.tier
ON_HAND = 0
OWED = 1  # ordered and not received
EXCESS = 2  # part of OWED beyond need
SURPLUS = 3  # part of this week's receipts beyond need
FORECAST = 4  # units per week
MOVING = 5  # started and not received
WAITING = 6  # backlog to all customers
KITS = 7  # complete sets of parts not started
PACE = 8  # smoothed shipments per week
QUOTE = 9  # weeks its suppliers make it wait beyond the lead time
QUOTE_BEFORE = 10  # the same a week earlier
ROWS = 11

# rows of State.edge
BACKLOG = 0  # ordered and not shipped, supplier's units
SENT = 1  # shipped this week, supplier's units
PARTS = 2  # arrived at the buyer and not started, buyer's units


class State(NamedTuple):
    """float64 arrays; K tiers, E edges, n paths; the ring buffers are indexed by week modulo their length."""

    tier: Any  # [K, ROWS, n]
    edge: Any  # [E, 3, n]
    history: Any  # [K, W, n] incoming orders of the last W weeks
    mail: Any  # [K, D, n] orders on their way, buyer's units
    wip: Any  # [K, L, n] goods by week of arrival


@kernel
def quiet_state(plan, n):
    """A chain in which every week was ordinary until now."""
    K, E = plan.sequence.size, plan.edges.size
    window = int(plan.forecast_p[:, 0].max())
    mails = leads = 1
    for k in range(K):
        mails = max(mails, plan.tiers[k].delay + 1)
        for t in range(plan.weeks.shape[0]):
            leads = max(leads, plan.weeks[t, k].lead + 1)
    s = State(
        np.zeros((K, ROWS, n)),
        np.zeros((E, 3, n)),
        np.zeros((K, window, n)),
        np.zeros((K, mails, n)),
        np.zeros((K, leads, n)),
    )
    for k in range(K):
        tier, lead = plan.tiers[k], plan.weeks[0, k].lead
        owed = tier.volume * (tier.delay + lead)
        s.tier[k, ON_HAND] = tier.stock
        s.tier[k, OWED] = owed
        s.tier[k, EXCESS] = owed * (1.0 - 1.0 / tier.factor)
        s.tier[k, FORECAST] = tier.first_forecast
        s.tier[k, MOVING] = tier.volume * lead
        s.tier[k, PACE] = tier.volume
        s.history[k] = tier.volume
        s.mail[k, : tier.delay] = tier.volume
        s.wip[k, :lead] = tier.volume
    return s
