"""How a generator's rate moves with time: office hours x bursts, as a cumulative count and its inverse.

Strategy: arrivals are drawn in operational time, in which the rate is 1, and carried to real time by the inverse of
the cumulative rate. Time is cut into steps (the burst's period). A step holds the office curve's mean over it, so
each step keeps the burst's share exactly, and inside a step the inverse is a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.rng import stream
from metaroce.kit.units import NS_PER_S
from metaroce.model.requests import Burst, GeneratedRequests, Office

_DAY = 86_400 * NS_PER_S
_HALF = 0.5  # share of the window's requests in the inner burst, where a ramp cannot reach the peak

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Intensity:
    """A rate over time, given step by step; m steps.

    step      ns, length of a step
    duration  ns
    counts    float64[m]    expected requests of each whole step
    before    float64[m+1]  expected requests before each step
    opens     float64[m]    share of the step at which its burst window opens
    burst     None: even inside a step
    """

    step: int
    duration: int
    counts: Floats
    before: Floats
    opens: Floats
    burst: Burst | None

    @classmethod
    def of(cls, spec: GeneratedRequests, seed: int) -> Self:
        """The rate that a generator asks for; the seed places floating bursts."""
        step = spec.step
        steps = -(-spec.duration // step)
        levels = office_levels(spec.office, step, steps) if spec.office else np.ones(steps)
        counts = spec.rate * step / NS_PER_S * levels
        opens = np.zeros(steps)
        if spec.burst and spec.burst.phase == "floating":
            opens = stream(seed, "requests", "burst phase").random(steps) * (1 - spec.burst.window / spec.burst.period)
        rate = cls._over(spec, counts, opens)
        if spec.office is None and spec.burst:  # a last, cut period would otherwise lift the mean: its burst is whole
            rate = cls._over(spec, counts * (spec.rate * spec.duration / NS_PER_S / rate.total), opens)
        return rate

    @classmethod
    def _over(cls, spec: GeneratedRequests, counts: Floats, opens: Floats) -> Self:
        before = np.concatenate([[0.0], np.cumsum(counts)])
        return cls(spec.step, spec.duration, counts, before, opens, spec.burst)

    @property
    def total(self) -> float:
        """Expected requests over the duration."""
        return float(self.cumulative(np.array([self.duration], np.int64))[0])

    def cumulative(self, at_ns: NDArray[np.int64]) -> Floats:
        """Expected requests before each moment of 0..duration."""
        row = np.minimum(at_ns // self.step, len(self.counts) - 1)
        inside = (at_ns - row * self.step) / self.step
        if self.burst:
            inside = _burst_share(inside, self.opens[row], self.burst)
        return self.before[row] + self.counts[row] * inside

    def moments(self, expected: Floats) -> NDArray[np.int64]:
        """ns at which so many requests are expected before; the inverse of `cumulative`, cut to the duration."""
        row = np.clip(np.searchsorted(self.before, expected, "right") - 1, 0, len(self.counts) - 1)
        inside = np.clip(
            (expected - self.before[row]) / np.where(self.counts[row] > 0, self.counts[row], 1.0), 0.0, 1.0
        )
        if self.burst:
            inside = _burst_moment(inside, self.opens[row], self.burst)
        at = row * self.step + (inside * self.step).astype(np.int64)
        return np.minimum(at, self.duration - 1)


def office_levels(office: Office, step: int, steps: int) -> Floats:
    """float64[steps]: mean of the office curve over each step, as a multiple of the day's mean rate."""
    opens, closes, ramp, floor = office.opens, office.closes, office.ramp, office.floor
    days = np.arange((office.begins + step * steps) // _DAY + 1)[:, None] * float(_DAY)
    corners = (days + np.array([opens - ramp, opens, closes, closes + ramp, _DAY], np.float64)).ravel()
    heights = np.tile(np.array([floor, 1.0, 1.0, floor, floor]), len(days))
    corners, heights = np.concatenate([[0.0], corners]), np.concatenate([[floor], heights])
    area = np.concatenate([[0.0], np.cumsum(np.diff(corners) * (heights[1:] + heights[:-1]) / 2)])
    edges = office.begins + step * np.arange(steps + 1, dtype=np.float64)
    at = np.clip(np.searchsorted(corners, edges, "right") - 1, 0, len(corners) - 2)
    into = edges - corners[at]
    slope = np.diff(heights)[at] / np.maximum(np.diff(corners)[at], 1.0)
    below = area[at] + heights[at] * into + slope * into**2 / 2
    day_mean = area[5] / _DAY
    return np.diff(below) / step / day_mean


def _burst_share(x: Floats, opens: Floats, burst: Burst) -> Floats:
    """Share of a step's requests before x (0..1 of the step)."""
    width = burst.window / burst.period
    outside = (1 - burst.share) / (1 - width)
    into = np.clip((x - opens) / width, 0.0, 1.0)
    return outside * (x - width * into) + burst.share * window_share(into, burst)


def _burst_moment(share: Floats, opens: Floats, burst: Burst) -> Floats:
    """Inverse of `_burst_share`."""
    width = burst.window / burst.period
    outside = (1 - burst.share) / (1 - width)
    first = outside * opens  # share of the requests before the window
    slow = outside if outside > 0 else 1.0
    before, after = share / slow, opens + width + (share - first - burst.share) / slow
    inside = opens + width * _window_moment(np.clip((share - first) / burst.share, 0.0, 1.0), burst)
    return np.where(share < first, before, np.where(share <= first + burst.share, inside, after))


def window_share(u: Floats, burst: Burst) -> Floats:
    """Share of the window's requests before u (0..1 of the window).

    Ramp: the density rises linearly from 2 - q to q, q = peak over the window's mean level (1..2).
    Inner burst (q > 2): half of the requests at the peak in the first 1/(2q) of the window, the rest evenly after it.
    """
    q = burst.highest / burst.level
    if burst.shape == "inner burst":
        inner = _HALF / q
        return np.where(u < inner, u * q, _HALF + (u - inner) * (1 - _HALF) / (1 - inner))
    return (2 - q) * u + (q - 1) * u**2


def _window_moment(share: Floats, burst: Burst) -> Floats:
    """Inverse of `window_share`."""
    q = burst.highest / burst.level
    if burst.shape == "inner burst":
        inner = _HALF / q
        return np.where(share < _HALF, share / q, inner + (share - _HALF) * (1 - inner) / (1 - _HALF))
    root = (2 - q) + np.sqrt((2 - q) ** 2 + 4 * (q - 1) * share)
    return np.divide(2 * share, root, out=np.zeros_like(share), where=root > 0)
