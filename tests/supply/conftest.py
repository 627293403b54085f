"""Chains that several tests use."""

from __future__ import annotations

import pytest

from metaroce.model.supply import Ordering, SupplyChain, Tier


@pytest.fixture(scope="session")
def equal_tiers():
    """`equal_tiers(count, cover, base=100, cv=0.01, **ordering)`: identical tiers without safety stock.

    Orders take `cover` weeks from order to receipt, the first of them in the mail unless cover is 1 or delay is given.
    """

    def make(
        count: int, cover: int, *, base: float = 100.0, cv: float = 0.01, delay: int | None = None, **ordering
    ) -> SupplyChain:
        mail = min(1, cover - 1) if delay is None else delay
        rule = Ordering(**{"safety_factor": 0, **ordering})
        tiers = [
            Tier(name=f"tier{k + 1}", order_delay_weeks=mail, lead_time_weeks=cover - mail, ordering=rule)
            for k in range(count)
        ]
        return SupplyChain(tiers=tuple(tiers), base_demand=base, demand_cv=cv)

    return make


@pytest.fixture(scope="session")
def beer_game():
    """`beer_game(factory={}, **ordering)`: the board of the MIT beer game.

    Two weeks of order slips, two of shipping; the factory brews for three in all. `factory` is what is different there.
    """

    def make(factory: dict[str, float] | None = None, **ordering) -> SupplyChain:
        tiers: list[Tier] = []
        for name in ("retailer", "wholesaler", "distributor", "factory"):
            last = name == "factory"
            rule = Ordering(**{**ordering, **((factory or {}) if last else {})})
            delay = 1 if last else 2
            tiers.append(Tier(name=name, order_delay_weeks=delay, lead_time_weeks=2, initial_stock=12, ordering=rule))
        return SupplyChain(tiers=tuple(tiers), base_demand=4, frozen_weeks=4)

    return make
