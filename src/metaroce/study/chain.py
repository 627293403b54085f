"""The chain, link by link: requests, fabric, service, capacity, bill, orders, money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metaroce.kit.progress import Progress, silent
from metaroce.model.scenario import Scenario
from metaroce.study.alternatives import Alternatives, explore, gpus_of
from metaroce.study.executor import Executor
from metaroce.study.hardware import HardwareOrder, plan_order
from metaroce.study.load import Load, load_requests
from metaroce.study.measured import Measured
from metaroce.study.money import Avoided, MoneyResult, count_money, owned_gpus
from metaroce.study.orders import OrdersResult, place_orders
from metaroce.study.rounds import Settled, settle
from metaroce.study.service import ServiceFigures, figures_of


@dataclass(frozen=True, slots=True)
class Chain:
    """All links of one scenario. The links after the capacity search are None when no count meets the objectives."""

    scenario: Scenario
    seeds: tuple[int, ...]
    load: Load
    settled: Settled
    service: ServiceFigures
    alternatives: Alternatives | None
    order: HardwareOrder | None
    orders: OrdersResult | None
    money: MoneyResult | None

    @property
    def is_feasible(self) -> bool:
        """Whether some count keeps every promise."""
        return self.settled.need.replicas is not None

    @property
    def gpus(self) -> Measured:
        """GPUs that the objectives need."""
        return gpus_of(self.settled.need, self.settled.hardware.gpus)


def seeds_of(scenario: Scenario) -> tuple[int, ...]:
    """The seeds of a scenario, in order."""
    return tuple(range(scenario.seed, scenario.seed + scenario.seeds))


def run_chain(
    scenario: Scenario, folder: Path, *, executor: Executor, strict: bool = False, progress: Progress = silent,
    load: Load | None = None,
) -> Chain:  # fmt: skip
    """Compute every link from the one before.

    folder  where relative paths of the scenario start
    load    the requests, when they are already there
    """
    seeds = seeds_of(scenario)
    progress("requests", None)
    load = load or load_requests(scenario, folder, seeds, strict=strict, progress=progress)
    settled = settle(scenario, load, seeds, executor=executor, progress=progress)
    service = figures_of(settled)
    if settled.need.replicas is None:
        return Chain(scenario, seeds, load, settled, service, None, None, None, None)
    alternatives = explore(scenario, load, settled, seeds, progress=progress)
    return finish_chain(scenario, seeds, load, settled, service, alternatives, progress=progress)


def finish_chain(
    scenario: Scenario, seeds: Sequence[int], load: Load, settled: Settled, service: ServiceFigures,
    alternatives: Alternatives, *, progress: Progress = silent,
) -> Chain:  # fmt: skip
    """The links after the capacity search: bill, orders, money."""
    replicas, hardware = settled.need.replicas, settled.hardware
    assert replicas is not None
    progress("bill of materials", None)
    order = plan_order(scenario, hardware, replicas)
    split = owned_gpus(scenario, hardware, order, alternatives.by_hour)
    if scenario.capacity.own == "base":
        order = plan_order(scenario, hardware, min(replicas, max(settled.bench.fewest, split.own // hardware.gpus)))
    progress("orders along the supply chain", None)
    orders = place_orders(scenario, order, hardware)
    progress("money", None)
    counts = settled.need.per_seed if scenario.capacity.own == "peak" else ()
    money = count_money(
        scenario, hardware, order, split, gap_gpu_weeks=orders.gap_gpu_weeks,
        avoided=_avoided(alternatives, settled), gpus_by_hour=alternatives.by_hour, seed_counts=counts,
    )  # fmt: skip
    return Chain(scenario, tuple(seeds), load, settled, service, alternatives, order, orders, money)


def _avoided(alternatives: Alternatives, settled: Settled) -> list[Avoided]:
    """GPUs that the alternative network would have needed on top."""
    network, need = alternatives.network, settled.need
    if network is None or network.gpus is None or need.replicas is None:
        return []
    each = settled.hardware.gpus
    more = Measured.exact(network.gpus - need.replicas * each, "GPUs")
    return [Avoided(f"GPUs that {network.what} would need on top", more)] if more.value > 0 else []
