"""The smallest count that passes a test, with as few trials as a doubling and a bisection need."""

from __future__ import annotations

from collections.abc import Callable


def smallest(passes: Callable[[int], bool], *, start: int, limit: int) -> int | None:
    """Smallest n in 1..limit for which `passes(n)`, or None when none passes.

    Assumes that more is never worse. Begins at `start`, doubles or halves to a bracket, then bisects; every n is tried
    at most once.
    """
    start = min(max(1, start), limit)
    if passes(start):
        low, high = _below(passes, start)
    else:
        bracket = _above(passes, start, limit)
        if bracket is None:
            return None
        low, high = bracket
    while high - low > 1:  # low fails, high passes
        middle = (low + high) // 2
        if passes(middle):
            high = middle
        else:
            low = middle
    return high


def _below(passes: Callable[[int], bool], high: int) -> tuple[int, int]:
    step = max(1, high // 4)  # a good guess is a little too high: look near it first
    while high > 1:
        low = max(1, high - step)
        if not passes(low):
            return low, high
        high, step = low, step * 2
    return 0, 1


def _above(passes: Callable[[int], bool], low: int, limit: int) -> tuple[int, int] | None:
    while low < limit:
        high = min(limit, low * 2)
        if passes(high):
            return low, high
        low = high
    return None
