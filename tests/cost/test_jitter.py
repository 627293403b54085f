"""The cost of jitter in units that add up, and the arithmetic of the field report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.cost.jitter import ReportedJitter, check_reported_jitter, jitter_cost
from metaroce.cost.prices import price_book
from metaroce.model.money import JitterLoad, Money

BOOK = price_book(Money())


def by_name(load):
    return {line.name: line.value for line in jitter_cost(load, BOOK)}


def test_by_hand():
    lines = by_name(JitterLoad(buffer_waste="1TB", reschedules_per_day=137, breaches_per_year=20))
    assert lines["buffer waste"] == pytest.approx(1000 * 8760 * 0.00012)
    assert lines["rescheduling"] == pytest.approx(137 * 365 * 0.8 * 0.15)
    assert lines["service penalties"] == 10_000


def test_nothing_wasted_costs_nothing():
    assert set(by_name(JitterLoad()).values()) == {0.0}


@given(size=st.integers(0, 10**15), moves=st.floats(0, 1e4), breaches=st.floats(0, 1e4))
def test_each_line_is_proportional_to_its_own_load(size, moves, breaches):
    one = by_name(JitterLoad(buffer_waste=size, reschedules_per_day=moves, breaches_per_year=breaches))
    two = by_name(JitterLoad(buffer_waste=2 * size, reschedules_per_day=2 * moves, breaches_per_year=2 * breaches))
    for name, value in one.items():
        assert two[name] == pytest.approx(2 * value)


def test_the_reports_own_arithmetic():
    rows = {row.name: row for row in check_reported_jitter()}
    moves = rows["rescheduling a year"]
    assert moves.claimed == 1_560_000
    assert moves.ours == pytest.approx(6_000, rel=1e-3)
    assert "$39" in moves.why and "260 times" in moves.why
    assert rows["memory behind the printed buffer waste"].ours == pytest.approx(2.66, abs=0.005)
    query = rows["what the printed query gives for that memory, a day"]
    assert query.claimed / query.ours == pytest.approx(1e9 / 24)
    assert query.ours * 365 == pytest.approx(2_800_000)
    assert rows["breaches behind the printed penalties, a quarter"].ours == 1780
    net = rows["net a year"]
    assert net.claimed == pytest.approx(2.1e6 - 2.8e6 - 1.56e6 - 4 * 0.89e6)
    assert net.ours - net.claimed == pytest.approx(1_560_000 - moves.ours)
    assert "sign is the same" in net.why


def test_the_check_follows_its_inputs():
    row = check_reported_jitter(ReportedJitter(gpu_hour_usd=39.0))[0]
    assert row.ours == pytest.approx(row.claimed, rel=1e-3)


def test_the_corrected_formula_gives_the_printed_dollars_for_that_memory():
    petabytes = next(row.ours for row in check_reported_jitter() if row.unit == "PB")
    assert by_name(JitterLoad(buffer_waste=round(petabytes * 1e15)))["buffer waste"] == pytest.approx(2.8e6)
