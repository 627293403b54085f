"""What a user says about the supply chain: its tiers, how each orders and forecasts, and who else buys there.

Every tier counts in its own units per week (servers, chips, wafers); `units_per_parent` converts between neighbours.
Tiers stand in the order of the chain, the one nearest to the customer first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from metaroce.model.base import Factor, Noun, Share

Weeks = Annotated[int, Field(ge=1, le=520)]
Delay = Annotated[int, Field(ge=0, le=104)]
Units = Annotated[float, Field(ge=0, le=1e12)]

PolicyName = Literal["order_up_to", "proportional", "sterman", "pass_through"]
ForecastName = Literal["exponential", "moving_average", "naive", "constant"]
AllocationName = Literal["proportional", "linear", "uniform", "chain_first", "others_first"]


class Part(Noun):
    """One thing a tier buys: from whom, and how many units of it go into one of its own."""

    tier: str
    """Name of the supplying tier."""
    units: Factor = 1.0
    """Units of the supplier's product in one unit of this tier's product."""


class TechnologyChange(Noun):
    """New silicon: from a week on, a tier's product takes longer and more of it is needed.

    Orders not yet shipped are re-specified for the new product; what is on its way stays as it is.
    """

    week: Annotated[int, Field(ge=0)]
    """First week of the new product."""
    lead_time_weeks: Weeks | None = None
    """Lead time from that week on; empty keeps the old one. A new process took 12 -> 24 weeks in the field report."""
    unit_factor: Factor = 1.0
    """How many times more units one parent needs; a die 23 % larger needs 1.23 times the wafers."""


class Ordering(Noun):
    """How a tier turns what it sees into an order."""

    policy: PolicyName = "order_up_to"
    """order_up_to: fill up to forecast x cover; proportional: close only a part of that gap each week;
    sterman: anchoring and adjustment, as people do; pass_through: order what was ordered."""
    correction_weeks: Annotated[float, Field(ge=1, le=104)] = 4.0
    """proportional: weeks over which a gap is closed; 1 is order_up_to (Disney and Towill 2003)."""
    stock_adjustment: Annotated[float, Field(gt=0, le=2)] = 0.26
    """sterman: share of the gap ordered each week; mean of Sterman 1989."""
    supply_line_weight: Share = 0.34
    """sterman: share of the open orders that is remembered; mean of Sterman 1989, 1 is perfect memory."""
    desired_stock: Units | None = None
    """sterman: wanted stock plus weighted open orders, units; empty: what holds the safety stock in quiet times."""
    forecast: ForecastName = "exponential"
    """How demand is forecast inside the simulation; constant never learns."""
    forecast_alpha: Annotated[float, Field(gt=0, le=1)] = 0.1
    """exponential: weight of the newest week."""
    forecast_weeks: Weeks = 8
    """moving_average: weeks averaged."""
    forecast_value: Units | None = None
    """constant: units per week; empty: the tier's ordinary volume."""
    sees_end_demand: bool = False
    """Forecast from the demand of the end customers, shared along the chain, instead of from the orders received."""
    safety_factor: Annotated[float, Field(ge=0, le=10)] = 2.0
    """Constant safety stock, in standard deviations of ordinary demand over the lead time; 2 serves 98 % at once."""
    safety_weeks: Annotated[float, Field(ge=0, le=104)] = 0.0
    """Further safety stock in weeks of *forecast* demand, as planners do; it moves with the forecast and amplifies."""
    whole_units: bool = False
    """Round orders to whole units."""


class OverOrdering(Noun):
    """Defensive orders: more is ordered than needed, counted as needed, and cancelled when supply catches up."""

    factor: Annotated[float, Field(ge=1, le=10)] = 1.0
    """Every order is this many times what is needed; field reports name 1.2 (switches), 1.3 (NICs), 1.5 (capacity)."""
    lead_time_reaction: Annotated[float, Field(ge=0, le=10)] = 0.0
    """Further inflation per relative lengthening of the quoted lead time: 0.5 orders 1.5 x when it has doubled."""
    limit: Annotated[float, Field(ge=1, le=20)] = 3.0
    """Largest inflation. Cisco's customers placed double and triple orders in 2000."""
    cancellation: Share = 0.0
    """Share of the unshipped surplus orders cancelled per week once the own backlog is gone and the quoted lead time
    is no longer rising; 0: nothing can be cancelled."""


