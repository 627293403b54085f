"""Links 2 to 4 in a circle: the GPU count decides the fabric, the fabric the network times, these the GPU count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metaroce.kit.progress import Progress, silent
from metaroce.kit.units import format_ns
from metaroce.model.scenario import Scenario
from metaroce.model.service import Slo
from metaroce.serving.floor import floor
from metaroce.serving.hardware import Hardware, find_hardware
from metaroce.serving.network import NO_NETWORK, NetworkTimes
from metaroce.study.capacity import Bench, Judged, Need, find_need, first_guess
from metaroce.study.executor import Executor
from metaroce.study.hardware import check_ports, plan_servers, servers_of
from metaroce.study.load import Load
from metaroce.study.network import PEAK_WINDOW, WINDOWS, Network, build_fabric, simulate_network
from metaroce.study.transfers import demand_of

MOST_ROUNDS = 5
RELAXED = 1.25


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of the circle.

    servers   on the fabric that was simulated
    replicas  the count that its network times led to, None = none
    """

    number: int
    servers: int
    request_p99_us: float
    replicas: int | None


@dataclass(frozen=True, slots=True)
class Relaxed:
    """Objectives a quarter above the floors that were in the way, and the count that keeps them."""

    limits: tuple[tuple[int, Slo], ...]
    replicas: int

    def text(self, gpus_per_replica: int) -> str:
        """One sentence, with the options that would ask for it."""
        said = ", ".join(
            f"{slo.metric.upper()} P{slo.quantile * 100:g} <= {format_ns(slo.limit)}" for _, slo in self.limits
        )
        options = " ".join(f"--set service.slos.{at}.limit={slo.limit // 1_000_000}ms" for at, slo in self.limits)
        return (
            f"With {said} (a quarter above the floor) {self.replicas * gpus_per_replica} GPUs would do: {options}. A "
            "faster GPU, more GPUs a replica, a smaller model or shorter prompts lower the floor; more replicas do not."
        )


@dataclass(frozen=True, slots=True)
class Settled:
    """Where the circle came to rest.

    settled  False when the count still moved after the last round
    relaxed  when a floor lies above its limit: what would do if such limits were a quarter above their floors
    """

    hardware: Hardware
    rounds: tuple[Round, ...]
    network: Network
    need: Need
    bench: Bench
    settled: bool
    relaxed: Relaxed | None = None

    @property
    def why_not(self) -> str:
        """Why no count keeps the promises, in one sentence; "" when one does."""
        if self.need.replicas is not None:
            return ""
        for lowest in self.need.floor:
            if not lowest.met:
                return (
                    f"no count meets {lowest.name} <= {format_ns(lowest.slo.limit)}: the floor is "
                    f"{format_ns(lowest.value.value)}, every request alone on a replica, because of "
                    f"{_largest_part(self.bench, lowest)}"
                )
        best = self.need.curve[-1]
        missed = [one for one in best.judged if not one.met]
        what = "; ".join(
            f"{one.name} is {format_ns(one.value.value)}, not {format_ns(one.slo.limit)}" for one in missed
        )
        return f"no count up to {best.replicas} replicas meets the objectives: {what or 'availability is too low'}"


def _relaxed(
    scenario: Scenario, load: Load, seeds: Sequence[int], need: Need, start: int, times: NetworkTimes = NO_NETWORK
) -> Relaxed | None:
    """The count for limits that the floors allow; None when the floors are not what is missed."""
    slos = list(scenario.service.slos)
    raised: list[tuple[int, Slo]] = []
    for position, lowest in enumerate(need.floor):
        if not lowest.met and math.isfinite(lowest.floor_ns):
            limit = math.ceil(lowest.floor_ns * RELAXED / 1e6) * 1_000_000
            slos[position] = slos[position].model_copy(update={"limit": limit})
            raised.append((position, slos[position]))
    if not raised:
        return None
    service = scenario.service.model_copy(update={"slos": tuple(slos)})
    bench = Bench(load.busiest, seeds, service, times)
    found = find_need(bench, start=start, limit=scenario.capacity.max_replicas, each_seed=False).replicas
    return None if found is None else Relaxed(tuple(raised), found)


