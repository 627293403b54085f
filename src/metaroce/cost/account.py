"""The two-column account: technical gain on one side, what it costs on the other, and the net with its interval.

Strategy: every factor (price or amount) is drawn once per draw from its own named stream and used in all lines, so
prices that stand on both sides cancel, and a new line never changes the draws of the old ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaroce.cost.lines import Factor, Line
from metaroce.kit import rng
from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Money

PERT_WEIGHT = 4.0  # Malcolm et al. 1959: mean = (low + 4 value + high) / 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the account, evaluated, USD.

    value      at the most likely prices
    mean       over the draws (above `value` where ranges lean upward)
    low, high  central interval of the draws
    """

    name: str
    kind: str
    value: float
    mean: float
    low: float
    high: float
    formula: str
    inputs: tuple[Factor, ...] = ()


@dataclass(frozen=True, slots=True)
class Swing:
    """How far one factor alone moves the net: all others at their most likely values."""

    name: str
    net_at_low: float
    net_at_high: float

    @property
    def width(self) -> float:
        """Absolute movement, USD."""
        return abs(self.net_at_high - self.net_at_low)


@dataclass(frozen=True, slots=True)
class Account:
    """Gain | cost | net over one period, USD.

    gains, costs    evaluated lines
    gain, cost, net sums, with intervals of the sums (not sums of intervals)
    gain_wins       share of the draws in which the net is above zero
    swings          factors by how far they move the net, widest first
    interval        share of the draws inside low..high
    """

    gains: tuple[Entry, ...]
    costs: tuple[Entry, ...]
    gain: Entry
    cost: Entry
    net: Entry
    gain_wins: float
    swings: tuple[Swing, ...]
    interval: float
    draws: int


def account(gains: Sequence[Line], costs: Sequence[Line], money: Money, *, seed: int) -> Account:
    """Evaluate both columns by Monte Carlo over the ranges of all factors.

    money  gives `draws`, `interval` and `spread`
    Raises ScenarioError when two lines use one name for factors with different ranges.
    """
    factors = _all_factors([*gains, *costs])
    drawn = {factor.name: draw(factor, money.draws, money.spread, seed) for factor in factors}
    gain_draws = [_over(line, drawn, money.draws) for line in gains]
    cost_draws = [_over(line, drawn, money.draws) for line in costs]
    gain_sum, cost_sum = _sum(gain_draws, money.draws), _sum(cost_draws, money.draws)
    gain_value, cost_value = sum(line.value for line in gains), sum(line.value for line in costs)
    net_sum = gain_sum - cost_sum
    return Account(
        gains=tuple(_entry(line, d, money.interval) for line, d in zip(gains, gain_draws, strict=True)),
        costs=tuple(_entry(line, d, money.interval) for line, d in zip(costs, cost_draws, strict=True)),
        gain=_total("gain", gain_value, gain_sum, money.interval),
        cost=_total("cost", cost_value, cost_sum, money.interval),
        net=_total("net", gain_value - cost_value, net_sum, money.interval, "gain - cost"),
        gain_wins=float(np.mean(net_sum > 0)),
        swings=_swings(gains, costs, factors),
        interval=money.interval,
        draws=money.draws,
    )


def draw(factor: Factor, n: int, spread: Literal["pert", "triangular"], seed: int) -> NDArray[np.float64]:
    """float64[n] draws of one factor between its low and high; constant when it is firm.

    PERT is the beta distribution with a = 1 + 4 (value - low)/(high - low), b = 1 + 4 (high - value)/(high - low).
    """
    if factor.is_firm:
        return np.full(n, factor.value)
    stream = rng.stream(seed, "money", factor.name)
    if spread == "triangular":
        return stream.triangular(factor.low, factor.value, factor.high, n)
    width = factor.high - factor.low
    lean = PERT_WEIGHT / width
    return factor.low + width * stream.beta(
        1 + lean * (factor.value - factor.low), 1 + lean * (factor.high - factor.value), n
    )


def _all_factors(lines: Sequence[Line]) -> tuple[Factor, ...]:
    seen: dict[str, Factor] = {}
    for line in lines:
        for factor in line.factors:
            known = seen.setdefault(factor.name, factor)
            if (known.low, known.value, known.high) != (factor.low, factor.value, factor.high):
                raise ScenarioError(
                    f"{factor.name!r} has two ranges in one account", where=line.name, hint="name the amounts apart"
                )
    return tuple(seen.values())


def _over(line: Line, drawn: dict[str, NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    return np.broadcast_to(np.asarray(line.at(drawn), dtype=np.float64), (n,))


def _sum(columns: Sequence[NDArray[np.float64]], n: int) -> NDArray[np.float64]:
    return np.sum(columns, axis=0) if columns else np.zeros(n)


def _entry(line: Line, draws: NDArray[np.float64], interval: float) -> Entry:
    low, high = _central(draws, interval)
    low, high = min(low, line.value), max(high, line.value)  # a price at the edge of its range lies outside the centre
    return Entry(line.name, line.kind, line.value, float(draws.mean()), low, high, line.formula, line.factors)


def _total(name: str, value: float, draws: NDArray[np.float64], interval: float, formula: str = "sum") -> Entry:
    low, high = _central(draws, interval)
    return Entry(name, "total", value, float(draws.mean()), low, high, formula)


def _central(draws: NDArray[np.float64], interval: float) -> tuple[float, float]:
    tail = (1.0 - interval) / 2.0
    low, high = np.quantile(draws, (tail, 1.0 - tail))
    return float(low), float(high)


def _swings(gains: Sequence[Line], costs: Sequence[Line], factors: Sequence[Factor]) -> tuple[Swing, ...]:
    def net(chosen: dict[str, float]) -> float:
        return float(sum(line.at(chosen) for line in gains) - sum(line.at(chosen) for line in costs))

    swings = [
        Swing(factor.name, net({factor.name: factor.low}), net({factor.name: factor.high}))
        for factor in factors
        if not factor.is_firm
    ]
    return tuple(sorted(swings, key=lambda swing: (-swing.width, swing.name)))
