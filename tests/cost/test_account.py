"""The two-column account: intervals, shared prices, sensitivity, sameness of runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.cost.account import account, draw
from metaroce.cost.lines import Line, Term, amount
from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Money

PRICE = amount("price", 100, 80, 180)
OTHER = amount("other", 10, 5, 15)


def line(name, coefficient, *factors):
    return Line(name, (Term(coefficient, factors),), f"{coefficient} x ...")


def test_by_hand_with_firm_prices():
    firm = amount("firm", 7)
    result = account([line("saved", 3, firm)], [line("paid", 1, firm), line("fee", 2)], Money(draws=10), seed=1)
    assert (result.gain.value, result.cost.value, result.net.value) == (21, 9, 12)
    assert (result.net.low, result.net.mean, result.net.high) == (12, 12, 12)
    assert result.gain_wins == 1.0
    assert result.swings == ()


def test_a_price_on_both_sides_cancels():
    result = account([line("saved", 5, PRICE)], [line("paid", 5, PRICE)], Money(), seed=1)
    assert result.gains[0].low < result.gains[0].high
    assert (result.net.low, result.net.high) == (0, 0)


def test_interval_holds_the_value_and_narrows_in_the_sum():
    costs = [line("a", 1, PRICE), line("b", 10, OTHER)]
    result = account([], costs, Money(), seed=3)
    for entry in (*result.costs, result.cost):
        assert entry.low < entry.value < entry.high
    summed = sum(entry.high - entry.low for entry in result.costs)
    assert result.cost.high - result.cost.low < summed
    assert result.net.value == -200


@pytest.mark.parametrize(("spread", "mean"), [("pert", (80 + 400 + 180) / 6), ("triangular", (80 + 100 + 180) / 3)])
def test_mean_of_the_distribution(spread, mean):
    draws = draw(PRICE, 200_000, spread, seed=2)
    sigma = draws.std() / np.sqrt(len(draws))
    assert abs(draws.mean() - mean) < 4 * sigma
    assert draws.min() >= 80 and draws.max() <= 180


def test_pert_variance():
    """Var = (mean - low)(high - mean) / 7 for the PERT with weight 4."""
    draws = draw(PRICE, 200_000, "pert", seed=5)
    mean = (80 + 400 + 180) / 6
    assert draws.var() == pytest.approx((mean - 80) * (180 - mean) / 7, rel=0.02)


def test_a_new_line_leaves_the_old_draws_alone():
    one = account([], [line("a", 1, PRICE)], Money(), seed=9)
    two = account([line("g", 1, OTHER)], [line("b", 2, OTHER), line("a", 1, PRICE)], Money(), seed=9)
    assert one.costs[0] == two.costs[1]
    assert account([], [line("a", 1, PRICE)], Money(), seed=9) == one
    assert account([], [line("a", 1, PRICE)], Money(), seed=10) != one


def test_interval_covers_its_share_of_the_draws():
    draws = draw(PRICE, 4000, "pert", seed=4)
    entry = account([], [line("a", 1, PRICE)], Money(interval=0.8), seed=4).costs[0]
    inside = np.mean((draws >= entry.low) & (draws <= entry.high))
    assert inside == pytest.approx(0.8, abs=0.001)


def test_swings_are_sorted_and_exact():
    result = account([line("g", 4, PRICE)], [line("c", 1, PRICE), line("d", 2, OTHER)], Money(), seed=1)
    assert [swing.name for swing in result.swings] == ["price", "other"]
    assert result.swings[0].net_at_low == 3 * 80 - 20
    assert result.swings[0].net_at_high == 3 * 180 - 20
    assert result.swings[1].width == 20


@given(
    low=st.floats(0, 1e6), up=st.floats(0, 1e6), more=st.floats(0, 1e6), spread=st.sampled_from(["pert", "triangular"])
)
def test_draws_stay_in_range(low, up, more, spread):
    factor = amount("x", low + up, low, low + up + more)
    draws = draw(factor, 50, spread, seed=1)
    slack = 1e-9 * (1 + factor.high)
    assert draws.shape == (50,)
    assert (draws >= factor.low - slack).all() and (draws <= factor.high + slack).all()


def test_one_name_with_two_ranges_is_refused():
    with pytest.raises(ScenarioError, match="two ranges"):
        account([line("a", 1, PRICE)], [line("b", 1, amount("price", 100, 90, 110))], Money(), seed=1)


def test_empty_account():
    result = account([], [], Money(draws=5), seed=1)
    assert (result.net.value, result.gain_wins) == (0, 0.0)
