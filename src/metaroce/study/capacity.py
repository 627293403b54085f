"""Links 3 and 4: the service on n replicas, and the smallest n that keeps its promises, found by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from metaroce.kit.progress import Progress, silent
from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import RequestTable
from metaroce.model.scenario import Scenario
from metaroce.model.service import Service, Slo
from metaroce.serving.api import simulate, unloaded
from metaroce.serving.network import NetworkTimes
from metaroce.serving.result import ServiceResult, quantile_of
from metaroce.serving.roofline import StepModel, step_model
from metaroce.study.measured import Measured
from metaroce.study.search import smallest

QUANTILES = (0.5, 0.95, 0.99)
METRICS = ("ttft", "tpot", "e2e", "network")


@dataclass(frozen=True, slots=True)
class Judged:
    """One objective against what was simulated; ns.

    floor_ns  the same quantile with every request alone on a replica: no count beats it
    """

    slo: Slo
    value: Measured
    met: bool
    floor_ns: float

    @property
    def name(self) -> str:
        """`TTFT P95`."""
        return f"{self.slo.metric.upper()} P{self.slo.quantile * 100:g}"


@dataclass(frozen=True, slots=True)
class Point:
    """One count that was tried."""

    replicas: int
    met: bool
    judged: tuple[Judged, ...]
    availability: float


@dataclass(frozen=True, slots=True)
class Need:
    """The answer of the search.

    replicas  smallest count that keeps every promise, None when none does
    per_seed  the count each seed alone would ask for
    curve     all counts that were tried, ascending
    """

    replicas: int | None
    per_seed: tuple[int, ...]
    curve: tuple[Point, ...]
    floor: tuple[Judged, ...]

    @property
    def interval(self) -> Measured:
        """The count, with the smallest and largest that a seed asked for."""
        if self.replicas is None:
            return Measured(math.inf, math.inf, math.inf, "replicas")
        return Measured.extent(self.per_seed, "replicas", value=self.replicas)


@dataclass(slots=True)
class Bench:
    """The service with everything fixed but the number of replicas; remembers what was tried."""

    tables: Sequence[RequestTable]
    seeds: Sequence[int]
    service: Service
    network: NetworkTimes
    model: StepModel = field(init=False)
    _runs: dict[tuple[int, int], ServiceResult] = field(default_factory=dict, init=False)
    _lone: list[ServiceResult] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.model = step_model(self.service)

    @property
    def fewest(self) -> int:
        """One replica; two when prefill and decode are apart."""
        return 2 if self.service.kv_transfer else 1

    def run(self, replicas: int, position: int) -> ServiceResult:
        """The run of one seed (by position) on so many replicas."""
        key = (replicas, position)
        if key not in self._runs:
            self._runs[key] = simulate(
                self.tables[position], self.service, replicas=replicas, network=self.network, model=self.model,
                seed=self.seeds[position],
            )  # fmt: skip
        return self._runs[key]

    def runs(self, replicas: int) -> list[ServiceResult]:
        """The runs of all seeds."""
        return [self.run(replicas, position) for position in range(len(self.seeds))]

    def floor(self) -> list[ServiceResult]:
        """Every request alone."""
        if not self._lone:
            self._lone = [
                unloaded(table, self.service, network=self.network, seed=seed)
                for table, seed in zip(self.tables, self.seeds, strict=True)
            ]
        return self._lone

    def point(self, replicas: int) -> Point:
        """Judge one count by all seeds together."""
        runs = self.runs(replicas)
        judged = tuple(judge(slo, runs, self.floor()) for slo in self.service.slos)
        availability = sum(float(run.served[run.measured].sum()) for run in runs) / sum(
            float(run.measured.sum()) for run in runs
        )
        met = all(one.met for one in judged) and availability >= self.service.availability
        return Point(replicas, met, judged, availability)

    def seed_meets(self, replicas: int, position: int) -> bool:
        """Whether one seed alone would be content."""
        run = self.run(replicas, position)
        promises = (run.quantile_ns(slo.metric, slo.quantile) <= slo.limit for slo in self.service.slos)
        return all(promises) and run.availability >= self.service.availability


def judge(slo: Slo, runs: Sequence[ServiceResult], floor: Sequence[ServiceResult]) -> Judged:
    """One objective by the pooled requests of all seeds; interval over the seeds' own quantiles."""
    value = Measured.over_seeds(
        [run.quantile_ns(slo.metric, slo.quantile) for run in runs], "ns", value=pooled(runs, slo.metric, slo.quantile)
    )
    return Judged(slo, value, value.value <= slo.limit, pooled(floor, slo.metric, slo.quantile))


def pooled(runs: Sequence[ServiceResult], metric: str, quantile: float) -> float:
    """Quantile of all seeds' requests together, ns."""
    return quantile_of(np.sort(np.concatenate([run.latencies(metric) for run in runs])), quantile)


def find_need(bench: Bench, *, start: int, limit: int, each_seed: bool = True, progress: Progress = silent) -> Need:
    """Smallest count that keeps every promise, by all seeds together and (for the interval) by each alone.

    When even `limit` fails, or a floor lies above its limit, there is none.
    """
    tried: dict[int, Point] = {}

    def passes(replicas: int) -> bool:
        if replicas < bench.fewest:
            return False
        progress(f"searching the GPU count: {replicas} replicas", None)
        tried[replicas] = bench.point(replicas)
        return tried[replicas].met

    floor = tuple(judge(slo, bench.floor(), bench.floor()) for slo in bench.service.slos)
    if not all(one.met for one in floor):
        bench_point = bench.point(max(start, bench.fewest))
        return Need(None, (), (bench_point,), floor)
    found = smallest(passes, start=max(start, bench.fewest), limit=limit)
    per_seed: tuple[int, ...] = ()
    if found is not None and each_seed:
        per_seed = tuple(_seed_need(bench, position, found, limit) for position in range(len(bench.seeds)))
    return Need(found, per_seed, tuple(tried[n] for n in sorted(tried)), floor)


def _seed_need(bench: Bench, position: int, start: int, limit: int) -> int:
    """A seed that nothing contents asks for the limit."""
    found = smallest(
        lambda n: n >= bench.fewest and bench.seed_meets(n, position), start=start, limit=limit
    )  # fmt: skip
    return limit if found is None else found


def first_guess(scenario: Scenario, tables: Sequence[RequestTable], model: StepModel) -> int:
    """Replicas that the busiest 12 s would keep four fifths busy: a start for the search, not an answer."""
    from metaroce.loads.windows import peak_window

    table = peak_window(tables[0], 12 * NS_PER_S)
    width = 12 if tables[0].duration_ns > 12 * NS_PER_S else max(1.0, tables[0].duration_ns / NS_PER_S)
    tokens_in, tokens_out = float(table.input_tokens.mean()), float(table.output_tokens.mean())
    batch = max(1, min(scenario.service.max_batch, len(model.base_ps) - 1) // 4)
    chunk = max(1, min(int(tokens_in), len(model.base_ps) - 1))
    per_request = model.prefill_ns(chunk) * tokens_in / chunk
    per_request += tokens_out * model.decode_ns(batch, tokens_in + tokens_out / 2) / batch
    return max(1, math.ceil(len(table) / width * per_request / NS_PER_S / 0.8))
