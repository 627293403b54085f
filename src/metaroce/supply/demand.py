"""What customers order by week: the plan, and its random paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.model.supply import Pulse, SupplyChain
from metaroce.supply.edges import OUTSIDE, edges_of, volumes

F = NDArray[np.float64]


def pulse(base: float, extra: float, week: int, *, weeks: int = 1, horizon: int = 104) -> F:
    """Demand of `base` units a week and `extra` more, spread evenly over `weeks` from `week` on: float64[horizon].

    `base` is the ordinary demand at the customer end; `ordinary_demand` derives one for a buyer who rarely buys.
    Raises InputError when the pulse does not fit into the horizon.
    """
    if week < 0 or weeks < 1 or week + weeks > horizon:
        raise InputError(
            f"a demand in weeks {week} to {week + weeks - 1} lies outside a horizon of {horizon} weeks",
            hint="start earlier or simulate longer (supply.horizon_weeks)",
        )
    demand = np.full(horizon, float(base))
    demand[week : week + weeks] += extra / weeks
    return demand


def ordinary_demand(units: float, replacement_weeks: int = 156) -> float:
    """Weekly base demand of a buyer who owns `units` and replaces them every three years.

    A one-off order needs an ordinary business to stand out from; this is the smallest honest one. What makes the
    suppliers large is not it but their other buyers (`Tier.other_buyers`).
    """
    return units / replacement_weeks


def demand_by_week(chain: SupplyChain, demand: Pulse | Sequence[float] | F) -> F:
    """The demand asked for: float64[T], or float64[T, N] with one column per path. Raises InputError."""
    if isinstance(demand, Pulse):
        return pulse(chain.base_demand, demand.extra, demand.week, weeks=demand.weeks, horizon=chain.horizon_weeks)
    wanted = np.asarray(demand, np.float64)
    if wanted.ndim not in (1, 2) or wanted.size == 0:
        raise InputError(f"demand has shape {wanted.shape}", hint="give one number per week, or weeks x paths")
    if not np.isfinite(wanted).all() or (wanted < 0).any():
        raise InputError("demand holds negative or infinite numbers", hint="units per week, 0 or more")
    return wanted


def is_random(chain: SupplyChain) -> bool:
    """Whether two paths can differ."""
    _, others, _ = volumes(chain)
    noisy = any(tier.other_buyers.demand_cv > 0 and others[k] > 0 for k, tier in enumerate(chain.tiers))
    return noisy or (chain.demand_cv > 0 and chain.base_demand > 0)


def draw(chain: SupplyChain, wanted: F, block: int, paths: int, seed: int) -> F:
    """Orders of the outside customers for one block of paths: float64[X, T, n], row 0 the end customer.

    Noise has a constant standard deviation, cv x ordinary demand, and demand never falls below zero. Every block and
    every customer has its own stream, so more paths or a changed tier leave the others' numbers alone.
    """
    _, others, _ = volumes(chain)
    edges = [edge for edge in edges_of(chain) if edge.buyer == OUTSIDE]
    weeks = wanted.shape[0]
    outside = np.empty((len(edges), weeks, paths))
    if wanted.ndim == 2:
        outside[0] = wanted
    else:
        noise = _noise(seed, ("end", block), weeks, paths, chain.demand_correlation) if chain.demand_cv else 0.0
        outside[0] = np.maximum(0.0, wanted[:, None] + chain.demand_cv * chain.base_demand * noise)
    for x, edge in enumerate(edges[1:], 1):
        tier = chain.tiers[edge.supplier]
        usual, cv = others[edge.supplier], tier.other_buyers.demand_cv
        noise = _noise(seed, ("others", tier.name, block), weeks, paths, 0.0) if cv else 0.0
        outside[x] = np.maximum(0.0, usual * (1 + cv * noise))
    return outside


def _noise(seed: int, name: tuple[str | int, ...], weeks: int, paths: int, correlation: float) -> F:
    """Standard normal, AR(1) along the weeks: float64[T, n]."""
    noise = stream(seed, "supply", *name).standard_normal((weeks, paths))
    if correlation:
        fresh = np.sqrt(1 - correlation**2)
        for t in range(1, weeks):
            noise[t] = correlation * noise[t - 1] + fresh * noise[t]
    return noise
