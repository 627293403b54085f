"""Intervals over seeds: Student's t of the mean, extents of counts, nothing below zero that cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.study.measured import Measured


def test_students_interval_of_the_mean():
    # mean 3, s = sqrt(2.5), t(0.975, 4) = 2.7764: half width 2.7764 x 1.5811 / sqrt(5) = 1.9632
    found = Measured.over_seeds([1, 2, 3, 4, 5])
    assert (found.value, found.low, found.high) == pytest.approx((3.0, 3 - 1.9632, 3 + 1.9632), abs=1e-4)


def test_what_is_never_negative_stays_so():
    assert Measured.over_seeds([0.0, 10.0]).low == 0.0
    assert Measured.over_seeds([-1.0, 10.0]).low < 0


def test_one_seed_has_no_interval_and_counts_have_extents():
    assert Measured.over_seeds([4.0]) == Measured(4.0, 4.0, 4.0)
    assert Measured.extent([17, 21, 19], value=19) == Measured(19.0, 17.0, 21.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9), st.floats(-1e6, 1e6))
def test_the_value_lies_in_its_interval(values, pooled):
    found = Measured.over_seeds(values, value=pooled)
    assert found.low <= found.value <= found.high
