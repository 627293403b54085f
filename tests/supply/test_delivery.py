"""Capacity against need, by hand on a chain small enough."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.model.supply import Capacity, Ordering, Pulse, SupplyChain, Tier
from metaroce.supply.api import run
from metaroce.supply.delivery import delivery, extra_delivered, rent_of_gap


def plant(base: float, capacity: float) -> SupplyChain:
    rule = Ordering(policy="pass_through", safety_factor=0)
    tier = Tier(
        name="plant", order_delay_weeks=1, lead_time_weeks=2, ordering=rule, capacity=Capacity(units_per_week=capacity)
    )
    return SupplyChain(tiers=(tier,), base_demand=base, horizon_weeks=20)


def test_an_order_that_takes_two_weeks_to_make() -> None:
    """40 units ordered in week 5 at 20 a week: 1 week in the mail, 2 of work, so 20 in week 8 and 20 in week 9."""
    result = run(plant(0, 20), Pulse(extra=40, week=5))
    assert result.delivered[:, 0].nonzero()[0].tolist() == [8, 9]
    told = delivery(result)
    assert told.gap_unit_weeks.tolist() == [3 * 40 + 20]
    assert told.complete_week.tolist() == [9]
    assert told.weekly["in_service"][7:10].to_list() == [0, 20, 40]
    assert rent_of_gap(told.gap_unit_weeks, 2.5).tolist() == [350]


def test_need_and_what_is_already_there() -> None:
    result = run(plant(0, 20), Pulse(extra=40, week=5))
    need = np.where(np.arange(20) >= 8, 50.0, 10.0)
    told = delivery(result, need, already=10)
    assert told.gap_unit_weeks.tolist() == [20]
    with pytest.raises(InputError, match="20 weeks"):
        delivery(result, need[:5])


def test_ordinary_and_extra_units_of_one_week_share_a_delivery() -> None:
    result = run(plant(10, 20), Pulse(extra=10, week=5))
    arrived = extra_delivered(result)[:, 0]
    assert (np.diff(arrived) >= 0).all()
    assert arrived[-1] == pytest.approx(10)
    assert arrived[4] == 0
    assert arrived[5] == pytest.approx(5)  # ten of the twenty asked for in week 5 came out of the running production


def test_an_order_that_never_arrives() -> None:
    told = delivery(run(plant(0, 0.5), Pulse(extra=40, week=5)))
    assert told.complete_week.tolist() == [np.inf]
