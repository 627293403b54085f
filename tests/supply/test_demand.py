"""Demand by week, its noise, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.model.supply import OtherBuyers, Pulse, SupplyChain, Tier
from metaroce.supply.api import amplification, ordinary_demand, pulse, run
from metaroce.supply.demand import demand_by_week, draw
from metaroce.supply.edges import volumes


def test_pulse() -> None:
    assert pulse(2, 30, 3, weeks=2, horizon=7).tolist() == [2, 2, 2, 17, 17, 2, 2]
    assert ordinary_demand(312) == 2


@pytest.mark.parametrize(("week", "weeks"), [(-1, 1), (7, 1), (5, 3), (0, 0)])
def test_pulse_must_fit(week: int, weeks: int) -> None:
    with pytest.raises(InputError, match="outside a horizon"):
        pulse(1, 10, week, weeks=weeks, horizon=7)


@pytest.mark.parametrize("demand", [[], [1.0, -1.0], [1.0, float("nan")], [[[1.0]]]])
def test_impossible_demand_is_refused(demand: list) -> None:
    with pytest.raises(InputError):
        demand_by_week(SupplyChain(), demand)


def test_bad_calls_are_refused() -> None:
    with pytest.raises(InputError, match="paths"):
        run(SupplyChain(), Pulse(extra=1), paths=0)
    with pytest.raises(InputError, match="warm-up"):
        run(SupplyChain(), Pulse(extra=1), warmup_weeks=104)
    with pytest.raises(InputError, match="warm-up"):
        amplification(SupplyChain(), Pulse(extra=1), warmup_weeks=-1)


def noisy(**more) -> SupplyChain:
    buyers = OtherBuyers(units_per_week=50, demand_cv=0.1)
    return SupplyChain(tiers=(Tier(name="a", other_buyers=buyers),), base_demand=100, demand_cv=0.05, **more)


def test_noise_has_the_deviation_and_correlation_asked_for() -> None:
    outside = draw(noisy(demand_correlation=0.9), np.full(400, 100.0), 0, 200, 1)
    ours, theirs = outside
    assert ours.std() == pytest.approx(5, rel=0.03)
    assert np.mean((ours[1:] - 100) * (ours[:-1] - 100)) / ours.var() == pytest.approx(0.9, abs=0.01)
    assert (theirs.mean(), theirs.std()) == pytest.approx((50, 5), rel=0.02)
    assert abs(np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]) < 0.02


def test_more_paths_and_changed_tiers_leave_the_other_numbers_alone() -> None:
    weeks = np.full(10, 100.0)
    alone = noisy().model_copy(update={"tiers": (Tier(name="a"),)})
    np.testing.assert_array_equal(draw(noisy(), weeks, 3, 7, 5)[0], draw(alone, weeks, 3, 7, 5)[0])
    first = run(noisy(), weeks, paths=1000, seed=5).demand
    np.testing.assert_array_equal(run(noisy(), weeks, paths=1200, seed=5).demand[:, :1000], first)


def test_paths_are_collapsed_when_nothing_is_random_and_given_ones_are_used() -> None:
    quiet = SupplyChain(tiers=(Tier(name="a"),), base_demand=10)
    assert run(quiet, np.full(5, 10.0), paths=500).paths == 1
    given = np.array([[10.0, 20.0], [10.0, 0.0]])
    np.testing.assert_array_equal(run(quiet, given).demand, given)


def test_ordinary_volumes_follow_bill_and_market_share() -> None:
    chain = SupplyChain(base_demand=10, tiers=(
        Tier(name="equipment"), Tier(name="chip", units_per_parent=8, other_buyers=OtherBuyers(share_of_market=0.25)),
        Tier(name="foundry", units_per_parent=0.5, other_buyers=OtherBuyers(units_per_week=40)),
    ))  # fmt: skip
    total, others, _ = volumes(chain)
    assert total.tolist() == [10, 320, 200]
    assert others.tolist() == [0, 240, 40]
