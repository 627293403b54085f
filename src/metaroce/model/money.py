"""What things cost: prices with their range, date and source, and how money is counted over the years.

Every price of the catalog is an assumption. A quote of your own in the scenario takes its place:

    money:
      prices:
        h100-sxm: {value: 24500}                       # a firm offer: no range left
        electricity: {value: 0.11, low: 0.09, high: 0.14}
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from metaroce.model.base import Count, Factor, Noun, Share, Size

Dollars = Annotated[float, Field(ge=0, le=1e12)]
#: What one price buys. Engines ask for a unit, and a price in another one is refused.
PriceUnit = Literal[
    "each", "GPU-hour", "kWh", "kW-month", "GB-hour", "server-year", "port-year", "incident", "year"
]  # fmt: skip


class Price(Noun):
    """One price of the catalog, with the range it may lie in."""

    value: Dollars
    """Most likely price, USD per unit."""
    low: Dollars
    """Lowest price that a buyer may reasonably meet."""
    high: Dollars
    """Highest price that a buyer may reasonably meet."""
    currency: Literal["USD"] = "USD"
    """US dollars; convert before you enter a quote in another currency."""
    unit: PriceUnit = "each"
    """What one price buys."""
    date: Annotated[str, Field(pattern=r"^\d{4}(-\d{2})?$")]
    """When it was so: year, or year and month."""
    source: Annotated[str, Field(min_length=8)]
    """Where the number comes from."""
    assumption: bool = True
    """True until someone signs an offer."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low <= self.value <= self.high:
            raise ValueError(f"low {self.low:g} <= value {self.value:g} <= high {self.high:g} does not hold")
        return self


class Quote(Noun):
    """A price of your own. Without low and high it is firm: both equal the value."""

    value: Dollars
    """USD per unit."""
    low: Dollars | None = None
    """Lowest price; the value when left out."""
    high: Dollars | None = None
    """Highest price; the value when left out."""
    unit: PriceUnit | None = None
    """What one price buys; the catalog's unit when left out, `each` for a new name."""
    source: str = "scenario"
    """Who said so: the offer, its date."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        if not low <= self.value <= high:
            raise ValueError(f"low {low:g} <= value {self.value:g} <= high {high:g} does not hold")
        return self


class JitterLoad(Noun):
    """What jitter costs in kind: memory held back, work moved, promises broken. All zero = not counted."""

    buffer_waste: Size = 0
    """Memory reserved against jitter and not used, mean over the fleet and the day, bytes."""
    reschedules_per_day: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Pods that jitter makes move, per day."""
    gpu_hours_per_reschedule: Annotated[float, Field(ge=0, le=1e6)] = 0.8
    """GPU-hours lost by one move: drain, pull, load weights, warm up."""
    breaches_per_year: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Broken service promises that pay a penalty, per year."""


class Money(Noun):
    """Prices and bookkeeping: how capital is spread over the years and what runs up every year."""

    prices: dict[str, Quote] = Field(default_factory=dict)
    """Your own prices by catalog name; they take the place of the catalog's."""
    compute_years: Factor = 4.0
    """Useful life of GPUs, servers and NICs, years."""
    network_years: Factor = 6.0
    """Useful life of switches, optics, cables and racks, years."""
    capital_rate: Share = 0.08
    """Yearly cost of capital; 0 = straight-line amortisation."""
    resale: Share = 0.0
    """Share of the purchase price that comes back at the end of the useful life."""
    maintenance: Share = 0.04
    """Support contracts and repairs a year, as a share of the purchase price."""
    pue: Annotated[float, Field(ge=1, le=3)] = 1.3
    """Power usage effectiveness: facility power over IT power."""
    mean_power: Share = 0.75
    """Mean draw over nameplate power (DGX H100: 6.5-8.5 kW of 10.2 kW)."""
    rental: str = ""
    """Catalog name of the rented GPU-hour; empty = `rental-` and the name of the GPU."""
    jitter: JitterLoad = JitterLoad()
    """What jitter costs in kind."""
    draws: Count = 4000
    """Draws over the price ranges for the intervals of the account."""
    interval: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Share of the draws inside the printed interval."""
    spread: Literal["pert", "triangular"] = "pert"
    """Distribution between low, value and high: PERT leans on the value, triangular spreads wider."""
