"""Account lines: value, bounds, scaling, text of dollars."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.cost.lines import Line, Term, amount, count, dollars, merged, scaled
from metaroce.kit.errors import ScenarioError

ranges = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3).map(sorted)


def test_value_and_bounds_by_hand():
    gpus = amount("gpus", 10, 8, 12)
    price = amount("price", 100, 90, 130)
    line = Line("l", (Term(2.0, (gpus, price)), Term(5.0)), "2 x gpus x price + 5")
    assert line.value == 2 * 10 * 100 + 5
    assert line.low == 2 * 8 * 90 + 5
    assert line.high == 2 * 12 * 130 + 5
    assert [factor.name for factor in line.factors] == ["gpus", "price"]


def test_a_negative_amount_turns_the_bounds_around():
    line = Line("l", (Term(1.0, (amount("a", 0, -2, 3), amount("b", 5, 4, 6))),), "")
    assert (line.low, line.high) == (-12, 18)
    assert Line("l", (Term(-1.0, (amount("b", 5, 4, 6),)),), "").low == -6


@given(a=ranges, b=ranges, coefficient=st.floats(-100, 100), pick=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_bounds_hold_everything_between(a, b, coefficient, pick):
    fa, fb = amount("a", a[1], a[0], a[2]), amount("b", b[1], b[0], b[2])
    line = Line("l", (Term(coefficient, (fa, fb)),), "")
    inside = line.at({"a": a[0] + pick[0] * (a[2] - a[0]), "b": b[0] + pick[1] * (b[2] - b[0])})
    slack = 1e-9 * (1 + abs(line.low) + abs(line.high))
    assert line.low - slack <= line.value <= line.high + slack
    assert line.low - slack <= inside <= line.high + slack


def test_scaled_and_merged_keep_their_factors():
    price = amount("p", 3, 2, 4)
    one = Line("one", (Term(2.0, (price,)),), "", "capital")
    both = merged((one, one), name="both", formula="one + one")
    assert both.value == 12
    half = scaled(both, amount("share", 0.5), name="half", formula="")
    assert half.value == 6
    assert np.allclose(half.at({"p": np.array([2.0, 4.0])}), [4, 8])


@pytest.mark.parametrize(("low", "value", "high"), [(2, 1, 3), (0, 4, 3), (0, float("nan"), 1), (0, 1, float("inf"))])
def test_amount_out_of_order(low, value, high):
    with pytest.raises(ScenarioError, match="does not hold"):
        amount("x", value, low, high)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (27_000, "$27,000"),
        (0.15, "$0.15"),
        (0.00012, "$0.00012"),
        (2.9, "$2.90"),
        (-5_820_000, "-$5,820,000"),
        (0, "$0"),
    ],
)
def test_dollars(value, text):
    assert dollars(value) == text


def test_count():
    assert (count(1024), count(0.8), count(40_003.96), count(2.5)) == ("1,024", "0.8", "40,004", "2.5")
