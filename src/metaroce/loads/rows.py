"""What reading a trace gathers: batches of requests, and a tally of the lines that are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import Problem
from metaroce.kit.units import INT64_MAX
from metaroce.loads.requests import MAX_TOKENS

_NAMED = 5  # faulty lines that are told one by one

Row = tuple[int, int, int]  # arrival in ns, input tokens, output tokens
Batch = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]


class FaultyLineError(ValueError):
    """A line is no request; the text says why."""


@dataclass(slots=True)
class Tally:
    """Counts while reading, and the first faults with their lines.

    lines   lines that should hold a request
    failed  of these, requests that the trace itself marks as failed
    bad     of these, lines that cannot be read
    """

    name: str
    lines: int = 0
    failed: int = 0
    bad: int = 0
    faults: list[Problem] = field(default_factory=lambda: [])

    def fault(self, what: str, line: int) -> None:
        """Count a line that cannot be read."""
        self.bad += 1
        if len(self.faults) < _NAMED:
            self.faults.append(Problem(what, f"{self.name}:{line}"))


def as_batch(rows: list[Row]) -> Batch:
    """Columns of a few rows."""
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return columns[:, 0].copy(), columns[:, 1].astype(np.int32), columns[:, 2].astype(np.int32)


def whole_tokens(text: str, name: str, *, least: int = 1) -> int:
    """A token count from text. Raises FaultyLineError."""
    value = _decimal(text, name)
    if value != value.to_integral_value():
        raise FaultyLineError(f"{name}: {text.strip()!r} is no whole number")
    if value < least:
        raise FaultyLineError(f"{name}: {'zero' if value == 0 else 'negative'} tokens")
    if value > MAX_TOKENS:
        raise FaultyLineError(f"{name}: {text.strip()!r} tokens are more than 2^31 - 1")
    return int(value)


def nanoseconds(text: str, name: str, digits: int) -> int:
    """ns from a number of some unit, `digits` decimal digits above the ns. Raises FaultyLineError."""
    value = _decimal(text, name)
    if value < 0:
        raise FaultyLineError(f"{name}: negative time {text.strip()!r}")
    if value > INT64_MAX // 10**digits:
        hint = "; are these ms or ns? then name the column timestamp_ms or timestamp_ns" if digits == 9 else ""
        raise FaultyLineError(f"{name}: {text.strip()!r} is beyond 292 years{hint}")
    return int((value * 10**digits).to_integral_value(ROUND_HALF_UP))


def _decimal(text: str, name: str) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise FaultyLineError(f"{name}: {_short(text)} is no number") from None
    if not value.is_finite():
        raise FaultyLineError(f"{name}: {_short(text)} is no finite number")
    if value and not -30 < value.adjusted() < 30:  # 1e999999999 would fill the memory with digits
        raise FaultyLineError(f"{name}: {_short(text)} is out of range")
    return value


def _short(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
