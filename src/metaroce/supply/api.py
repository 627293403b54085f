"""Simulate orders and deliveries along a supply chain.

    from metaroce.model.supply import Pulse, SupplyChain
    from metaroce.supply.api import run

    result = run(SupplyChain(), Pulse(extra=40, week=8), seed=1)
    result.tiers        # amplification and service per tier
    result.deliveries   # what the customer gets, by week

`run` keeps every path and gives bands; `amplification` streams over any number of paths in constant memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.progress import Progress, silent
from metaroce.model.supply import Pulse, SupplyChain
from metaroce.supply import columns, measures
from metaroce.supply.demand import demand_by_week, draw, is_random, ordinary_demand, pulse
from metaroce.supply.plan import Plan, make_plan
from metaroce.supply.result import Amplification, SupplyResult, Traces

__all__ = ["amplification", "ordinary_demand", "pulse", "run"]

F = NDArray[np.float64]
Demand = Pulse | Sequence[float] | F

BLOCK = (
    1000  # paths per kernel call: the state stays in the second-level cache; no power of two, whose rows collide in it
)


def run(
    chain: SupplyChain, demand: Demand, *, paths: int = 200, seed: int = 0, warmup_weeks: int = 0,
    keep_traces: bool = False, progress: Progress = silent,
) -> SupplyResult:  # fmt: skip
    """Simulate the chain and return means and bands by tier and week.

    demand        a Pulse on top of chain.base_demand; or units per week, which set the horizon; or float64[T, N],
                  one column per path, used as it is
    paths         number of random paths; 1 is used when nothing is random, N when demand has N columns
    warmup_weeks  weeks left out of the table of tiers (not of the others)
    Memory: 88 bytes x weeks x tiers x paths. Raises InputError.
    """
    wanted = demand_by_week(chain, demand)
    weeks, paths = wanted.shape[0], _path_count(chain, wanted, paths)
    plan = _checked_plan(chain, weeks, warmup_weeks)
    tiers = len(chain.tiers)
    trace, delivered = np.zeros((weeks, tiers, len(columns.TRACE_NAMES), paths)), np.zeros((weeks, paths))
    moments, totals = np.zeros((tiers + 1, columns.MOMENTS, paths)), np.zeros((weeks, tiers, len(columns.TRACE_NAMES)))
    ordered = np.zeros((weeks, paths))
    for at, outside in _blocks(chain, wanted, paths, seed, progress):
        _simulate(plan, outside, warmup_weeks, at, trace, delivered, moments, totals)
        ordered[:, at : at + outside.shape[2]] = outside[0]
    delivered /= plan.bills.bill[:, :1]
    names = tuple(tier.name for tier in chain.tiers)
    planned = wanted if wanted.ndim == 1 else wanted.mean(axis=1)
    return SupplyResult(
        tiers=measures.tier_table(names, plan, moments, weeks - warmup_weeks),
        weekly=measures.band_table(names, columns.TRACE_NAMES, trace),
        deliveries=measures.delivery_table(ordered, delivered),
        demand=ordered, extra=np.maximum(0.0, planned - chain.base_demand), delivered=delivered,
        traces=Traces(names, trace) if keep_traces else None,
    )  # fmt: skip


def amplification(
    chain: SupplyChain,
    demand: Demand,
    *,
    paths: int = 10_000,
    seed: int = 0,
    warmup_weeks: int = 0,
    progress: Progress = silent,
) -> Amplification:
    """The table of tiers and weekly means of very many paths; arguments as in `run`.

    Same numbers as `run` for the same seed and paths. Memory does not grow with weeks x paths. Raises InputError.
    """
    wanted = demand_by_week(chain, demand)
    weeks, paths = wanted.shape[0], _path_count(chain, wanted, paths)
    plan = _checked_plan(chain, weeks, warmup_weeks)
    tiers, width = len(chain.tiers), min(paths, BLOCK)
    trace, delivered = np.zeros((1, tiers, len(columns.TRACE_NAMES), width)), np.zeros((1, width))
    totals = np.zeros((weeks, tiers, len(columns.TRACE_NAMES)))
    moments = np.zeros((tiers + 1, columns.MOMENTS, paths))
    for at, outside in _blocks(chain, wanted, paths, seed, progress):
        count = outside.shape[2]
        part = np.zeros((tiers + 1, columns.MOMENTS, count))
        _simulate(plan, outside, warmup_weeks, 0, trace, delivered, part, totals)
        moments[:, :, at : at + count] = part
    names = tuple(tier.name for tier in chain.tiers)
    return Amplification(
        tiers=measures.tier_table(names, plan, moments, weeks - warmup_weeks),
        weekly=measures.mean_table(names, columns.TRACE_NAMES, totals / paths), paths=paths,
    )  # fmt: skip


def _simulate(*arguments: object) -> None:
    from metaroce.supply._kernel import simulate

    simulate(*arguments)


def _blocks(chain: SupplyChain, wanted: F, paths: int, seed: int, progress: Progress) -> Iterator[tuple[int, F]]:
    """(place of the first path, orders of the outside customers) block after block."""
    for block, at in enumerate(range(0, paths, BLOCK)):
        progress("supply chain", at / paths)
        count = min(BLOCK, paths - at)
        mine = wanted if wanted.ndim == 1 else wanted[:, at : at + count]
        yield at, draw(chain, mine, block, count, seed)
    progress("supply chain", 1.0)


def _path_count(chain: SupplyChain, wanted: F, paths: int) -> int:
    if wanted.ndim == 2:
        return wanted.shape[1]
    if paths < 1:
        raise InputError(f"{paths} paths were asked for", hint="ask for at least one")
    return paths if is_random(chain) else 1


def _checked_plan(chain: SupplyChain, weeks: int, warmup_weeks: int) -> Plan:
    if not 0 <= warmup_weeks < weeks:
        raise InputError(f"a warm-up of {warmup_weeks} weeks leaves nothing of {weeks}", hint="simulate longer")
    return make_plan(chain, weeks)
