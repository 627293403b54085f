"""What else the capacity question asks: de-phased requests, part load, another network, the plain formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaroce.kit.progress import Progress, silent
from metaroce.kit.rng import stream
from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import dephase
from metaroce.model.scenario import Scenario
from metaroce.serving.draws import draw_lognormal_ns
from metaroce.serving.formula import PlainCount, plain_count
from metaroce.serving.network import NetworkTimes, make_network_times
from metaroce.study.capacity import Bench, Need, busy_seconds, find_need
from metaroce.study.load import Load
from metaroce.study.measured import Measured
from metaroce.study.rounds import Settled

SHARES = (0.25, 0.5, 0.75)
SAMPLES = 4096


@dataclass(frozen=True, slots=True)
class PlainFormula:
    """The mean-rate formula with its inputs."""

    requests_per_day: float
    gpu_seconds: float
    useful_hours: float
    peak_factor: float
    count: PlainCount

    @property
    def text(self) -> str:
        """The arithmetic in one line."""
        return (
            f"{self.requests_per_day:,.0f} requests a day x {self.gpu_seconds:.3g} GPU-s = "
            f"{self.count.gpu_hours:,.0f} GPU-hours / {self.useful_hours:g} h = {self.count.mean:,} GPUs x "
            f"{self.peak_factor:g} = {self.count.planned:,}"
        )


@dataclass(frozen=True, slots=True)
class OtherNeed:
    """The answer of the search under one other condition; replicas None = no count meets the objectives.

    at_ours_ns  value of the first objective on the base run's count, ns
    """

    what: str
    replicas: int | None
    gpus: int | None
    at_ours_ns: float


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Beside the answer.

    formula   the plain formula on the scenario's own load, and as its inputs say
    dephased  requests spread over `capacity.dephase`, None = not asked
    network   the alternative network, None = not asked
    by_share  GPUs needed at a share of the load: (share, GPUs), ascending, ends with (1, answer)
    by_hour   GPUs of each hour of a working day
    """

    formula: PlainFormula
    dephased: OtherNeed | None
    network: OtherNeed | None
    by_share: tuple[tuple[float, int], ...]
    by_hour: tuple[float, ...]


def explore(
    scenario: Scenario, load: Load, settled: Settled, seeds: Sequence[int], *, progress: Progress = silent
) -> Alternatives:
    """Ask the side questions of a settled study. Needs a count."""
    replicas = settled.need.replicas
    assert replicas is not None
    each = settled.hardware.gpus

    def other(
        what: str, tables: Sequence[RequestTable], start: int, times: NetworkTimes = settled.network.times
    ) -> OtherNeed:
        bench = Bench(tables, seeds, scenario.service, times)
        limit = scenario.capacity.max_replicas
        found = find_need(bench, start=start, limit=limit, each_seed=False, progress=progress).replicas
        judged = bench.point(replicas).judged
        at_ours = judged[0].value.value if judged else math.nan
        return OtherNeed(what, found, None if found is None else found * each, at_ours)

    spread = scenario.capacity.dephase
    dephased = network = None
    if spread:
        tables = [dephase(table, spread, seed) for table, seed in zip(load.busiest, seeds, strict=True)]
        dephased = other(
            f"requests wait up to {spread / NS_PER_S:g} s, not counted in TTFT", tables, max(1, replicas // 3)
        )
    if (alternative := scenario.capacity.alternative) is not None:
        samples = draw_lognormal_ns(alternative.request, SAMPLES, scenario.seed, "alternative network")
        times = make_network_times(samples, source=alternative.name)
        network = other(alternative.name, load.busiest, replicas, times)
    by_share = [(0.0, 0)]
    for share in SHARES:
        tables = [thin(table, share, seed) for table, seed in zip(load.busiest, seeds, strict=True)]
        found = other(f"{share:.0%} of the load", tables, max(1, math.ceil(share * replicas))).gpus
        by_share.append((share, max(by_share[-1][1], replicas * each if found is None else found)))
    by_share.append((1.0, max(by_share[-1][1], replicas * each)))
    hours = np.interp(scenario.capacity.day_share_of_peak, *zip(*by_share, strict=True))
    return Alternatives(
        plain_formula(scenario, load, settled), dephased, network, tuple(by_share[1:]), tuple(hours.tolist())
    )


def plain_formula(scenario: Scenario, load: Load, settled: Settled) -> PlainFormula:
    """requests/day x GPU-seconds / useful hours, rounded up, times the peak factor, rounded up (mission, section 5)."""
    spec = scenario.capacity.formula
    hours = scenario.capacity.day_share_of_peak
    per_day = spec.requests_per_day or load.profile.rps * 86_400 * sum(hours) / len(hours)
    seconds = spec.gpu_seconds or settled.hardware.gpus * busy_seconds(
        scenario.service, load.busiest[0], settled.bench.model
    )
    count = plain_count(
        requests_per_day=per_day, gpu_seconds=seconds, useful_hours=spec.useful_hours, peak_factor=spec.peak_factor
    )
    return PlainFormula(per_day, seconds, spec.useful_hours, spec.peak_factor, count)


def thin(table: RequestTable, share: float, seed: int) -> RequestTable:
    """Each request kept with this probability; a smaller share keeps a part of what a larger one keeps."""
    kept = stream(seed, "thin").random(len(table)) < share
    return RequestTable(table.arrival_ns[kept], table.input_tokens[kept], table.output_tokens[kept], table.source)


def gpus_of(need: Need, gpus_per_replica: int) -> Measured:
    """The answer in GPUs."""
    count = need.interval
    return Measured(count.value * gpus_per_replica, count.low * gpus_per_replica, count.high * gpus_per_replica, "GPUs")
