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


class Plan(NamedTuple):
    """What the kernel reads. K tiers, E edges, T weeks; units are the tier's own."""

    sequence: N  # [K] buyers before suppliers
    delay: N  # [K] weeks an order travels
    lead: N  # [T, K] weeks from start to stock
    capacity: F  # [T, K] starts per week, inf = none
    volume: F  # [K] ordinary units per week
    policy: N  # [K] place in POLICIES
    policy_p: F  # [K, 4]
    forecast: N  # [K] place in FORECASTS
    forecast_p: F  # [K, 2] window, alpha
    forecast_0: F  # [K] units per week
    shared: N  # [K] 1 = forecasts from the end demand
    end_units: F  # [T, K] own units in one end product
    cover: F  # [T, K] weeks
    safety: F  # [T, K] units
    games: N  # [K] 1 = orders may exceed need
    inflation: F  # [K, 4] factor, reaction, limit, cancelled share
    whole: N  # [K] 1 = whole units
    stock_0: F  # [K]
    allocation: N  # [K] see ALLOCATIONS
    edge_supplier: N  # [E]
    edge_buyer: N  # [E]
    bill: F  # [T, E] supplier's units per buyer's unit
    respecified: F  # [T, E] bill / last week's bill
    sells_at: N  # [K + 1] supplier k owns the edges sells[sells_at[k]:sells_at[k + 1]]
    sells: N
    buys_at: N  # [K + 1] the same for buyers
    buys: N
    frozen_weeks: int
    base_demand: float  # end products per week


def make_plan(chain: SupplyChain, weeks: int) -> Plan:
    """Arrays for a run of `weeks` weeks."""
    tiers, edges = chain.tiers, edges_of(chain)
    volume, _, deviation = volumes(chain)
    ordering = [tier.ordering for tier in tiers]
    lead, factor = _by_week(chain, weeks)
    delay = _ints(tier.order_delay_weeks for tier in tiers)
    bill = _bill(edges, factor)
    sells_at, sells = grouped([edge.supplier for edge in edges], len(tiers), service_rank(chain, edges))
    buys_at, buys = grouped([edge.buyer for edge in edges], len(tiers), [0] * len(edges))
    plan = Plan(
        sequence=_ints(order_of(chain)), delay=delay, lead=lead, capacity=_capacity(tiers, volume, weeks), volume=volume,
        policy=_ints(list(POLICIES).index(one.policy) for one in ordering), policy_p=np.zeros((len(tiers), 4)),
        forecast=_ints(list(FORECASTS).index(one.forecast) for one in ordering),
        forecast_p=np.array([[one.forecast_weeks, one.forecast_alpha] for one in ordering], np.float64),
        forecast_0=_first_forecast(tiers, volume), shared=_ints(one.sees_end_demand for one in ordering),
        end_units=_end_units(chain, edges, bill), cover=delay + lead + np.array([one.safety_weeks for one in ordering]),
        safety=np.array([one.safety_factor for one in ordering]) * deviation * np.sqrt(delay + lead),
        games=_ints(tier.over_ordering.factor > 1 or tier.over_ordering.lead_time_reaction > 0 for tier in tiers),
        inflation=np.array([_inflation(tier) for tier in tiers], np.float64),
        whole=_ints(one.whole_units for one in ordering), stock_0=np.zeros(len(tiers)),
        allocation=_ints(ALLOCATIONS[tier.allocation] for tier in tiers),
        edge_supplier=_ints(edge.supplier for edge in edges), edge_buyer=_ints(edge.buyer for edge in edges),
        bill=bill, respecified=bill / np.vstack([bill[:1], bill[:-1]]),
        sells_at=sells_at, sells=sells, buys_at=buys_at, buys=buys, frozen_weeks=chain.frozen_weeks,
        base_demand=chain.base_demand,
    )  # fmt: skip
    for k, tier in enumerate(tiers):
        plan.policy_p[k] = _policy_numbers(tier, plan, k)
        plan.stock_0[k] = _quiet_stock(tier, plan, k) if tier.initial_stock is None else tier.initial_stock
    return plan


def _ints(values) -> N:
    return np.array(list(values), np.int64)


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


def _first_forecast(tiers: tuple[Tier, ...], volume: F) -> F:
    first = volume.copy()
    for k, tier in enumerate(tiers):
        if tier.ordering.forecast == "constant" and tier.ordering.forecast_value is not None:
            first[k] = tier.ordering.forecast_value
    return first


def _end_units(chain: SupplyChain, edges: list[Edge], bill: F) -> F:
    units = np.zeros((bill.shape[0], len(chain.tiers)))
    units[:, 0] = bill[:, 0]
    for k in order_of(chain):
        for e, edge in enumerate(edges):
            if edge.buyer == k and edge.supplier != OUTSIDE:
                units[:, edge.supplier] += units[:, k] * bill[:, e]
    return units


def _inflation(tier: Tier) -> list[float]:
    over = tier.over_ordering
    return [over.factor, over.lead_time_reaction, max(over.limit, over.factor), over.cancellation]


def _policy_numbers(tier: Tier, plan: Plan, k: int) -> list[float]:
    ordering = tier.ordering
    if ordering.policy == "proportional":
        return [ordering.correction_weeks, 0, 0, 0]
    if ordering.policy == "sterman":
        open_orders = (plan.delay[k] + plan.lead[0, k] - 1) * plan.volume[k]
        quiet = plan.safety[0, k] + ordering.safety_weeks * plan.volume[k] + ordering.supply_line_weight * open_orders
        wanted = quiet if ordering.desired_stock is None else ordering.desired_stock
        return [ordering.stock_adjustment, ordering.supply_line_weight, wanted, 0]
    return [0, 0, 0, 0]


def _quiet_stock(tier: Tier, plan: Plan, k: int) -> float:
    """The stock at which constant demand repeats itself: orders are linear in the stock, so two trials tell."""
    volume = plan.volume[k]
    needed = volume / plan.inflation[k, 0]
    weeks = plan.delay[k] + plan.lead[0, k]

    def order(net: float) -> float:
        open_orders, surplus = (weeks - 1) * needed, volume - needed
        rule = POLICIES[tier.ordering.policy]
        cover, safety = plan.cover[0, k], plan.safety[0, k]
        return rule(plan.policy_p[k], volume, plan.forecast_0[k], net, open_orders, surplus, cover, safety)

    step = max(volume, 1.0)
    slope = (order(step) - order(0.0)) / step
    if slope == 0:  # a policy that does not look at its stock
        return plan.safety[0, k] + tier.ordering.safety_weeks * volume
    return max(0.0, (needed - order(0.0)) / slope)
