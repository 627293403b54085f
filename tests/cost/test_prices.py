"""The price book: catalog under the scenario's quotes, units checked."""

from __future__ import annotations

import pytest

from metaroce.cost.prices import price_book, rental_name
from metaroce.kit.errors import ScenarioError
from metaroce.model.money import Money, Quote


def test_a_quote_takes_the_place_of_the_catalog_and_is_firm():
    book = price_book(Money(prices={"h100-sxm": Quote(value=24_500, source="offer of 3 March")}))
    price = book.price("h100-sxm")
    assert (price.low, price.value, price.high, price.assumption) == (24_500, 24_500, 24_500, False)
    assert "3 March" in price.source
    assert price_book(Money()).price("h100-sxm").low < price_book(Money()).price("h100-sxm").high


def test_a_quote_keeps_the_unit_of_the_catalog():
    book = price_book(Money(prices={"electricity": Quote(value=0.11, low=0.09, high=0.14)}))
    assert book.factor("electricity", "kWh").value == 0.11
    assert book.price("electricity", "kWh").low == 0.09


def test_a_new_name_is_each():
    assert price_book(Money(prices={"my-gpu": Quote(value=1.0)})).price("my-gpu").unit == "each"


def test_unknown_name_tells_how_to_give_one():
    with pytest.raises(ScenarioError) as caught:
        price_book(Money()).price("h100-smx")
    assert "no price for 'h100-smx'" in caught.value.what
    assert "h100-sxm" in caught.value.hint
    assert "money.prices.h100-smx" in caught.value.hint


def test_wrong_unit_is_refused():
    with pytest.raises(ScenarioError, match="per GPU-hour, and each is asked"):
        price_book(Money()).price("rental-h100-sxm")


def test_rental_name():
    assert rental_name(Money(), "h200") == "rental-h200"
    assert rental_name(Money(rental="rental-b200"), "h200") == "rental-b200"