def _largest_part(bench: Bench, judged: Judged) -> str:
    """What makes the floor: the largest part of the slowest requests' time."""
    floors = floor(bench.tables[0], bench.service, bench.floor()[0])
    found = next(one for one in floors if (one.metric, one.quantile) == (judged.slo.metric, judged.slo.quantile))
    return f"{found.reason} ({found.share:.0%} of it)"


def settle(
    scenario: Scenario, load: Load, seeds: Sequence[int], *, executor: Executor, progress: Progress = silent,
    start: int | None = None, brief: bool = False,
) -> Settled:  # fmt: skip
    """Turn the circle until the count repeats, five times at most.

    brief  only what the next links need: the peak window, and no counts of single seeds
    """
    hardware = find_hardware(scenario.service)
    check_ports(scenario, hardware)
    limit = scenario.capacity.max_replicas
    bench = Bench(load.busiest, seeds, scenario.service, NO_NETWORK)
    guess = first_guess(scenario.service, load.busiest, bench.model) if start is None else start
    need = find_need(bench, start=guess, limit=limit, each_seed=False, progress=progress)
    if need.replicas is None:
        idle = _idle(scenario, hardware, guess)
        return Settled(hardware, (), idle, need, bench, True, _relaxed(scenario, load, seeds, need, guess))
    network = _idle(scenario, hardware, need.replicas)
    rounds: list[Round] = []
    before = need.replicas
    while len(rounds) < MOST_ROUNDS and need.replicas is not None:
        before = need.replicas
        windows = (PEAK_WINDOW,) if brief else WINDOWS
        network = _network(scenario, hardware, load, seeds, bench, before, windows, executor, progress)
        bench = Bench(load.busiest, seeds, scenario.service, network.times)
        need = find_need(bench, start=before, limit=limit, each_seed=not brief, progress=progress)
        p99 = network.request_us[99] if network.request_us else 0.0
        rounds.append(Round(len(rounds) + 1, network.servers, p99, need.replicas))
        if need.replicas == before or network.idle:
            break
    if need.replicas is None:  # the network alone lifts a floor above its limit
        relaxed = _relaxed(scenario, load, seeds, need, before, network.times)
        return Settled(hardware, tuple(rounds), network, need, bench, True, relaxed)
    return Settled(hardware, tuple(rounds), network, need, bench, need.replicas == before or bool(network.idle))


def with_times(
    scenario: Scenario, load: Load, seeds: Sequence[int], times: NetworkTimes, *, start: int
) -> tuple[Bench, Need]:
    """The search alone, on given network times."""
    bench = Bench(load.busiest, seeds, scenario.service, times)
    return bench, find_need(bench, start=start, limit=scenario.capacity.max_replicas, each_seed=False)


def _network(
    scenario: Scenario, hardware: Hardware, load: Load, seeds: Sequence[int], bench: Bench, replicas: int,
    windows: Sequence[str], executor: Executor, progress: Progress,
) -> Network:  # fmt: skip
    serving = servers_of(replicas, hardware)
    fabric = build_fabric(scenario, plan_servers(scenario, hardware, replicas).ordered)
    busy = bench.run(replicas, 0)
    tokens_per_step = float(busy.compute_ns[busy.served].sum()) / max(1, busy.span_ns) / replicas
    demand = demand_of(scenario, hardware, serving, tokens_per_step)
    return simulate_network(
        scenario, fabric, load.tables, seeds, demand, executor=executor, windows=windows, progress=progress
    )


def _idle(scenario: Scenario, hardware: Hardware, replicas: int) -> Network:
    servers = servers_of(replicas, hardware)
    return Network(
        servers, servers * hardware.server.nics, 0, NO_NETWORK, (), (), "not simulated: no count meets the objectives"
    )
