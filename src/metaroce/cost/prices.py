"""The prices of one scenario: the catalog with the scenario's own quotes laid over it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from metaroce.catalog.read import read_catalog
from metaroce.cost.lines import Factor, price_factor
from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Money, Price, PriceUnit, Quote


@dataclass(frozen=True, slots=True)
class PriceBook:
    """Prices by name."""

    prices: Mapping[str, Price]

    def price(self, name: str, unit: PriceUnit = "each") -> Price:
        """The price of one `unit` of `name`. Raises ScenarioError when there is none, or it is for another unit."""
        found = self.prices.get(name)
        if found is None:
            near = difflib.get_close_matches(name, list(self.prices), 3, 0.5)
            quote = f"give your own: money.prices.{name}: {{value: ..., low: ..., high: ...}}"
            hint = f"{quote}; or did you mean {' or '.join(near)}?" if near else quote
            raise ScenarioError(f"no price for {name!r}", where="money.prices", hint=hint)
        if found.unit != unit:
            raise ScenarioError(
                f"the price of {name!r} is per {found.unit}, and {unit} is asked for",
                where=f"money.prices.{name}", hint=f"set unit: {unit}",
            )  # fmt: skip
        return found

    def factor(self, name: str, unit: PriceUnit = "each") -> Factor:
        """The same as a factor of account lines."""
        return price_factor(name, self.price(name, unit))


def price_book(money: Money) -> PriceBook:
    """The catalog's prices under the scenario's own quotes."""
    prices = dict(read_catalog(Price, "prices"))
    for name, quote in money.prices.items():
        prices[name] = _quoted(quote, prices.get(name))
    return PriceBook(prices)


def rental_name(money: Money, gpu: str) -> str:
    """Price name of the rented GPU-hour that stands in for `gpu`."""
    return money.rental or f"rental-{gpu}"


def _quoted(quote: Quote, before: Price | None) -> Price:
    return Price(
        value=quote.value,
        low=quote.value if quote.low is None else quote.low,
        high=quote.value if quote.high is None else quote.high,
        unit=quote.unit or (before.unit if before else "each"),
        date=before.date if before else "2026",
        source=f"own quote: {quote.source}",
        assumption=False,
    )
