"""The table of tiers against numpy on the kept traces."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.model.supply import Capacity, OtherBuyers, SupplyChain, Tier
from metaroce.supply.api import run
from metaroce.supply.measures import bands

UNITS = np.array([1.0, 8.0])


@pytest.fixture(scope="module")
def result():
    chip = Tier(
        name="chip",
        units_per_parent=8,
        capacity=Capacity(over_ordinary=1.2),
        other_buyers=OtherBuyers(share_of_market=0.5),
    )
    chain = SupplyChain(tiers=(Tier(name="board"), chip), base_demand=50, demand_cv=0.2)
    demand = np.full(120, 50.0)
    demand[60] = 300
    return run(chain, demand, paths=40, seed=2, warmup_weeks=20, keep_traces=True)


def test_amplification(result) -> None:
    counted = {name: result.traces.of(name)[20:] / UNITS[None, :, None] for name in ("order", "incoming")}
    orders, incoming, end = counted["order"], counted["incoming"], result.demand[20:]
    variance, of_end = orders.var(axis=0).mean(axis=1), end.var(axis=0).mean()
    table = result.tiers
    np.testing.assert_allclose(table["variance_ratio"], variance / incoming.var(axis=0).mean(axis=1))
    np.testing.assert_allclose(table["variance_ratio_total"], variance / of_end)
    mean, asked_mean = orders.mean(axis=(0, 2)), incoming.mean(axis=(0, 2))
    np.testing.assert_allclose(table["cv2_ratio"], table["variance_ratio"].to_numpy() * (asked_mean / mean) ** 2)
    np.testing.assert_allclose(
        table["cv2_ratio_total"], table["variance_ratio_total"].to_numpy() * (end.mean() / mean) ** 2
    )
    np.testing.assert_allclose(table["peak_ratio"], orders.max(axis=0).mean(axis=1) / incoming.max(axis=0).mean(axis=1))
    np.testing.assert_allclose(table["peak_ratio_total"], orders.max(axis=0).mean(axis=1) / end.max(axis=0).mean())
    np.testing.assert_allclose(table["peak_order"], orders.max(axis=0).mean(axis=1) * UNITS)
    np.testing.assert_allclose(table["peak_over_ordinary"], table["peak_order"].to_numpy() / [50, 800])
    np.testing.assert_allclose(table["peak_week"], np.median(orders.argmax(axis=0) + 20, axis=1))


def test_service(result) -> None:
    of = result.traces.of
    asked, backlog, stock = (of(name)[20:] for name in ("incoming", "backlog", "on_hand"))
    short = np.minimum(asked, backlog).sum(axis=(0, 2)) / asked.sum(axis=(0, 2))
    np.testing.assert_allclose(result.tiers["fill_rate"], 1 - short)
    np.testing.assert_allclose(result.tiers["backlog_peak"], backlog.max(axis=0).mean(axis=1))
    net = ((stock - backlog) / UNITS[None, :, None]).var(axis=0).mean(axis=1)
    np.testing.assert_allclose(result.tiers["net_stock_ratio"], net / result.demand[20:].var(axis=0).mean())
    assert result.fill_rate == result.tiers["fill_rate"][0]


def test_weekly_bands_and_deliveries(result) -> None:
    backlog = result.traces.of("backlog")[70, 1]
    row = result.weekly.filter(tier="chip", week=70, quantity="backlog").row(0, named=True)
    expected = [backlog.mean(), *np.quantile(backlog, (0.1, 0.5, 0.9))]
    np.testing.assert_allclose([row[name] for name in ("mean", "p10", "p50", "p90")], expected)
    total = np.quantile(result.delivered.cumsum(axis=0), 0.9, axis=1)
    np.testing.assert_allclose(result.deliveries["total_p90"], total)


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_bands_are_numpys_quantiles(count: int) -> None:
    values = np.random.default_rng(count).standard_normal((3, count))
    np.testing.assert_allclose(bands(values), np.quantile(values, (0.1, 0.5, 0.9), axis=1), rtol=1e-12)