class Capacity(Noun):
    """What a tier can start to produce per week."""

    units_per_week: Units | None = None
    """Absolute limit. Give this or `over_ordinary`."""
    over_ordinary: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """Limit as a multiple of the tier's ordinary weekly volume."""
    grows_to: Factor = 1.0
    """Multiple of the limit reached at the end of the ramp."""
    ramp_start_week: Annotated[int, Field(ge=0)] = 0
    """Week in which the ramp starts."""
    ramp_weeks: Annotated[int, Field(ge=0, le=520)] = 0
    """Length of the linear ramp."""

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if self.units_per_week is not None and self.over_ordinary is not None:
            raise ValueError("capacity is given twice: keep units_per_week or over_ordinary")
        return self


class OtherBuyers(Noun):
    """Customers outside our chain. They make a tier as large as it is: 40 servers are not a foundry's year."""

    units_per_week: Units = 0.0
    """What they buy in an ordinary week, in units of this tier."""
    share_of_market: Annotated[float, Field(gt=0, le=1)] | None = None
    """Instead: the share our chain has in this tier's ordinary volume; the others buy the rest."""
    demand_cv: Annotated[float, Field(ge=0, le=2)] = 0.0
    """Coefficient of variation of their weekly demand."""

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if self.units_per_week and self.share_of_market is not None:
            raise ValueError("other buyers are given twice: keep units_per_week or share_of_market")
        return self


class Tier(Noun):
    """One level of the chain: it buys, waits, makes, stores and sells."""

    name: str
    """Name in every table."""
    lead_time_weeks: Weeks = 4
    """Weeks until ordered goods are in this tier's stock, counted from when the supplier has them and production can
    start: what the supplier quotes when it is not short."""
    order_delay_weeks: Delay = 1
    """Weeks an order of this tier takes to reach its supplier (paperwork, approval)."""
    units_per_parent: Factor = 1.0
    """Units of this tier's product in one unit of the product of the tier above it in the list."""
    ordering: Ordering = Ordering()
    """Policy, forecast and safety stock."""
    over_ordering: OverOrdering = OverOrdering()
    """Defensive ordering."""
    capacity: Capacity = Capacity()
    """Production limit; empty means none."""
    other_buyers: OtherBuyers = OtherBuyers()
    """Demand from outside the chain."""
    allocation: AllocationName = "proportional"
    """Who gets what in a shortage: by order size, equal cuts (linear), equal shares (uniform), or one side first."""
    initial_stock: Units | None = None
    """Stock before the first week; empty: the steady state of the policy."""
    buys_from: tuple[Part, ...] | None = None
    """What it buys; empty: the product of the next tier in the list. Of several parts the scarcest sets the pace."""
    change: TechnologyChange | None = None
    """A change of technology during the run."""


class Pulse(Noun):
    """A one-off demand on top of the ordinary one."""

    extra: Units
    """Units wanted in all."""
    week: Annotated[int, Field(ge=0)] = 8
    """First week in which they are wanted."""
    weeks: Weeks = 1
    """Weeks over which they are spread evenly."""


