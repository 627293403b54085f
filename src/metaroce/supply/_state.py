"""What the simulated chain remembers from week to week, for a block of paths, and its quiet start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from metaroce.kit.jit import kernel


class State(NamedTuple):
    """float64 arrays; K tiers, E edges, n paths; the ring buffers are indexed by week modulo their length."""

    on_hand: Any  # [K, n]
    owed: Any  # [K, n] ordered and not received
    phantom: Any  # [K, n] part of owed beyond need
    surplus: Any  # [K, n] part of this week's receipts beyond need
    forecast: Any  # [K, n] units per week
    history: Any  # [K, W, n] incoming orders of the last W weeks
    mail: Any  # [K, D, n] orders on their way, buyer's units
    wip: Any  # [K, L, n] goods by week of arrival
    moving: Any  # [K, n] sum of wip
    backlog: Any  # [E, n] ordered and not shipped, supplier's units
    sent: Any  # [E, n] shipped this week, supplier's units
    parts: Any  # [E, n] arrived at the buyer and not started, buyer's units
    waiting: Any  # [K, n] backlog to all customers
    kits: Any  # [K, n] complete sets of parts not started
    pace: Any  # [K, n] smoothed shipments per week
    quote: Any  # [K, n] weeks its suppliers make it wait beyond the lead time
    quote_before: Any  # [K, n] the same a week earlier


@kernel
def quiet_state(plan, n):
    """A chain in which every week was ordinary until now."""
    K, E = plan.sequence.size, plan.edge_supplier.size
    weeks = int(plan.forecast_p[:, 0].max())
    mails, leads = plan.delay.max() + 1, plan.lead.max() + 1
    s = State(
        np.zeros((K, n)), np.zeros((K, n)), np.zeros((K, n)), np.zeros((K, n)), np.zeros((K, n)),
        np.zeros((K, weeks, n)), np.zeros((K, mails, n)), np.zeros((K, leads, n)), np.zeros((K, n)),
        np.zeros((E, n)), np.zeros((E, n)), np.zeros((E, n)), np.zeros((K, n)), np.zeros((K, n)),
        np.zeros((K, n)), np.zeros((K, n)), np.zeros((K, n)),
    )  # fmt: skip
    for k in range(K):
        volume = plan.volume[k]
        s.on_hand[k] = plan.stock_0[k]
        s.owed[k] = volume * (plan.delay[k] + plan.lead[0, k])
        s.phantom[k] = s.owed[k] * (1.0 - 1.0 / plan.inflation[k, 0])
        s.forecast[k] = plan.forecast_0[k]
        s.history[k] = volume
        s.mail[k, : plan.delay[k]] = volume
        s.wip[k, : plan.lead[0, k]] = volume
        s.moving[k] = volume * plan.lead[0, k]
        s.pace[k] = volume
    return s
