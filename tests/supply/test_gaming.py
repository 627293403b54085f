"""Defensive orders: how much is phantom, when it is taken back, and what it does to the chain."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.model.supply import Capacity, Ordering, OverOrdering, Pulse, SupplyChain, Tier
from metaroce.supply.api import run
from metaroce.supply.result import SupplyResult


def chain(over: OverOrdering, capacity: float | None = None, base: float = 10.0) -> SupplyChain:
    rule = Ordering(policy="pass_through", safety_factor=0)
    levels = [
        Tier(name=f"level{k}", order_delay_weeks=0, lead_time_weeks=1, ordering=rule, over_ordering=over)
        for k in range(4)
    ]
    plant = Tier(
        name="plant", order_delay_weeks=0, lead_time_weeks=1, ordering=rule, capacity=Capacity(over_ordinary=capacity)
    )
    return SupplyChain(tiers=(*levels, plant), base_demand=base)


def orders(result: SupplyResult) -> np.ndarray:
    assert result.traces is not None
    return result.traces.of("order")[:, :, 0]


def test_five_levels_of_twenty_percent_turn_50_into_124() -> None:
    """Not into 80, as the field report has it: 50 x 1.2^5 = 124."""
    over = OverOrdering(factor=1.2)
    levels = chain(over, base=0).tiers[:4]
    five = (*levels, levels[0].model_copy(update={"name": "level4"}))
    result = run(SupplyChain(tiers=five, base_demand=0), Pulse(extra=50, week=3), keep_traces=True)
    np.testing.assert_allclose(orders(result)[3], 50 * 1.2 ** np.arange(1, 6))
    assert orders(result)[3, -1] == pytest.approx(124.4, abs=0.05)


def test_extra_units_that_arrive_are_used_up_before_ordering_again() -> None:
    result = run(chain(OverOrdering(factor=1.2), base=0), Pulse(extra=50, week=3), keep_traces=True)
    assert result.delivered.sum() == pytest.approx(50)
    stock = result.traces.of("on_hand")[-1, 0, 0]
    assert stock == pytest.approx(10)  # nobody needs the rest: unopened boxes


def test_the_phantom_share_is_what_the_factor_says() -> None:
    result = run(chain(OverOrdering(factor=1.25)), np.full(40, 10.0))
    assert result.tiers["phantom_share"][:4].to_list() == pytest.approx([0.2] * 4)
    assert result.tiers["phantom_share"][4] == 0


def buyer_and_plant(over: OverOrdering, stock: float) -> SupplyChain:
    """A nervous buyer at a plant that can make half as much again as it usually sells."""
    rule = Ordering(policy="pass_through", safety_factor=0)
    plant = {"capacity": Capacity(over_ordinary=1.5), "initial_stock": stock}
    return SupplyChain(base_demand=10, tiers=(
        Tier(name="buyer", order_delay_weeks=0, lead_time_weeks=2, ordering=rule, over_ordering=over),
        Tier(name="plant", order_delay_weeks=0, lead_time_weeks=1, ordering=rule, **plant),
    ))  # fmt: skip


PULSE = Pulse(extra=100, week=5, weeks=5)


def test_orders_inflate_only_while_the_supplier_is_short() -> None:
    nervous = OverOrdering(lead_time_reaction=0.5, limit=2)
    calm = run(buyer_and_plant(nervous, stock=1000), PULSE)
    short = run(buyer_and_plant(nervous, stock=0), PULSE, keep_traces=True)
    assert calm.tiers["phantom_share"][0] == 0
    assert short.tiers["phantom_share"][0] > 0.1
    assert short.tiers["peak_order"][0] > calm.tiers["peak_order"][0]
    phantom, order, wait = (
        short.traces.of(name)[:, k, 0] for name, k in (("phantom", 0), ("order", 0), ("backlog", 1))
    )
    assert not phantom[1:][wait[:-1] == 0].any()  # what the supplier quoted a week ago is what the buyer knows
    assert (phantom <= order / 2 + 1e-9).all()  # the limit: twice the need


def test_phantom_orders_are_taken_back_when_supply_catches_up() -> None:
    kept = run(buyer_and_plant(OverOrdering(factor=2), stock=0), PULSE, keep_traces=True)
    freed = run(buyer_and_plant(OverOrdering(factor=2, cancellation=1), stock=0), PULSE, keep_traces=True)
    assert kept.tiers["cancelled_share"][0] == 0
    assert freed.tiers["cancelled_share"][0] > 0.1
    cancelled, own_backlog = freed.traces.of("cancelled")[:, 0, 0], freed.traces.of("backlog")[:, 0, 0]
    assert not cancelled[own_backlog > 0].any()
    before = 10 * 2 / 2  # half of the orders already open is phantom, too
    assert cancelled.sum() <= freed.traces.of("phantom")[:, 0, 0].sum() + before
    glut = [result.traces.of("on_hand")[:, 0, 0].max() for result in (kept, freed)]
    assert glut[1] < glut[0] / 2
