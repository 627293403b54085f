"""Prices, failure rates and racks: complete for the devices of the catalog, ordered, dated, sourced."""

from __future__ import annotations

import pytest

from metaroce.catalog.read import read_catalog
from metaroce.kit.errors import ScenarioError
from metaroce.model.accelerators import Gpu, Server
from metaroce.model.bill import BillPlan, FailureRate, RackKind
from metaroce.model.devices import Cable, Nic, Switch
from metaroce.model.money import Money, Price
from metaroce.model.reading import parse_yaml, validate

PRICES = read_catalog(Price, "prices")


@pytest.mark.parametrize(
    ("kind", "file"), [(Gpu, "gpus"), (Server, "servers"), (Nic, "nics"), (Switch, "switches"), (Cable, "cables")]
)
def test_every_device_of_the_catalog_has_a_price(kind, file):
    missing = set(read_catalog(kind, file)) - set(PRICES)
    assert not missing


def test_every_gpu_can_be_rented():
    assert {f"rental-{gpu}" for gpu in read_catalog(Gpu, "gpus")} <= set(PRICES)
    assert all(price.unit == "GPU-hour" for name, price in PRICES.items() if name.startswith("rental-"))


def test_catalog_prices_are_assumptions_with_a_range_date_and_source():
    for name, price in PRICES.items():
        assert price.assumption, name
        assert price.low <= price.value <= price.high, name
        assert price.date and len(price.source) >= 8, name


def test_parts_of_a_server_add_up_to_the_quoted_server():
    """310 k$ was the quote for an HGX H100 with NICs in August 2024."""
    whole = PRICES["dgx-h100"].value + 8 * PRICES["h100-sxm"].value + 8 * PRICES["connectx7-400g"].value
    assert whole == pytest.approx(310_000, rel=0.01)


def test_failure_rates_are_the_counts_of_their_sources():
    rates = read_catalog(FailureRate, "failure_rates")
    llama_gpu_hours = 16_384 * 54 * 24
    assert llama_gpu_hours == pytest.approx(21.23e6, rel=1e-3)
    assert rates["server"].mtbf_h == pytest.approx(llama_gpu_hours / 419 / 8, rel=0.002)
    assert rates["server"].low_h == pytest.approx(24_000 / 6.50, rel=0.002)
    assert rates["server"].high_h == pytest.approx(24_000 / 2.34, rel=0.002)
    assert rates["gpu"].mtbf_h == pytest.approx(llama_gpu_hours / (148 + 72 + 19 + 17), rel=0.002)
    assert rates["gpu"].high_h == pytest.approx(llama_gpu_hours / 148, rel=0.005)
    assert rates["nic"].mtbf_h == pytest.approx(llama_gpu_hours / 7, rel=0.002)
    assert rates["optic"].mtbf_h == pytest.approx(llama_gpu_hours / 35, rel=0.002)
    assert rates["optic"].high_h == pytest.approx(730 / 0.00057, rel=0.002)
    assert rates["switch"].high_h == pytest.approx(730 / 0.00051, rel=0.002)


def test_racks_are_read():
    racks = read_catalog(RackKind, "racks")
    assert BillPlan().rack.kind in racks
    assert racks["air-42kw"].kw * 1000 >= 4 * read_catalog(Server, "servers")["dgx-h100"].power_w


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prices: {h100-sxm: {value: -1}}", "greater than or equal to 0"),
        ("prices: {h100-sxm: {value: 10, low: 20}}", "low 20 <= value 10"),
        ("prices: {h100-sxm: {value: 10, low: 5, high: 8}}", "<= high 8"),
        ("prices: {h100-sxm: {value: 10, unit: GPU-week}}", "GPU-hour"),
        ("capital_rate: 8", "less than or equal to 1"),
        ("interval: 1", "less than 1"),
    ],
)
def test_bad_money_names_the_line(text, words):
    with pytest.raises(ScenarioError) as caught:
        validate(Money, parse_yaml(text, "study.yaml"))
    shown = str(caught.value)
    assert "study.yaml:1" in shown
    assert words in shown or words in caught.value.what


def test_bad_failure_rate_names_the_line():
    text = "spares:\n  rates:\n    nic: {mtbf_h: 10, low_h: 20, high_h: 30, per: NIC, source: own records}"
    with pytest.raises(ScenarioError, match="low_h 20 <= mtbf_h 10"):
        validate(BillPlan, parse_yaml(text, "study.yaml"))


def test_a_price_needs_a_date_and_a_source():
    with pytest.raises(ValueError, match="source"):
        Price(value=1, low=1, high=1, date="2026-01", source="x")
    with pytest.raises(ValueError, match="date"):
        Price(value=1, low=1, high=1, date="last year", source="an offer by mail")
