"""Numbers in words: what a reader sees is what was computed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.study.measured import Measured
from metaroce.study.words import dollars, percent, plain, scaled, seconds, span, span_seconds, week


@pytest.mark.parametrize(
    ("value", "text"),
    [(13_200_000, "$13.2 M"), (5_834, "$5,834"), (-1_470_378.4, "-$1.47 M"), (2.34e9, "$2.34 bn"), (1.5, "$1.50")],
)
def test_dollars(value, text):
    assert dollars(value) == text


@given(st.floats(1, 1e13))
def test_dollars_never_fall_into_exponents(value):
    assert "e+" not in dollars(value)


@pytest.mark.parametrize(
    ("value", "text"), [(12_345.6, "12,346"), (0.123456, "0.1235"), (99.95, "99.95"), (math.inf, "none"), (0, "0")]
)
def test_plain(value, text):
    assert plain(value) == text


@given(st.floats(1e-3, 1e12))
def test_plain_keeps_three_digits_of_the_value(value):
    assert float(plain(value).replace(",", "")) == pytest.approx(value, rel=1e-3)


def test_other_words():
    assert percent(0.83) == "83 %"
    assert seconds(math.inf) == "never"
    assert week(None) == "after the horizon"
    assert week(9) == "week 9"
    assert span(Measured(2, 1, 3)) == "1 to 3"
    assert span(Measured.exact(2)) == span_seconds(Measured.exact(2)) == ""
    assert scaled(Measured(2, 1, 3, "s"), 1e3) == Measured(2000, 1000, 3000, "s")
