"""What a load looks like: rate, burstiness at several time scales, peaks, token counts.

The definitions are those of the published characterisation of the public traces, so that a user's own trace can be
put beside them: counts in whole bins from the table's start (a last, cut bin is left out); index of dispersion =
variance over mean of the counts; standard deviations without Bessel's correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import MINUTE

SCALES_S = (1, 10, 12, 60)
_WINDOW = 12  # seconds of a minute
_FINE = 100  # steps a second in which the minute-locked window is moved


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests per bin of `scale_s` seconds; nan where the load is shorter than a bin.

    idc   index of dispersion: variance over mean; 1 for Poisson
    cv    standard deviation over mean
    peak  fullest bin over mean
    """

    scale_s: int
    idc: float
    cv: float
    peak: float


@dataclass(frozen=True, slots=True)
class Lengths:
    """Token counts of one column."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: int
    cv: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Figures of one load; nan where it is too short to have one.

    gap_cv          coefficient of variation of the gaps between arrivals
    counts          at 1, 10, 12 and 60 s
    floating_share  mean share of a minute's requests in its busiest 12 s (whole minutes, weighted by their requests)
    floating_p95    that share in 5 % of the minutes or more
    locked_share    share of all requests in the best 12 s of a minute if all minutes are folded into one; even: 0.2
    correlation     Pearson's, input against output tokens
    """

    source: str
    n: int
    duration_s: float
    rps: float
    gap_cv: float
    counts: tuple[Counts, ...]
    floating_share: float
    floating_p95: float
    locked_share: float
    inputs: Lengths
    outputs: Lengths
    correlation: float

    def at(self, scale_s: int) -> Counts:
        """The counts of one scale. KeyError for a scale that is not in SCALES_S."""
        return {entry.scale_s: entry for entry in self.counts}[scale_s]


def profile(table: RequestTable) -> Profile:
    """Measure a load. Raises InputError for an empty one."""
    if not len(table):
        raise InputError("no requests to profile", where=table.source or None)
    arrival = table.arrival_ns  # on the table's own clock, whose minutes a locked burst follows
    floating, floating_p95 = floating_shares(arrival)
    return Profile(
        table.source,
        len(table),
        table.duration_ns / NS_PER_S,
        table.rps or float("nan"),
        gap_cv(arrival.astype(np.float64)),
        tuple(bin_counts(arrival, scale) for scale in SCALES_S),
        floating,
        floating_p95,
        locked_share(arrival),
        lengths(table.input_tokens),
        lengths(table.output_tokens),
        _correlation(table.input_tokens, table.output_tokens),
    )


def gap_cv(moments: NDArray[np.float64]) -> float:
    """Standard deviation over mean of the gaps; nan with fewer than two gaps or no time between them."""
    gaps = np.diff(moments)
    return float(gaps.std() / gaps.mean()) if len(gaps) > 1 and gaps.any() else float("nan")


def bin_counts(arrival_ns: NDArray[np.int64], scale_s: int) -> Counts:
    """Counts in whole bins; works on the occupied ones, so that years of silence cost no memory."""
    width = scale_s * NS_PER_S
    bins = int(arrival_ns[-1]) // width
    inside = arrival_ns[: int(np.searchsorted(arrival_ns, bins * width))] // width
    if not len(inside):
        return Counts(scale_s, float("nan"), float("nan"), float("nan"))
    starts = np.flatnonzero(np.concatenate([[True], inside[1:] != inside[:-1]]))
    filled = np.diff(np.concatenate([starts, [len(inside)]])).astype(np.float64)
    mean = len(inside) / bins
    variance = max(float(np.square(filled).sum()) / bins - mean**2, 0.0)
    return Counts(scale_s, variance / mean, variance**0.5 / mean, float(filled.max()) / mean)


def floating_shares(arrival_ns: NDArray[np.int64]) -> tuple[float, float]:
    """(mean weighted by requests, 95th percentile of the minutes) of the busiest 12 s, moved in steps of 1 s."""
    minutes = int(arrival_ns[-1]) // MINUTE
    inside = arrival_ns[: int(np.searchsorted(arrival_ns, minutes * MINUTE))]
    if not len(inside):
        return float("nan"), float("nan")
    minute = inside // MINUTE
    rows = np.cumsum(np.concatenate([[0], (minute[1:] != minute[:-1]).astype(np.int64)]))  # minutes with requests only
    seconds = np.bincount(rows * 60 + inside // NS_PER_S % 60, minlength=int(rows[-1] + 1) * 60).reshape(-1, 60)
    summed = np.cumsum(np.pad(seconds, ((0, 0), (1, 0))), axis=1)
    best = (summed[:, _WINDOW:] - summed[:, :-_WINDOW]).max(axis=1)
    total = seconds.sum(axis=1)
    return float(best.sum() / total.sum()), float(np.percentile(best / total, 95))


def locked_share(arrival_ns: NDArray[np.int64]) -> float:
    """Share of all requests in the best 12 s of the folded minute, around the clock, moved in steps of 10 ms."""
    steps, window = 60 * _FINE, _WINDOW * _FINE
    fold = np.bincount(arrival_ns % MINUTE * _FINE // NS_PER_S, minlength=steps)
    summed = np.cumsum(np.concatenate([[0], fold, fold[:window]]))
    return float((summed[window:] - summed[:-window]).max() / len(arrival_ns))


def lengths(tokens: NDArray[np.int32]) -> Lengths:
    """Mean, percentiles (linear interpolation), maximum and coefficient of variation of a token column."""
    p50, p90, p95, p99 = (float(value) for value in np.percentile(tokens, [50, 90, 95, 99]))
    mean = float(tokens.mean())
    return Lengths(mean, p50, p90, p95, p99, int(tokens.max()), float(tokens.std() / mean))


def _correlation(inputs: NDArray[np.int32], outputs: NDArray[np.int32]) -> float:
    if len(inputs) < 2 or inputs.min() == inputs.max() or outputs.min() == outputs.max():
        return float("nan")
    return float(np.corrcoef(inputs, outputs)[0, 1])
