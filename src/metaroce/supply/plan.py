"""A supply chain as arrays for the kernel: tiers, edges, and what changes by week."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaroce.model.supply import SupplyChain, Tier
from metaroce.supply.edges import OUTSIDE, Edge, edges_of, grouped, order_of, service_rank, volumes
from metaroce.supply.forecasts import FORECASTS
from metaroce.supply.policies import POLICIES

F = NDArray[np.float64]
N = NDArray[np.int64]

ALLOCATIONS = {"proportional": 0, "linear": 1, "uniform": 2, "chain_first": 3, "others_first": 3}


# One row per tier, per week and tier, per edge, per week and edge: few arrays of records instead of forty of numbers,
# because every array handed to a compiled function costs time. All units are the tier's own.
TIER = np.dtype([
    ("delay", "i8"), ("volume", "f8"), ("policy", "i8"), ("forecast", "i8"), ("first_forecast", "f8"), ("shared", "i8"),
    ("games", "i8"), ("factor", "f8"), ("reaction", "f8"), ("limit", "f8"), ("cancelled", "f8"), ("whole", "i8"),
    ("stock", "f8"), ("allocation", "i8"), ("sells_at", "i8"), ("sells_to", "i8"), ("buys_at", "i8"), ("buys_to", "i8"),
])  # fmt: skip
TIER_WEEK = np.dtype([("lead", "i8"), ("capacity", "f8"), ("end_units", "f8"), ("cover", "f8"), ("safety", "f8")])
EDGE = np.dtype([("supplier", "i8"), ("buyer", "i8")])
EDGE_WEEK = np.dtype([("bill", "f8"), ("respecified", "f8")])


class Plan(NamedTuple):
    """What the kernel reads. K tiers, E edges, T weeks.

    tiers       TIER[K]: weeks an order travels; ordinary units per week; places in POLICIES and FORECASTS; 1 if it
                forecasts from end demand; 1 if it orders beyond need, and how (factor, reaction, limit, share cancelled
                per week); 1 for whole units; first stock; place in ALLOCATIONS; its edges: sells[sells_at:sells_to]
    weeks       TIER_WEEK[T, K]: lead time, starts per week, own units in one end product, weeks of cover, safety stock
    edges       EDGE[E]
    bills       EDGE_WEEK[T, E]: supplier's units per buyer's unit; that over last week's
    policy_p    float64[K, 4] parameters of the policy
    forecast_p  float64[K, 2] window, alpha
    reach       float64[X, T, K] units of a tier in one unit ordered by an outside customer
    sequence    int64[K] buyers before suppliers
    """

    tiers: np.recarray
    weeks: np.recarray
    edges: np.recarray
    bills: np.recarray
    policy_p: F
    forecast_p: F
    reach: F
    sequence: N
    sells: N
    buys: N
    frozen_weeks: int
    base_demand: float


def make_plan(chain: SupplyChain, weeks: int) -> Plan:
    """Arrays for a run of `weeks` weeks."""
    tiers, edges = chain.tiers, edges_of(chain)
    volume, _, deviation = volumes(chain)
    table = _tier_rows(tiers, volume)
    lead, factor = _by_week(chain, weeks)
    rows = np.zeros(lead.shape, TIER_WEEK).view(np.recarray)
    rows.lead, rows.capacity = lead, _capacity(tiers, volume, weeks)
    rows.cover = table.delay + lead + np.array([tier.ordering.safety_weeks for tier in tiers])
    rows.safety = np.array([tier.ordering.safety_factor for tier in tiers]) * deviation * np.sqrt(table.delay + lead)
    links = np.zeros(len(edges), EDGE).view(np.recarray)
    links.supplier, links.buyer = [edge.supplier for edge in edges], [edge.buyer for edge in edges]
    bills = np.zeros((weeks, len(edges)), EDGE_WEEK).view(np.recarray)
    bills.bill = _bill(edges, factor)
    bills.respecified = bills.bill / np.vstack([bills.bill[:1], bills.bill[:-1]])
    reach = _reach(chain, edges, bills.bill)
    rows.end_units = np.where(reach[0] > 0, reach[0], 1.0)  # who does not work for our customer counts in own units
    sells_at, sells = grouped([edge.supplier for edge in edges], len(tiers), service_rank(chain, edges))
    buys_at, buys = grouped([edge.buyer for edge in edges], len(tiers), [0] * len(edges))
    table.sells_at, table.sells_to, table.buys_at, table.buys_to = (
        sells_at[:-1],
        sells_at[1:],
        buys_at[:-1],
        buys_at[1:],
    )
    forecast_p = np.array([[tier.ordering.forecast_weeks, tier.ordering.forecast_alpha] for tier in tiers], np.float64)
    plan = Plan(
        table, rows, links, bills, np.zeros((len(tiers), 4)), forecast_p, reach,
        np.array(order_of(chain), np.int64), sells, buys, chain.frozen_weeks, chain.base_demand,
    )  # fmt: skip
    for k, tier in enumerate(tiers):
        plan.policy_p[k] = _policy_numbers(tier, plan, k)
        table.stock[k] = _quiet_stock(tier, plan, k) if tier.initial_stock is None else tier.initial_stock
    return plan


def _tier_rows(tiers: tuple[Tier, ...], volume: F) -> np.recarray:
    table = np.zeros(len(tiers), TIER).view(np.recarray)
    table.volume = volume
    for k, tier in enumerate(tiers):
        ordering, over, row = tier.ordering, tier.over_ordering, table[k]
        row.delay, row.whole, row.shared = tier.order_delay_weeks, ordering.whole_units, ordering.sees_end_demand
        row.policy, row.forecast = list(POLICIES).index(ordering.policy), list(FORECASTS).index(ordering.forecast)
        row.games = over.factor > 1 or over.lead_time_reaction > 0
        row.factor, row.reaction, row.cancelled = over.factor, over.lead_time_reaction, over.cancellation
        row.limit = max(over.limit, over.factor)
        row.allocation = ALLOCATIONS[tier.allocation]
        given = ordering.forecast_value if ordering.forecast == "constant" else None
        row.first_forecast = volume[k] if given is None else given
    return table


def _by_week(chain: SupplyChain, weeks: int) -> tuple[N, F]:
    """Lead time and unit factor, [T, K]."""
    lead = np.array([[tier.lead_time_weeks for tier in chain.tiers]] * weeks, np.int64)
    factor = np.ones(lead.shape)
    for k, tier in enumerate(chain.tiers):
        if tier.change is not None:
            lead[tier.change.week :, k] = tier.change.lead_time_weeks or tier.lead_time_weeks
            factor[tier.change.week :, k] = tier.change.unit_factor
    return lead, factor


def _bill(edges: list[Edge], factor: F) -> F:
    bill = np.tile([edge.units for edge in edges], (factor.shape[0], 1))
    for e, edge in enumerate(edges):
        if e == 0 or OUTSIDE not in (edge.supplier, edge.buyer):
            bill[:, e] *= factor[:, edge.supplier]
    return bill


def _capacity(tiers: tuple[Tier, ...], volume: F, weeks: int) -> F:
    limit = np.full((weeks, len(tiers)), np.inf)
    for k, tier in enumerate(tiers):
        capacity = tier.capacity
        start = capacity.units_per_week
        if capacity.over_ordinary is not None:
            start = capacity.over_ordinary * volume[k]
        if start is not None:
            done = (np.arange(weeks) - capacity.ramp_start_week) / max(capacity.ramp_weeks, 1)
            limit[:, k] = start * (1 + (capacity.grows_to - 1) * np.clip(done, 0, 1))
    return limit


def _reach(chain: SupplyChain, edges: list[Edge], bill: F) -> F:
    """Units of every tier in one unit that an outside customer orders: float64[X, T, K]."""
    outside = [e for e, edge in enumerate(edges) if edge.buyer == OUTSIDE]
    reach = np.zeros((len(outside), bill.shape[0], len(chain.tiers)))
    for x in outside:  # outside edges come first, so x is also their row
        reach[x, :, edges[x].supplier] = bill[:, x]
        for k in order_of(chain):
            for e, edge in enumerate(edges):
                if edge.buyer == k and edge.supplier != OUTSIDE:
                    reach[x, :, edge.supplier] += reach[x, :, k] * bill[:, e]
    return reach


def _policy_numbers(tier: Tier, plan: Plan, k: int) -> list[float]:
    ordering = tier.ordering
    if ordering.policy == "proportional":
        return [ordering.correction_weeks, 0, 0, 0]
    if ordering.policy == "sterman":
        row, week = plan.tiers[k], plan.weeks[0, k]
        open_orders = (row.delay + week.lead - 1) * row.volume
        quiet = week.safety + ordering.safety_weeks * row.volume + ordering.supply_line_weight * open_orders
        wanted = quiet if ordering.desired_stock is None else ordering.desired_stock
        return [ordering.stock_adjustment, ordering.supply_line_weight, wanted, 0]
    return [0, 0, 0, 0]


def _quiet_stock(tier: Tier, plan: Plan, k: int) -> float:
    """The stock at which constant demand repeats itself: orders are linear in the stock, so two trials tell."""
    row, week = plan.tiers[k], plan.weeks[0, k]
    needed = row.volume / row.factor
    open_orders, surplus = (row.delay + week.lead - 1) * needed, row.volume - needed

    def order(net: float) -> float:
        rule = POLICIES[tier.ordering.policy]
        return rule(
            plan.policy_p[k], row.volume, row.first_forecast, net, open_orders, surplus, week.cover, week.safety
        )

    step = max(row.volume, 1.0)
    slope = (order(step) - order(0.0)) / step
    if slope == 0:  # a policy that does not look at its stock
        return week.safety + tier.ordering.safety_weeks * row.volume
    return max(0.0, (needed - order(0.0)) / slope)
