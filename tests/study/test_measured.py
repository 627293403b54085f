"""Intervals: Student's, by hand; they hold their value and stay where values can be."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.study.measured import Measured

VALUES = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=12)


def test_students_interval_by_hand():
    """Values 1, 2, 3: mean 2, deviation 1, t(0.975, 2) = 4.303, half = 4.303 / sqrt 3 = 2.484; never below zero."""
    found = Measured.over_seeds([1.0, 2.0, 3.0], "s")
    assert found.value == 2.0
    assert found.high == pytest.approx(2 + 4.302653 / math.sqrt(3), rel=1e-6)
    assert found.low == 0.0
    assert Measured.over_seeds([-1.0, 0.0, 1.0]).low == pytest.approx(-4.302653 / math.sqrt(3), rel=1e-6)


@given(VALUES, st.floats(-1e9, 1e9))
def test_intervals_hold_their_value(values, pooled):
    for found in (
        Measured.over_seeds(values),
        Measured.over_seeds([*values, pooled], value=pooled),
        Measured.extent(values),
        Measured.extent(values, value=pooled),
    ):
        assert found.low <= found.value <= found.high


@given(VALUES)
def test_the_extent_is_that_of_the_seeds(values):
    found = Measured.extent(values)
    assert (found.low, found.high) == (min(values), max(values))
    assert found.value in values


def test_equal_seeds_have_no_spread():
    assert Measured.over_seeds([3.0, 3.0, 3.0]) == Measured.exact(3.0)
    assert Measured.over_seeds([3.0]) == Measured.exact(3.0)
