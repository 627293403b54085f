"""What a generator was asked for beside what its table holds, each with the sampling error to expect."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.units import NS_PER_S
from metaroce.loads.intensity import Intensity, window_share
from metaroce.loads.profile import gap_cv
from metaroce.loads.requests import RequestTable
from metaroce.loads.tokens import sigma_of
from metaroce.model.requests import Burst, GeneratedRequests, LognormalTokens, Office
from metaroce.model.service import Z95

_DAY = 86_400 * NS_PER_S
_ROUNDING = 1 / math.sqrt(12)  # standard deviation of rounding to whole tokens
_RAMP_END = 11 / 12  # the peak of a ramp is measured over its last twelfth (1 s of 12 s)


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of a generated load.

    asked     what the specification says
    expected  what a draw shows on average at the resolution of the measurement; differs from asked for a ramp's tip
    measured  what the table holds
    error     standard error of `measured` around `expected`
    note      how it was measured, when that needs saying
    """

    name: str
    asked: float
    expected: float
    measured: float
    error: float
    note: str = ""

    @property
    def sigmas(self) -> float:
        """Distance of measured from expected in standard errors."""
        return abs(self.measured - self.expected) / self.error if self.error > 0 else 0.0


def asked_against_measured(spec: GeneratedRequests, table: RequestTable) -> tuple[Compared, ...]:
    """Compare a table with the generator it came from: rate, cv, burst share and peak, office share, token lengths.

    Figures that the table cannot show are left out: the cv behind a superposition of clients or behind floating
    bursts, bursts and days that are not whole. Empty tables give only the rate.
    """
    rate = Intensity.of(spec, 0)
    seconds = spec.duration / NS_PER_S
    # counts of a renewal process vary with cv^2 x mean in the long run, with the mean in the short run of each client
    spread = spec.cv if spec.clients == 1 else max(spec.cv, 1.0)
    rows = [
        Compared(
            "rate, 1/s", spec.rate, rate.total / seconds, len(table) / seconds, spread * math.sqrt(rate.total) / seconds
        )
    ]
    if not len(table):
        return tuple(rows)
    floating = spec.burst is not None and spec.burst.phase == "floating"
    if (spec.clients == 1 or spec.cv == 1) and not floating and len(table) > 2:
        measured = gap_cv(rate.cumulative(table.arrival_ns))
        error = spec.cv * math.sqrt((1 + spec.cv**2) / (2 * len(table)))
        rows.append(Compared("cv of gaps", spec.cv, spec.cv, measured, error, "bursts and office hours taken out"))
    if spec.burst:
        rows.extend(_burst_rows(spec.burst, table, spec.duration, spread))
    if spec.office and spec.duration >= _DAY:
        rows.append(_office_row(spec.office, table, spec.duration, spread))
    for name, law, tokens in (
        ("input", spec.input_tokens, table.input_tokens), ("output", spec.output_tokens, table.output_tokens)
    ):  # fmt: skip
        if isinstance(law, LognormalTokens):
            rows.extend(_token_rows(name, law, tokens))
    return tuple(rows)


def _burst_rows(burst: Burst, table: RequestTable, duration: int, spread: float) -> Iterator[Compared]:
    whole = duration // burst.period * burst.period
    arrival = table.arrival_ns[: int(np.searchsorted(table.arrival_ns, whole))]
    if not len(arrival):
        return
    note = (
        ""
        if burst.phase == "locked"
        else "in the busiest window of each period, which reads high when periods hold few"
    )
    starts = np.zeros(len(arrival), np.int64) if burst.phase == "locked" else _busiest_starts(arrival, burst)
    u = (arrival % burst.period - starts) / burst.window
    share = float(np.mean((u >= 0) & (u < 1)))
    error = spread * math.sqrt(burst.share * (1 - burst.share) / len(arrival))
    yield Compared("share in the burst window", burst.share, burst.share, share, error, note)

    low, high, where = _peak_interval(burst)
    expected = burst.level * float(np.diff(window_share(np.array([low, high]), burst))[0]) / (high - low)
    even = len(arrival) * burst.window / burst.period * (high - low)  # requests there at the mean rate
    measured = float(np.count_nonzero((u >= low) & (u < high))) / even
    yield Compared("peak over mean", burst.highest, expected, measured, spread * math.sqrt(expected / even), where)


def _peak_interval(burst: Burst) -> tuple[float, float, str]:
    """Where in the window (0..1) the peak stands, and that in words."""
    if burst.shape == "level":
        return 0.0, 1.0, "level window"
    if burst.shape == "ramp":
        return _RAMP_END, 1.0, "linear ramp, measured over the last twelfth of the window"
    return (
        0.0,
        burst.level / (2 * burst.highest),
        "a ramp cannot reach it: inner burst with half of the window's requests",
    )


def _busiest_starts(arrival: NDArray[np.int64], burst: Burst) -> NDArray[np.int64]:
    """int64[n]: for each request, ns into its period at which the period's busiest window opens."""
    period = arrival // burst.period
    firsts = np.flatnonzero(np.concatenate([[True], period[1:] != period[:-1]]))
    row = np.cumsum(np.concatenate([[0], (period[1:] != period[:-1]).astype(np.int64)]))
    ends = np.concatenate([firsts[1:], [len(arrival)]])
    ahead = np.minimum(np.searchsorted(arrival, arrival + burst.window), ends[row]) - np.arange(len(arrival))
    best = np.maximum.reduceat(ahead, firsts)
    _, at = np.unique(np.where(ahead == best[row], row, -1), return_index=True)
    opens = arrival[at[-len(firsts) :]] % burst.period
    return np.minimum(opens, burst.period - burst.window)[row]


def _office_row(office: Office, table: RequestTable, duration: int, spread: float) -> Compared:
    arrival = table.arrival_ns[: int(np.searchsorted(table.arrival_ns, duration // _DAY * _DAY))]
    time_of_day = (arrival + office.begins) % _DAY
    share = float(np.mean((time_of_day >= office.opens) & (time_of_day < office.closes))) if len(arrival) else math.nan
    error = spread * math.sqrt(office.share * (1 - office.share) / max(len(arrival), 1))
    return Compared("share in office hours", office.share, office.share, share, error, "whole days")


def _token_rows(name: str, law: LognormalTokens, tokens: NDArray[np.int32]) -> Iterator[Compared]:
    for label, asked, quantile, z in (("median", law.median, 0.5, 0.0), ("p95", law.p95, 0.95, Z95)):
        measured = float(np.quantile(tokens, quantile))
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        drawn = math.sqrt(quantile * (1 - quantile) / len(tokens)) * asked * sigma_of(law) / density
        yield Compared(f"{name} tokens, {label}", asked, asked, measured, math.hypot(drawn, _ROUNDING))