def default_tiers() -> tuple[Tier, ...]:
    """SaaS/cloud -> equipment -> chip -> foundry, for 8-GPU servers in ordinary times.

    Lead times: servers are assembled to order, 8 weeks (Dell, April 2024: 8-12; the same servers took 36-52 weeks in
    November 2023, Omdia); boards 5 (Gartner: network equipment 4-6 before 2020); chips 4 after wafers 10, together the
    10-15 of 2016-2019 (Susquehanna). Other buyers of servers: half a million H100 in 2023Q3 (Omdia) are
    500000 / 8 / 13 = 4800 servers a week, so that our order is as small in its market as it is in the world.
    Assumptions: others' demand varies by 5 %, 8 GPUs a server, 50 good dies a wafer, 25 % spare capacity at the chip
    maker, 15 % at the foundry.
    """
    buyers = OtherBuyers(units_per_week=4800, demand_cv=0.05)
    return (
        Tier(name="cloud", lead_time_weeks=8, ordering=Ordering(policy="pass_through", safety_factor=0)),
        Tier(name="equipment", lead_time_weeks=5, other_buyers=buyers),
        Tier(name="chip", lead_time_weeks=4, units_per_parent=8, capacity=Capacity(over_ordinary=1.25)),
        Tier(name="foundry", lead_time_weeks=10, units_per_parent=0.02, capacity=Capacity(over_ordinary=1.15)),
    )


class SupplyChain(Noun):
    """Who makes what we order, and how their orders travel upstream."""

    tiers: Annotated[tuple[Tier, ...], Field(min_length=1, max_length=32)] = default_tiers()
    """Levels, the one that serves the end customer first."""
    base_demand: Units = 1.0
    """Our ordinary demand at the customer end, units per week (replacement). A one-off order comes on top."""
    demand_cv: Annotated[float, Field(ge=0, le=2)] = 0.0
    """Coefficient of variation of the ordinary weekly demand."""
    demand_correlation: Annotated[float, Field(gt=-1, lt=1)] = 0.0
    """Correlation of one week's demand with the next (AR(1)); world chip sales 2016-2024: 0.90 month to month."""
    horizon_weeks: Annotated[int, Field(ge=1, le=100_000)] = 104
    """Weeks simulated."""
    frozen_weeks: Annotated[int, Field(ge=0)] = 0
    """Weeks from the start in which every tier still orders its ordinary volume (the board game freezes four)."""

    @model_validator(mode="after")
    def _tiers_fit(self) -> Self:
        names = [tier.name for tier in self.tiers]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two tiers are called {name!r}")
        for tier, part in self.purchases():
            if sum(other.tier == part.tier for other in tier.buys_from or ()) > 1:
                raise ValueError(f"{tier.name!r} buys {part.tier!r} twice: add up the units")
            if part.tier not in names:
                raise ValueError(f"{tier.name!r} buys from {part.tier!r}, which is no tier; known: {', '.join(names)}")
        for position, name in enumerate(names[1:], 1):
            tier = self.tiers[position]
            others = tier.other_buyers.units_per_week
            if not others and all(part.tier != name for _, part in self.purchases()):
                raise ValueError(f"nobody buys from {name!r}")
        self.sequence()
        return self

    def purchases(self) -> Iterator[tuple[Tier, Part]]:
        """Every (buyer, part bought) in the order of the list."""
        for position, tier in enumerate(self.tiers):
            if tier.buys_from is not None:
                for part in tier.buys_from:
                    yield tier, part
            elif position + 1 < len(self.tiers):
                supplier = self.tiers[position + 1]
                yield tier, Part(tier=supplier.name, units=supplier.units_per_parent)

    def sequence(self) -> tuple[str, ...]:
        """Tier names so that every buyer stands before its suppliers. Raises ValueError when tiers buy in a circle."""
        waiting = {tier.name: 0 for tier in self.tiers}
        suppliers: dict[str, list[str]] = {name: [] for name in waiting}
        for tier, part in self.purchases():
            waiting[part.tier] += 1
            suppliers[tier.name].append(part.tier)
        ready = [name for name, buyers in waiting.items() if not buyers]
        done: list[str] = []
        while ready:
            done.append(ready.pop(0))
            for name in suppliers[done[-1]]:
                waiting[name] -= 1
                if not waiting[name]:
                    ready.append(name)
        if len(done) < len(waiting):
            raise ValueError(f"tiers buy in a circle: {', '.join(name for name in waiting if name not in done)}")
        return tuple(done)
