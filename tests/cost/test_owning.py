"""Capital, annuity, power, place, people: by hand, and how they scale."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.cost.lines import amount
from metaroce.cost.owning import avoided_gpus, capex, owned_gpu_hour, owning_per_year, yearly_share
from metaroce.cost.prices import price_book
from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Money, Quote


@dataclass(frozen=True)
class Part:
    item: str
    kind: str
    name: str
    quantity: int
    power_w: float = 0.0


MONEY = Money(
    prices={
        "gpu": Quote(value=20_000, low=18_000, high=30_000),
        "box": Quote(value=50_000),
        "net": Quote(value=30_000, low=30_000, high=60_000),
        "electricity": Quote(value=0.10),
        "colocation": Quote(value=200),
        "operations": Quote(value=5_000),
    },
    compute_years=4, network_years=5, capital_rate=0, maintenance=0.05, pue=1.2, mean_power=0.5,
)  # fmt: skip
BOOK = price_book(MONEY)
BILL = (
    Part("GPU", "gpu", "gpu", 16),
    Part("server", "server", "box", 2, 10_000.0),
    Part("switch", "switch", "net", 1, 1_000.0),
    Part("nothing", "optic", "no-such-price", 0),
)


def test_capex_by_hand():
    lines = capex(BILL, BOOK)
    assert [line.value for line in lines] == [320_000, 100_000, 30_000]
    assert sum(line.low for line in lines) == 16 * 18_000 + 100_000 + 30_000
    assert sum(line.high for line in lines) == 16 * 30_000 + 100_000 + 60_000
    assert lines[0].formula == "16 x gpu at $20,000"


def test_a_year_of_owning_by_hand():
    lines = {line.name: line.value for line in owning_per_year(BILL, MONEY, BOOK)}
    assert lines["GPU"] == 320_000 / 4
    assert lines["server"] == 100_000 / 4
    assert lines["switch"] == 30_000 / 5
    assert lines["maintenance"] == pytest.approx(0.05 * 450_000)
    assert lines["electricity"] == pytest.approx(21 * 0.5 * 1.2 * 8760 * 0.10)
    assert lines["space and cooling"] == 21 * 12 * 200
    assert lines["operations"] == 2 * 5_000


def test_owned_gpu_hour():
    yearly = owning_per_year(BILL, MONEY, BOOK)
    hour = owned_gpu_hour(yearly, 16)
    assert hour.value == pytest.approx(sum(line.value for line in yearly) / 16 / 8760)
    assert hour.low <= hour.value <= hour.high
    with pytest.raises(ScenarioError, match="0 GPUs"):
        owned_gpu_hour(yearly, 0)


def test_gpus_not_needed_are_their_part_of_the_year():
    yearly = owning_per_year(BILL, MONEY, BOOK)
    saved = avoided_gpus(yearly, 16, amount("saved", 4, -2, 8))
    assert saved.value == pytest.approx(sum(line.value for line in yearly) / 4)
    assert saved.low < 0 < saved.high


@pytest.mark.parametrize(
    ("years", "rate", "resale", "share"),
    [
        (5, 0.0, 0.0, 0.2),
        (5, 0.0, 0.25, 0.15),
        (4, 0.08, 0.0, 0.3019208045),  # annuity factor 1 / 3.3121268400
        (1, 0.10, 0.0, 1.1),
        (1, 0.10, 1.0, 0.1),  # sold at cost after a year: only the interest is left
    ],
)
def test_yearly_share(years, rate, resale, share):
    assert yearly_share(years, rate, resale) == pytest.approx(share, rel=1e-9)


@given(years=st.floats(0.5, 20), rate=st.floats(0, 1), more=st.floats(0.001, 0.2))
def test_dearer_money_and_shorter_lives_cost_more(years, rate, more):
    assert yearly_share(years, rate + more) > yearly_share(years, rate)
    assert yearly_share(years, rate) > yearly_share(years * (1 + more), rate)
    assert yearly_share(years, rate) * years >= 1 - 1e-9


@given(factor=st.integers(2, 50))
def test_owning_scales_with_the_bill(factor):
    more = tuple(Part(p.item, p.kind, p.name, p.quantity * factor, p.power_w) for p in BILL)
    one = sum(line.value for line in owning_per_year(BILL, MONEY, BOOK))
    assert sum(line.value for line in owning_per_year(more, MONEY, BOOK)) == pytest.approx(factor * one)


def test_annuity_pays_the_debt_back():
    """Borrow 1 at 8 %, pay the share each year: nothing is owed after six years, and 0.3 when resale is 0.3."""
    for resale in (0.0, 0.3):
        owed = 1.0
        for _ in range(6):
            owed = owed * 1.08 - yearly_share(6, 0.08, resale)
        assert owed == pytest.approx(resale, abs=1e-12)


def test_bad_input():
    with pytest.raises(ScenarioError, match="useful life"):
        yearly_share(0, 0.1)
    with pytest.raises(ScenarioError, match="no price for 'unheard-of'"):
        capex([Part("x", "gpu", "unheard-of", 1)], BOOK)
    with pytest.raises(ScenarioError, match="-1 of gpu"):
        capex([Part("x", "gpu", "gpu", -1)], BOOK)
