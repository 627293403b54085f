"""What it costs to own the bill of materials: capital, its yearly share, power, place, upkeep and people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from metaroce.cost.lines import Factor, Line, Term, count, dollars, merged
from metaroce.cost.prices import PriceBook
from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import HOURS_PER_YEAR
from metaroce.model.money import Money

MONTHS_PER_YEAR = 12

#: Kinds of bill lines that live as long as servers do; all others live as long as the network.
COMPUTE_KINDS = frozenset({"gpu", "server", "nic", "psu"})


class Bought(Protocol):
    """What the cost of a bill line depends on; `study.bill.BillLine` is one.

    item      what it is, for people
    kind      gpu, server, nic, switch, optic, cable, fibre, rack, spare
    name      its name among the prices
    quantity  how many
    power_w   nameplate power of one, W
    """

    @property
    def item(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def quantity(self) -> int: ...
    @property
    def power_w(self) -> float: ...


def capex(bill: Iterable[Bought], book: PriceBook) -> tuple[Line, ...]:
    """Purchase price of every bill line, USD. Raises ScenarioError for a name without a price."""
    return tuple(_bought(line, book, 1.0, "") for line in bill if line.quantity)


def yearly_share(years: float, rate: float, resale: float = 0.0) -> float:
    """Equal yearly payment for 1 USD of capital: annuity over `years` at `rate`, less what resale brings back.

    rate r > 0: (1 - resale (1+r)^-n) r / (1 - (1+r)^-n);  rate 0: (1 - resale) / n.
    """
    if years <= 0:
        raise ScenarioError(f"a useful life of {years:g} years", where="money", hint="give years above 0")
    if rate * years < 1e-12:  # below double precision of the formula
        return (1.0 - resale) / years
    paid = -math.expm1(-years * math.log1p(rate))  # 1 - (1+r)^-n without cancellation
    return (1.0 - resale * (1.0 - paid)) * rate / paid


def owning_per_year(bill: Sequence[Bought], money: Money, book: PriceBook) -> tuple[Line, ...]:
    """What one year of owning costs, USD: lines of kind capital, upkeep, power, place, people.

    Power: nameplate kW of the bill x `mean_power` x `pue` x 8760 h. Place (colocation) is paid for nameplate kW.
    """
    bought = [line for line in bill if line.quantity]
    kilowatts = sum(line.quantity * line.power_w for line in bought) / 1000
    servers = sum(line.quantity for line in bought if line.kind == "server")
    capital = [_yearly(line, money, book) for line in bought]
    purchase = merged(capex(bought, book), name="purchase", formula="")
    upkeep = Line(
        "maintenance", tuple(Term(term.coefficient * money.maintenance, term.factors) for term in purchase.terms),
        f"{money.maintenance:.3g} x purchase price {dollars(purchase.value)}", "upkeep",
    )  # fmt: skip
    return (*capital, upkeep, *_running(kilowatts, servers, money, book))


def owned_gpu_hour(yearly: Sequence[Line], gpus: int) -> Line:
    """What one owned GPU costs in one hour, busy or idle, USD: the owning lines of a year / (GPUs x 8760)."""
    if gpus <= 0:
        raise ScenarioError(f"{gpus} GPUs cannot share a cost", hint="own one GPU at least")
    total = merged(tuple(yearly), name="", formula="")
    hours = gpus * HOURS_PER_YEAR
    return Line(
        "owned GPU-hour", tuple(Term(term.coefficient / hours, term.factors) for term in total.terms),
        f"{dollars(total.value)} a year / ({count(gpus)} GPUs x {HOURS_PER_YEAR} h)", "GPU-hour",
    )  # fmt: skip


def avoided_gpus(yearly: Sequence[Line], gpus: int, saved: Factor) -> Line:
    """What `saved` GPUs fewer would save in a year, USD: their part of the owning lines of `gpus` GPUs."""
    hour = owned_gpu_hour(yearly, gpus)
    terms = tuple(Term(term.coefficient * HOURS_PER_YEAR, (*term.factors, saved)) for term in hour.terms)
    formula = f"{count(saved.value)} GPUs x {HOURS_PER_YEAR} h at {dollars(hour.value)} an owned GPU-hour"
    return Line("GPUs not needed", terms, formula, "capacity")


def _bought(line: Bought, book: PriceBook, share: float, note: str) -> Line:
    if line.quantity < 0:
        raise ScenarioError(f"{line.quantity} of {line.name}", hint="quantities are 0 or more")
    price = book.factor(line.name)
    formula = f"{count(line.quantity)} x {line.name} at {dollars(price.value)}{note}"
    return Line(line.item, (Term(line.quantity * share, (price,)),), formula, "capital")


def _yearly(line: Bought, money: Money, book: PriceBook) -> Line:
    years = money.compute_years if line.kind in COMPUTE_KINDS else money.network_years
    share = yearly_share(years, money.capital_rate, money.resale)
    return _bought(line, book, share, f" x {share:.4f} a year ({years:g} years at {money.capital_rate:.1%})")


def _running(kilowatts: float, servers: int, money: Money, book: PriceBook) -> tuple[Line, ...]:
    electricity, place = book.factor("electricity", "kWh"), book.factor("colocation", "kW-month")
    people = book.factor("operations", "server-year")
    energy = kilowatts * money.mean_power * money.pue * HOURS_PER_YEAR
    return (
        Line(
            "electricity", (Term(energy, (electricity,)),),
            f"{count(kilowatts)} kW x {money.mean_power:g} mean draw x PUE {money.pue:g} x {HOURS_PER_YEAR} h"
            f" = {count(energy)} kWh at {dollars(electricity.value)}", "power",
        ),
        Line(
            "space and cooling", (Term(kilowatts * MONTHS_PER_YEAR, (place,)),),
            f"{count(kilowatts)} kW x {MONTHS_PER_YEAR} months at {dollars(place.value)} per kW and month", "place",
        ),
        Line(
            "operations", (Term(servers, (people,)),),
            f"{count(servers)} servers at {dollars(people.value)} a server and year", "people",
        ),
    )  # fmt: skip
