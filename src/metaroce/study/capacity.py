"""Links 3 and 4: the service on n replicas, and the smallest n that keeps its promises, found by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from metaroce.kit.progress import Progress, silent
from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import peak_window
from metaroce.model.service import Service, Slo
from metaroce.serving.api import simulate, unloaded
from metaroce.serving.network import NetworkTimes
from metaroce.serving.result import ServiceResult, quantile_of
from metaroce.serving.roofline import StepModel, step_model
from metaroce.serving.slo import availability_verdict, verdict
from metaroce.study.measured import Measured
from metaroce.study.search import smallest

QUANTILES = (0.5, 0.95, 0.99)
PEAK_NS = 12 * NS_PER_S
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
                unloaded(table, self.service, network=self.network, seed=seed, model=self.model)
                for table, seed in zip(self.tables, self.seeds, strict=True)
            ]
        return self._lone

    def point(self, replicas: int) -> Point:
        """Judge one count by all seeds together."""
        runs = self.runs(replicas)
        judged = judge(self.service.slos, runs, self.floor())
        answered = availability_verdict(runs, self.service.availability)
        return Point(replicas, answered.met and all(one.met for one in judged), judged, answered.value)

    def seed_meets(self, replicas: int, position: int) -> bool:
        """Whether one seed alone would be content."""
        run = self.run(replicas, position)
        promises = (run.quantile_ns(slo.metric, slo.quantile) <= slo.limit for slo in self.service.slos)
        return all(promises) and run.availability >= self.service.availability


def judge(slos: Sequence[Slo], runs: Sequence[ServiceResult], floor: Sequence[ServiceResult]) -> tuple[Judged, ...]:
    """The objectives by the pooled requests of all seeds; intervals over the seeds' own quantiles."""
    return tuple(
        Judged(one.slo, Measured(one.value, one.low, one.high, "ns"), one.met,
               pooled(floor, one.slo.metric, one.slo.quantile))
        for one in verdict(runs, slos)
    )  # fmt: skip


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

    floor = judge(bench.service.slos, bench.floor(), bench.floor())
    if not all(one.met for one in floor):
        return Need(None, (), (bench.point(max(start, bench.fewest)),), floor)
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


def busy_seconds(service: Service, table: RequestTable, model: StepModel) -> float:
    """Seconds that one request keeps a well filled replica busy: its prefill, and its share of full decode steps."""
    tokens_in, tokens_out = float(table.input_tokens.mean()), float(table.output_tokens.mean())
    most = len(model.base_ps) - 1
    batch, chunk = max(1, min(service.max_batch, most) // 4), max(1, min(int(tokens_in), most))
    decode = tokens_out * model.decode_ns(batch, tokens_in + tokens_out / 2) / batch
    return (model.prefill_ns(chunk) * tokens_in / chunk + decode) / NS_PER_S


def first_guess(service: Service, tables: Sequence[RequestTable], model: StepModel) -> int:
    """Replicas that the busiest 12 s would keep four fifths busy: a start for the search, not an answer."""
    table = peak_window(tables[0], PEAK_NS)
    width = max(1.0, min(PEAK_NS, tables[0].duration_ns) / NS_PER_S)
    return max(1, math.ceil(len(table) / width * busy_seconds(service, tables[0], model) / 0.8))
