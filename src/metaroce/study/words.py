"""Numbers of a study in words: values with their intervals, counts, dollars, shares."""

from __future__ import annotations

import math

from metaroce.kit.units import format_seconds
from metaroce.study.measured import Measured


def seconds(value: float) -> str:
    """`298 ms`; `never` when too many requests were not served."""
    return format_seconds(value) if math.isfinite(value) else "never"


def span_seconds(measured: Measured) -> str:
    """`288 ms to 307 ms`, or "" where nothing random was involved."""
    return "" if measured.low == measured.high else f"{seconds(measured.low)} to {seconds(measured.high)}"


def scaled(measured: Measured, factor: float) -> Measured:
    """The same number in another unit."""
    return Measured(measured.value * factor, measured.low * factor, measured.high * factor, measured.unit)


def span(measured: Measured, digits: int = 4) -> str:
    """`17 to 21`, or "" where nothing random was involved."""
    if measured.low == measured.high:
        return ""
    return f"{plain(measured.low, digits)} to {plain(measured.high, digits)}"


def plain(value: float, digits: int = 4) -> str:
    """Thousands separators and so many significant digits."""
    if not math.isfinite(value):
        return "none"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def dollars(value: float) -> str:
    """`$13.2 M`, `$5,834`: for headlines."""
    sign, size = ("-" if value < 0 else ""), float(f"{abs(value):.3g}")
    for factor, letter in ((1e9, "bn"), (1e6, "M")):
        if size >= factor:
            return f"{sign}${plain(size / factor, 3)} {letter}"
    return f"{sign}${abs(value):,.0f}" if abs(value) >= 100 else f"{sign}${abs(value):.2f}"


def percent(value: float, digits: int = 3) -> str:
    """`83 %`."""
    return f"{value * 100:.{digits}g} %"


def week(value: int | None) -> str:
    """`week 9`, or that the horizon ends before."""
    return "after the horizon" if value is None else f"week {value}"
