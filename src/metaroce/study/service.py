"""Link 3, for the reader: latencies, shares and use of the service at the count that was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaroce.kit.units import NS_PER_S
from metaroce.study.capacity import METRICS, QUANTILES, Judged, pooled
from metaroce.study.measured import Measured
from metaroce.study.rounds import Settled

CDF_POINTS = 101


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """The service on `replicas` replicas (the largest count tried, when none meets the objectives).

    quantiles  (metric, quantile) -> seconds
    judged     the objectives
    shares     part of e2e time -> share, over all requests
    cdf        metric -> seconds at 0, 1, .. 100 % of the requests
    """

    replicas: int
    gpus: int
    quantiles: dict[tuple[str, float], Measured]
    judged: tuple[Judged, ...]
    shares: dict[str, Measured]
    availability: Measured
    busy: Measured
    kv_peak: Measured
    preempted: Measured
    requests: int
    tokens_per_s: Measured
    gpu_seconds: Measured
    cdf: dict[str, tuple[float, ...]]


def figures_of(settled: Settled) -> ServiceFigures:
    """Figures over all seeds at the count that was found."""
    replicas = settled.need.replicas or settled.need.curve[-1].replicas
    runs = settled.bench.runs(replicas)
    quantiles = {
        (metric, q): Measured.over_seeds(
            [run.quantile_ns(metric, q) / NS_PER_S for run in runs], "s", value=pooled(runs, metric, q) / NS_PER_S
        )
        for metric in METRICS
        for q in QUANTILES
    }
    parts = [run.shares() for run in runs]
    shares = {part: Measured.over_seeds([one[part] for one in parts]) for part in parts[0]}
    return ServiceFigures(
        replicas, replicas * settled.hardware.gpus, quantiles, settled.bench.point(replicas).judged, shares,
        Measured.over_seeds([run.availability for run in runs]),
        Measured.over_seeds([run.busy_share for run in runs]),
        Measured.over_seeds([run.kv_peak_share for run in runs]),
        Measured.over_seeds([float(np.count_nonzero(run.preemptions)) for run in runs], "requests"),
        sum(len(run) for run in runs),
        Measured.over_seeds([run.output_tokens_per_s for run in runs], "tokens/s"),
        Measured.over_seeds([run.gpu_seconds_per_request for run in runs], "s"),
        {metric: _cdf(settled, replicas, metric) for metric in METRICS},
    )  # fmt: skip


def _cdf(settled: Settled, replicas: int, metric: str) -> tuple[float, ...]:
    values = np.sort(np.concatenate([run.latencies(metric) for run in settled.bench.runs(replicas)]))
    values = values[np.isfinite(values)]
    if not len(values):
        return ()
    return tuple((np.quantile(values, np.linspace(0, 1, CDF_POINTS)) / NS_PER_S).tolist())
