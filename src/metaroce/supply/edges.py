"""Who buys from whom, and how much in an ordinary week.

Edges are numbered: first the outside ones (0 is the end customer, then other buyers), then buyer -> supplier, then
raw material. Units of an edge are the supplier's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.model.supply import SupplyChain, Tier

F = NDArray[np.float64]

OUTSIDE = -1  # as buyer: a customer outside the chain; as supplier: raw material, never short


@dataclass(frozen=True, slots=True)
class Edge:
    """One relation. supplier, buyer: positions of tiers or OUTSIDE; units: the supplier's in one of the buyer's."""

    supplier: int
    buyer: int
    units: float


def edges_of(chain: SupplyChain) -> list[Edge]:
    """All edges in the order the kernel numbers them."""
    position = {tier.name: i for i, tier in enumerate(chain.tiers)}
    inside = [Edge(position[part.tier], position[tier.name], part.units) for tier, part in chain.purchases()]
    buyers = {edge.buyer for edge in inside}
    outside = [Edge(0, OUTSIDE, chain.tiers[0].units_per_parent)]
    outside += [Edge(i, OUTSIDE, 1.0) for i, tier in enumerate(chain.tiers) if _has_others(tier)]
    raw = [Edge(OUTSIDE, i, 1.0) for i in range(len(chain.tiers)) if i not in buyers]
    return outside + inside + raw


def order_of(chain: SupplyChain) -> list[int]:
    """Positions of the tiers, every buyer before its suppliers."""
    position = {tier.name: i for i, tier in enumerate(chain.tiers)}
    return [position[name] for name in chain.sequence()]


def volumes(chain: SupplyChain) -> tuple[F, F, F]:
    """An ordinary week at every tier, float64[K] in its own units: all demand, other buyers' part, standard deviation.

    The deviation is what a planner would have measured: each buyer's rule passes on a multiple of the variance it sees.
    """
    edges = edges_of(chain)
    total, others, variance = np.zeros((3, len(chain.tiers)))
    total[0] = chain.base_demand * edges[0].units
    variance[0] = (chain.demand_cv * total[0]) ** 2
    for k in order_of(chain):
        buyers = chain.tiers[k].other_buyers
        share = buyers.share_of_market
        others[k] = buyers.units_per_week if share is None else total[k] * (1 / share - 1)
        total[k] += others[k]
        variance[k] += (buyers.demand_cv * others[k]) ** 2
        for edge in edges:
            if edge.buyer == k and edge.supplier != OUTSIDE:
                total[edge.supplier] += total[k] * edge.units
                variance[edge.supplier] += variance[k] * edge.units**2 * _passed_on(chain.tiers[k])
    return total, others, np.sqrt(variance)


def grouped(owners: list[int], count: int, rank: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges by owner, lowest rank first: (starts int64[count + 1], edges); k owns edges[starts[k]:starts[k + 1]]."""
    starts, members = [0], list[int]()
    for k in range(count):
        members += sorted((e for e, owner in enumerate(owners) if owner == k), key=lambda e: (rank[e], e))
        starts.append(len(members))
    return np.array(starts, np.int64), np.array(members, np.int64)


def service_rank(chain: SupplyChain, edges: list[Edge]) -> list[int]:
    """Who stands before whom where a tier serves one side first: 0 before 1 before 2."""
    rank: list[int] = []
    for e, edge in enumerate(edges):
        is_other = e > 0 and edge.buyer == OUTSIDE
        first = is_other and chain.tiers[edge.supplier].allocation == "others_first"
        rank.append(0 if first else 2 if is_other else 1)
    return rank


def _passed_on(tier: Tier) -> float:
    """Variance of a tier's orders over that of its demand, when demand is white noise and nothing runs short.

    Source: Chen et al. 2000 for order-up-to; Disney et al. 2006 for the proportional rule; 1 for the others.
    """
    ordering = tier.ordering
    if ordering.policy == "proportional":
        return 1 / (2 * ordering.correction_weeks - 1)
    if ordering.policy != "order_up_to" or ordering.forecast == "constant":
        return 1.0
    cover = tier.order_delay_weeks + tier.lead_time_weeks + ordering.safety_weeks
    if ordering.forecast == "exponential":
        a = ordering.forecast_alpha
        return 1 + 2 * cover * a + 2 * (cover * a) ** 2 / (2 - a)
    window = 1 if ordering.forecast == "naive" else ordering.forecast_weeks
    return 1 + 2 * cover / window + 2 * (cover / window) ** 2


def _has_others(tier: Tier) -> bool:
    others = tier.other_buyers
    return others.units_per_week > 0 or (others.share_of_market or 1.0) < 1.0
