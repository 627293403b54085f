"""What it costs not to own: rented bursts, and the gap that late hardware leaves."""

from __future__ import annotations

from metaroce.cost.lines import Factor, Line, Term, count, dollars
from metaroce.cost.prices import PriceBook, rental_name
from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import HOURS_PER_WEEK
from metaroce.model.money import Money


def rented_burst(gpu_hours: float | Factor, gpu: str, money: Money, book: PriceBook) -> Line:
    """Rent of `gpu_hours` (a number, or an amount with its range), USD."""
    rental = book.factor(rental_name(money, gpu), "GPU-hour")
    coefficient, factors, hours = _split(gpu_hours)
    formula = f"{count(hours)} GPU-hours at {dollars(rental.value)}"
    return Line("rented burst", (Term(coefficient, (*factors, rental)),), formula, "rental")


def shortage(gap_gpu_weeks: float | Factor, gpu: str, money: Money, book: PriceBook) -> Line:
    """What bridges the weeks in which ordered GPUs are not there yet: the gap in GPU-weeks, rented, USD."""
    rental = book.factor(rental_name(money, gpu), "GPU-hour")
    coefficient, factors, weeks = _split(gap_gpu_weeks)
    formula = f"{count(weeks)} GPU-weeks x {HOURS_PER_WEEK} h at {dollars(rental.value)} rented"
    return Line(
        "shortage until delivery, once", (Term(coefficient * HOURS_PER_WEEK, (*factors, rental)),), formula, "rental"
    )


def _split(quantity: float | Factor) -> tuple[float, tuple[Factor, ...], float]:
    if isinstance(quantity, Factor):
        return 1.0, (quantity,), quantity.value
    if not 0 <= quantity < float("inf"):
        raise ScenarioError(f"{quantity:g} GPU-hours or GPU-weeks", hint="give a finite number, 0 or more")
    return quantity, (), quantity
