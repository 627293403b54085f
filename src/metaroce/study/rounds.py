"""Links 2 to 4 in a circle: the GPU count decides the fabric, the fabric the network times, these the GPU count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaroce.kit.progress import Progress, silent
from metaroce.kit.units import format_ns
from metaroce.model.scenario import Scenario
from metaroce.serving.floor import floor
from metaroce.serving.hardware import Hardware, find_hardware
from metaroce.serving.network import NO_NETWORK, NetworkTimes
from metaroce.study.capacity import Bench, Judged, Need, find_need, first_guess
from metaroce.study.executor import Executor
from metaroce.study.hardware import check_ports, plan_servers, servers_of
from metaroce.study.load import Load
from metaroce.study.network import Network, build_fabric, simulate_network
from metaroce.study.transfers import demand_of

MOST_ROUNDS = 5


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
class Settled:
    """Where the circle came to rest.

    settled  False when the count still moved after the last round; the larger of the last two is then kept
    """

    hardware: Hardware
    rounds: tuple[Round, ...]
    network: Network
    need: Need
    bench: Bench
    settled: bool

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


def _largest_part(bench: Bench, judged: Judged) -> str:
    """What makes the floor: the largest part of the slowest requests' time."""
    floors = floor(bench.tables[0], bench.service, network=bench.network, seed=bench.seeds[0])
    found = next(one for one in floors if (one.metric, one.quantile) == (judged.slo.metric, judged.slo.quantile))
    return f"{found.reason} ({found.share:.0%} of it)"


def settle(
    scenario: Scenario, load: Load, seeds: Sequence[int], *, executor: Executor, progress: Progress = silent,
    start: int | None = None, each_seed: bool = True,
) -> Settled:  # fmt: skip
    """Turn the circle until the count repeats, five times at most."""
    hardware = find_hardware(scenario.service)
    check_ports(scenario, hardware)
    limit = scenario.capacity.max_replicas
    bench = Bench(load.busiest, seeds, scenario.service, NO_NETWORK)
    guess = first_guess(scenario.service, load.busiest, bench.model) if start is None else start
    need = find_need(bench, start=guess, limit=limit, each_seed=False, progress=progress)
    network = _idle(scenario, hardware, need.replicas or guess)
    rounds: list[Round] = []
    while len(rounds) < MOST_ROUNDS and need.replicas is not None:
        before = need.replicas
        network = _network(scenario, hardware, load, seeds, bench, before, executor, progress)
        bench = Bench(load.busiest, seeds, scenario.service, network.times)
        need = find_need(bench, start=before, limit=limit, each_seed=each_seed, progress=progress)
        p99 = network.request_us[99] if network.request_us else 0.0
        rounds.append(Round(len(rounds) + 1, network.servers, p99, need.replicas))
        if need.replicas == before or network.idle:
            break
    return Settled(hardware, tuple(rounds), network, need, bench, not rounds or rounds[-1].replicas == before)


def with_times(
    scenario: Scenario, load: Load, seeds: Sequence[int], times: NetworkTimes, *, start: int, each_seed: bool = False
) -> tuple[Bench, Need]:
    """The search alone, on given network times."""
    bench = Bench(load.busiest, seeds, scenario.service, times)
    return bench, find_need(bench, start=start, limit=scenario.capacity.max_replicas, each_seed=each_seed)


def _network(
    scenario: Scenario, hardware: Hardware, load: Load, seeds: Sequence[int], bench: Bench, replicas: int,
    executor: Executor, progress: Progress,
) -> Network:  # fmt: skip
    serving = servers_of(replicas, hardware)
    fabric = build_fabric(scenario, plan_servers(scenario, hardware, replicas).ordered)
    busy = bench.run(replicas, 0)
    tokens_per_step = float(busy.compute_ns[busy.served].sum()) / max(1, busy.span_ns) / replicas
    demand = demand_of(scenario, hardware, serving, tokens_per_step)
    return simulate_network(scenario, fabric, load.tables, seeds, demand, executor=executor, progress=progress)


def _idle(scenario: Scenario, hardware: Hardware, replicas: int) -> Network:
    servers = servers_of(replicas, hardware)
    return Network(
        servers, servers * hardware.server.nics, 0, NO_NETWORK, (), (), "not simulated: no count meets the objectives"
    )
