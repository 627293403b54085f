"""Whether a service keeps its promises: the quantile of each objective, how sure it is, and how far from the limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from metaroce.kit.errors import InputError
from metaroce.model.service import Slo
from metaroce.serving.result import ServiceResult, quantile_of

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class SloVerdict:
    """One objective, judged. Times in ns; inf where too many requests were not served.

    value      the quantile over all measured requests of all runs together
    low, high  95 % confidence interval of the value; nan when there is nothing to judge
    met        value <= limit (an objective without requests is met)
    certain    the whole interval lies on the same side of the limit
    margin     (limit - value) / limit: 0.2 = 20 % below the limit
    requests   how many were judged
    """

    slo: Slo
    value: float
    limit: int
    low: float
    high: float
    met: bool
    certain: bool
    margin: float
    requests: int


@dataclass(frozen=True, slots=True)
class AvailabilityVerdict:
    """The share of requests answered, against its target."""

    value: float
    target: float
    met: bool
    requests: int


def verdict(results: ServiceResult | Sequence[ServiceResult], slos: Sequence[Slo]) -> list[SloVerdict]:
    """Judge every objective on one run, or on several with different seeds.

    Requests that were rejected or not finished count as slower than any limit. The interval comes from the spread of
    the runs' own quantiles (Student's t); with a single run from order statistics, which takes requests as
    independent and is therefore too narrow under queueing: use several seeds to decide.
    """
    runs = [results] if isinstance(results, ServiceResult) else list(results)
    if not runs:
        raise InputError("no results to judge", hint="give at least one run")
    return [_judge(runs, slo) for slo in slos]


def availability_verdict(
    results: ServiceResult | Sequence[ServiceResult], target: float
) -> AvailabilityVerdict:  # fmt: skip
    """The share of all measured requests that were answered in full, against the target."""
    runs = [results] if isinstance(results, ServiceResult) else list(results)
    asked = sum(int(run.measured.sum()) for run in runs)
    answered = sum(int((run.served & run.measured).sum()) for run in runs)
    value = answered / asked if asked else 1.0
    return AvailabilityVerdict(value, target, value >= target, asked)


def _judge(runs: list[ServiceResult], slo: Slo) -> SloVerdict:
    each = [run.latencies(slo.metric) for run in runs]
    pooled = np.sort(np.concatenate(each))
    if not len(pooled):
        return SloVerdict(slo, math.nan, slo.limit, math.nan, math.nan, True, False, math.nan, 0)
    value = quantile_of(pooled, slo.quantile)
    alone = [quantile_of(values, slo.quantile) for values in each if len(values)]
    low, high = _spread(value, alone) if len(alone) > 1 else _order_statistics(pooled, slo.quantile)
    met = value <= slo.limit
    certain = high <= slo.limit if met else low > slo.limit
    margin = (slo.limit - value) / slo.limit if slo.limit else (0.0 if value == 0 else -math.inf)
    return SloVerdict(slo, value, slo.limit, low, high, met, certain, margin, len(pooled))


def _spread(value: float, alone: list[float]) -> tuple[float, float]:
    """value -+ t sd / sqrt(runs); open upwards when a run could not serve enough."""
    if not all(map(math.isfinite, (*alone, value))):
        return min(*alone, value), math.inf
    reach = float(stats.t.ppf(0.5 + _CONFIDENCE / 2, len(alone) - 1)) * float(np.std(alone, ddof=1)) / len(alone) ** 0.5
    return max(value - reach, 0.0), value + reach


def _order_statistics(ordered: np.ndarray, quantile: float) -> tuple[float, float]:
    """Ranks between which the quantile lies with 95 %: the number of values below it is binomial (Conover, ch. 3)."""
    n = len(ordered)
    low, high = stats.binom.ppf([0.5 - _CONFIDENCE / 2, 0.5 + _CONFIDENCE / 2], n, quantile)
    above = float(ordered[int(high)]) if high < n else math.inf  # beyond the largest value seen
    return float(ordered[max(int(low) - 1, 0)]), above
