"""A number with its interval over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import t as student


@dataclass(frozen=True, slots=True)
class Measured:
    """A value, what it may be on other seeds, and its unit.

    value      the answer (over all seeds together)
    low, high  95 % interval; equal to the value where nothing random was involved
    """

    value: float
    low: float
    high: float
    unit: str = ""

    @classmethod
    def exact(cls, value: float, unit: str = "") -> Measured:
        """A number that no seed moves."""
        return cls(float(value), float(value), float(value), unit)

    @classmethod
    def over_seeds(cls, values: Sequence[float], unit: str = "", *, value: float | None = None) -> Measured:
        """Mean of the seeds' values (or the given pooled value) with Student's 95 % interval of the mean."""
        count = len(values)
        mean = math.fsum(values) / count
        if count < 2:
            return cls(mean if value is None else value, mean, mean, unit)
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (count - 1))
        half = float(student.ppf(0.975, count - 1)) * spread / math.sqrt(count)
        centre = mean if value is None else value
        low = max(mean - half, 0.0) if min(values) >= 0 else mean - half  # what is never negative stays so
        return cls(centre, min(low, centre), max(mean + half, centre), unit)

    @classmethod
    def extent(cls, values: Sequence[float], unit: str = "", *, value: float | None = None) -> Measured:
        """For counts: the smallest and the largest that a seed asked for."""
        centre = sorted(values)[len(values) // 2] if value is None else value
        return cls(float(centre), float(min([*values, centre])), float(max([*values, centre])), unit)
