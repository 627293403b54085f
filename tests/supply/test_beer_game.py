"""The beer game, played by the general engine: only its configuration says that it is the beer game.

Source: Sterman, Management Science 35(3), 1989; costs 0.50 a case in stock and 1.00 a case in backlog per week.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from metaroce.supply.api import run
from metaroce.supply.result import SupplyResult

DEMAND = np.array([4.0] * 4 + [8.0] * 32)

BENCHMARK = {
    "policy": "sterman", "stock_adjustment": 1, "supply_line_weight": 1, "forecast": "constant", "forecast_value": 4,
    "desired_stock": 28, "factory": {"desired_stock": 20},
}  # fmt: skip
PEOPLE = {"policy": "sterman", "desired_stock": 17, "forecast_alpha": 0.36}
GAMES = {
    "benchmark_S28_20": BENCHMARK,
    "pass_through": {"policy": "pass_through"},
    "sterman_mean_params": {**PEOPLE, "whole_units": True},
    "sterman_mean_params_unrounded": PEOPLE,
}


@pytest.fixture(scope="module")
def play(beer_game):
    return lambda name: run(beer_game(**GAMES[name]), DEMAND, keep_traces=True)


def costs(result: SupplyResult) -> list[float]:
    assert result.traces is not None
    weekly = 0.5 * result.traces.of("on_hand") + 1.0 * result.traces.of("backlog")
    return weekly.sum(axis=0)[:, 0].tolist()


def test_benchmark_costs_204(play) -> None:
    assert costs(play("benchmark_S28_20")) == [46, 50, 54, 54]


def test_passing_orders_through_costs_792(play) -> None:
    result = play("pass_through")
    assert costs(result) == [330, 242, 154, 66]
    orders = result.traces.of("order")[:, :, 0]
    assert orders.max(axis=0).tolist() == [8, 8, 8, 8]
    assert (orders.argmax(axis=0) + 1).tolist() == [5, 7, 9, 11]
    net = result.traces.of("on_hand") - result.traces.of("backlog")
    assert net[:, :, 0].min(axis=0).tolist() == [-12, -8, -4, 0]


def test_people_cost_2694(play) -> None:
    result = play("sterman_mean_params")
    assert costs(result) == [299, 695, 962.5, 737.5]
    orders = result.traces.of("order")[:, :, 0]
    assert orders.max(axis=0).tolist() == [11, 17, 27, 33]
    assert (orders.argmax(axis=0) + 1).tolist() == [8, 15, 18, 20]


def test_people_with_fractions_cost_2479(play) -> None:
    assert sum(costs(play("sterman_mean_params_unrounded"))) == pytest.approx(2479.48, abs=0.005)


@pytest.mark.parametrize("name", GAMES)
def test_every_week_equals_the_reference_traces(name: str, play, shared: Path) -> None:
    reference = pl.read_csv(shared / "data" / "beer_game_reference_traces.csv").filter(pl.col("run") == name)
    traces = play(name).traces
    assert traces is not None
    for k, tier in enumerate(traces.tiers):
        rows = reference.filter(pl.col("tier") == tier).sort("week")
        net = traces.of("on_hand")[:, k, 0] - traces.of("backlog")[:, k, 0]
        np.testing.assert_allclose(rows["incoming_order"], traces.of("incoming")[:, k, 0], atol=1e-6)
        np.testing.assert_allclose(rows["order_placed"], traces.of("order")[:, k, 0], atol=1e-6)
        np.testing.assert_allclose(rows["net_inventory"], net, atol=1e-6)
