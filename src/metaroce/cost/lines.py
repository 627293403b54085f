"""Lines of an account: sums of quantities times prices, each with its formula in words and its range.

Strategy: a line keeps its factors by name instead of one number. Lines that share a price then move together when
prices are drawn, and a price that stands on both sides of the account cancels as it does in life.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Price


@dataclass(frozen=True, slots=True)
class Factor:
    """A named quantity with a range: a price, or an amount that a simulation gave with its interval.

    value   most likely
    low     lowest
    high    highest
    unit    what one of it is
    source  where it comes from
    """

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    source: str = ""

    @property
    def is_firm(self) -> bool:
        """True when no range is left."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Term:
    """`coefficient` times the product of all `factors`."""

    coefficient: float
    factors: tuple[Factor, ...] = ()

    @property
    def value(self) -> float:
        """At the most likely values."""
        return self.coefficient * math.prod(factor.value for factor in self.factors)

    def at(self, chosen: Mapping[str, Any]) -> Any:
        """At the chosen value (or array of draws) of each factor by name; the most likely one where none is given."""
        result: Any = self.coefficient
        for factor in self.factors:
            result = result * chosen.get(factor.name, factor.value)
        return result


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an account, USD.

    name     what is paid for or gained
    terms    what it is made of
    formula  the same in words and numbers
    kind     group it is summed in: capital, power, place, people, rental, jitter, ...
    """

    name: str
    terms: tuple[Term, ...]
    formula: str
    kind: str = ""

    @property
    def value(self) -> float:
        """USD at the most likely values."""
        return math.fsum(term.value for term in self.terms)

    @property
    def low(self) -> float:
        """USD when every factor works against it: the lowest value its ranges allow."""
        return math.fsum(_bounds(term)[0] for term in self.terms)

    @property
    def high(self) -> float:
        """USD when every factor works for it: the highest value its ranges allow."""
        return math.fsum(_bounds(term)[1] for term in self.terms)

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Every factor once, in order of first use."""
        return tuple({factor.name: factor for term in self.terms for factor in term.factors}.values())

    def at(self, chosen: Mapping[str, Any]) -> Any:
        """USD at the chosen value (or array of draws) of each factor by name."""
        total: Any = 0.0
        for term in self.terms:
            total = total + term.at(chosen)
        return total


def amount(name: str, value: float, low: float | None = None, high: float | None = None, *, unit: str = "") -> Factor:
    """A quantity with its interval, to stand in a line beside prices. Raises ScenarioError when out of order."""
    low, high = value if low is None else low, value if high is None else high
    if not -math.inf < low <= value <= high < math.inf:
        raise ScenarioError(
            f"{name}: {low:g} <= {value:g} <= {high:g} does not hold", hint="give low, value and high in order"
        )
    return Factor(name, value, low, high, unit)


def price_factor(name: str, price: Price) -> Factor:
    """A price as a factor."""
    note = f"{price.source} ({price.date})" + (", assumption" if price.assumption else "")
    return Factor(name, price.value, price.low, price.high, f"USD/{price.unit}", note)


def scaled(line: Line, by: Factor, *, name: str, formula: str, kind: str = "") -> Line:
    """A line multiplied by a quantity: what a share or a number of it is worth."""
    terms = tuple(replace(term, factors=(*term.factors, by)) for term in line.terms)
    return Line(name, terms, formula, kind or line.kind)


def merged(lines: tuple[Line, ...], *, name: str, formula: str, kind: str = "") -> Line:
    """Several lines as one."""
    return Line(name, tuple(term for line in lines for term in line.terms), formula, kind)


def dollars(value: float) -> str:
    """`$27,000`, `$0.15`, `$0.00012`: as many digits as the size deserves."""
    size = abs(value)
    sign = "-" if value < 0 else ""
    if size >= 1000 or size == int(size):
        return f"{sign}${size:,.0f}"
    return f"{sign}${size:,.2f}" if size >= 0.01 else f"{sign}${size:.3g}"


def count(value: float) -> str:
    """`1,024`, `0.8`: plain digits with thousands separators, never an exponent from 0.001 upward."""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:,.4g}"


def _bounds(term: Term) -> tuple[float, float]:
    low = high = term.coefficient
    for factor in term.factors:
        corners = (low * factor.low, low * factor.high, high * factor.low, high * factor.high)
        low, high = min(corners), max(corners)
    return low, high
