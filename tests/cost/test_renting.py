"""Rented bursts and the gap of late hardware."""

from __future__ import annotations

import pytest

from metaroce.cost.lines import amount
from metaroce.cost.prices import price_book
from metaroce.cost.renting import rented_burst, shortage
from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Money, Quote

MONEY = Money(prices={"rental-h200": Quote(value=4, low=3, high=6)})
BOOK = price_book(MONEY)


def test_rented_burst_by_hand():
    line = rented_burst(1_000, "h200", MONEY, BOOK)
    assert (line.low, line.value, line.high) == (3_000, 4_000, 6_000)
    assert line.formula == "1,000 GPU-hours at $4"


def test_a_gap_of_gpu_weeks_is_168_hours_each():
    assert shortage(10, "h200", MONEY, BOOK).value == 10 * 168 * 4


def test_a_gap_with_an_interval():
    line = shortage(amount("gap", 10, 0, 30, unit="GPU-weeks"), "h200", MONEY, BOOK)
    assert (line.low, line.value, line.high) == (0, 6_720, 30 * 168 * 6)


@pytest.mark.parametrize("hours", [-1, float("inf"), float("nan")])
def test_bad_hours(hours):
    with pytest.raises(ScenarioError, match="finite"):
        rented_burst(hours, "h200", MONEY, BOOK)
