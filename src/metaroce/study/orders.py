"""Link 6: the bill as a demand pulse into the supply chains, and what is there when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metaroce.model.scenario import Scenario
from metaroce.model.supply import Pulse, SupplyChain
from metaroce.serving.hardware import Hardware
from metaroce.study.hardware import HardwareOrder
from metaroce.study.measured import Measured
from metaroce.supply.api import run
from metaroce.supply.result import SupplyResult

BAND = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Product:
    """One product of the bill on its way through its chain.

    units      ordered
    orders     tier, week, mean, p10, p90 of the orders, units of the tier
    tiers      amplification, peak, backlog, fill rate per tier (see supply.measures.tier_table)
    """

    name: str
    units: int
    orders: pl.DataFrame
    tiers: pl.DataFrame


@dataclass(frozen=True, slots=True)
class OrdersResult:
    """Orders and deliveries. Weeks count from the order.

    need_gpus      GPUs that the objectives need from `wanted_week` on
    ready          week, p10, p50, p90: GPUs that can be switched on (servers and switches are both there)
    complete_week  when the needed GPUs are all there, P10-P50-P90; None where the horizon ends before
    gap_gpu_weeks  between need and what is ready; mean, P10 and P90
    """

    products: tuple[Product, ...]
    need_gpus: int
    wanted_week: int
    ready: pl.DataFrame
    complete_week: tuple[int | None, int | None, int | None]
    gap_gpu_weeks: Measured


def place_orders(scenario: Scenario, order: HardwareOrder, hardware: Hardware) -> OrdersResult:
    """Send servers and switches of the bill through their chains, with common random markets."""
    spec = scenario.orders
    amounts = {"servers": order.bill.servers, "switches": order.bill.quantity("switch")}
    chains: Mapping[str, SupplyChain] = {"servers": spec.servers, "switches": spec.switches}
    wanted = {name: units for name, units in amounts.items() if units}
    runs = {name: _run(scenario, chains[name], units) for name, units in wanted.items()}
    quiet = {name: _run(scenario, chains[name], 0) for name in wanted}
    shares = [delivered_on_top(runs[name], quiet[name])[spec.order_week :] / units for name, units in wanted.items()]
    weeks = min(len(share) for share in shares)
    together = np.minimum.reduce([_widened(share[:weeks], max(s.shape[1] for s in shares)) for share in shares])
    each, need = hardware.server.gpus, order.reserved.needed * hardware.server.gpus
    ready = np.floor(together * order.bill.servers + 1e-9) * each
    missing = np.maximum(0.0, need - ready)
    missing[: spec.wanted_in_weeks] = 0.0
    gap = missing.sum(axis=0)
    low, _, high = np.quantile(gap, BAND)
    products = tuple(_product(name, amounts[name], result) for name, result in runs.items())
    return OrdersResult(
        products, need, spec.wanted_in_weeks, _bands(ready), _complete(ready, need),
        Measured(float(gap.mean()), float(min(low, gap.mean())), float(max(high, gap.mean())), "GPU-weeks"),
    )  # fmt: skip


def _run(scenario: Scenario, chain: SupplyChain, units: int) -> SupplyResult:
    """The chain with our order, or with 0 units without it, in the same markets."""
    spec = scenario.orders
    pulse = Pulse(extra=units, week=spec.order_week, weeks=spec.spread_weeks)
    return run(chain, pulse, paths=spec.paths, seed=scenario.seed)


def delivered_on_top(ordered: SupplyResult, quiet: SupplyResult) -> NDArray[np.float64]:
    """float64[T, N] units that have arrived because of the order: deliveries with it less those without.

    A chain serves first come, first served, so the order would also be filled from goods that ordinary demand waits
    for; counting the difference, what is taken there is not gained here.
    """
    more = (ordered.delivered - quiet.delivered).cumsum(axis=0)
    return np.maximum.accumulate(np.clip(more, 0.0, ordered.extra.sum()), axis=0)


def _widened(share: NDArray[np.float64], paths: int) -> NDArray[np.float64]:
    """A chain without randomness has one path; it goes with every path of the other."""
    return np.broadcast_to(share, (len(share), paths)) if share.shape[1] == 1 else share


def _bands(ready: NDArray[np.float64]) -> pl.DataFrame:
    low, middle, high = np.quantile(ready, BAND, axis=1)
    return pl.DataFrame({"week": np.arange(len(ready)), "p10": low, "p50": middle, "p90": high})


def _complete(ready: NDArray[np.float64], need: int) -> tuple[int | None, int | None, int | None]:
    there = ready >= need
    first = np.where(there.any(axis=0), there.argmax(axis=0), len(ready))
    weeks = [int(np.quantile(first, q, method="higher")) for q in BAND]
    low, middle, high = (None if week >= len(ready) else week for week in weeks)
    return low, middle, high


def _product(name: str, units: int, result: SupplyResult) -> Product:
    orders = result.weekly.filter(pl.col("quantity") == "order").drop("quantity")
    return Product(name, units, orders, result.tiers)
