"""Amplification against the closed forms of the literature, within three standard errors.

Deviations are kept small against the mean, because the formulas let orders be negative and a chain does not.
"""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from metaroce.model.supply import Capacity, Ordering, Pulse, SupplyChain, Tier
from metaroce.supply.api import amplification, run

WEEKS = 3000
PATHS = 250


def ratios(chain: SupplyChain, expected: list[float], *, slack: float = 0.0) -> None:
    """`slack`: relative bias allowed, for the finite length of strongly correlated paths."""
    table = amplification(chain, np.full(WEEKS, 100.0), paths=PATHS, seed=11, warmup_weeks=200).tiers
    for ours, error, theirs in zip(
        table["variance_ratio_total"], table["variance_ratio_total_se"], expected, strict=True
    ):
        assert error < 0.02 * theirs
        assert abs(ours - theirs) < 3 * error + slack * theirs + 1e-9


def decentralised(L: int, p: int, k: int) -> float:
    """Variance at tier k over that of end demand: impulse responses of k equal moving-average tiers in a row."""
    return sum(comb(k, j) ** 2 * (1 + L / p) ** (2 * (k - j)) * (L / p) ** (2 * j) for j in range(k + 1))


@pytest.mark.parametrize(
    ("L", "p", "expected"), [(1, 5, 1.48), (2, 5, 2.12), (4, 5, 3.88), (4, 20, 1.48), (3, 5, 2.92)]
)
def test_moving_average(equal_tiers, L: int, p: int, expected: float) -> None:
    """Chen, Drezner, Ryan and Simchi-Levi 2000: 1 + 2L/p + 2L^2/p^2."""
    ratios(equal_tiers(1, L, forecast="moving_average", forecast_weeks=p), [expected])


@pytest.mark.parametrize("L", [1, 2, 4])
@pytest.mark.parametrize("rho", [0.5, -0.4, 0.9])
def test_moving_average_of_correlated_demand(equal_tiers, rho: float, L: int) -> None:
    """The same paper for AR(1) demand: 1 + (2L/p + 2L^2/p^2)(1 - rho^p)."""
    chain = equal_tiers(1, L, forecast="moving_average", forecast_weeks=5)
    expected = 1 + (2 * L / 5 + 2 * L**2 / 25) * (1 - rho**5)
    ratios(chain.model_copy(update={"demand_correlation": rho}), [expected], slack=0.004)


@pytest.mark.parametrize(
    ("L", "expected"), [(2, [2.12, 5.1216, 13.51712, 37.70303]), (3, [2.92, 10.3696, 41.04352, 172.09074])]
)
def test_four_tiers_that_see_only_orders(equal_tiers, L: int, expected: list[float]) -> None:
    assert [decentralised(L, 5, k) for k in range(1, 5)] == pytest.approx(expected, rel=1e-6)
    ratios(equal_tiers(4, L, forecast="moving_average", forecast_weeks=5), expected)


def test_four_tiers_that_share_end_demand(equal_tiers) -> None:
    """Chen et al. 2000, centralised: 1 + 2 SL/p + 2 SL^2/p^2 with SL the lead times added up."""
    chain = equal_tiers(4, 2, forecast="moving_average", forecast_weeks=5, sees_end_demand=True, delay=0)
    ratios(chain, [2.12, 3.88, 6.28, 9.32])


@pytest.mark.parametrize(
    ("L", "alpha", "expected"),
    [(2, 0.2, [1.97778, 3.96472, 8.01681, 16.30262]), (4, 0.4, [7.4, 59.88, 500.456, 4248.347])],
)
def test_exponential_smoothing(equal_tiers, L: int, alpha: float, expected: list[float]) -> None:
    """Chen, Ryan and Simchi-Levi 2000 for one tier; impulse responses for four."""
    ratios(equal_tiers(4, L, cv=0.0005, forecast="exponential", forecast_alpha=alpha), expected)


@pytest.mark.parametrize(
    ("Ti", "cover", "orders", "stock"),
    [(1, 3, 1, 3), (1.618034, 3, 0.447214, 3.170820), (4, 3, 0.142857, 4.285714), (4, 6, 0.142857, 7.285714)],
)
def test_proportional_rule_with_a_constant_forecast(
    equal_tiers, Ti: float, cover: int, orders: float, stock: float
) -> None:
    """Disney et al. 2006: variance of orders 1/(2Ti - 1), of stock 1 + Tp + (Ti - 1)^2/(2Ti - 1); cover = Tp + 1."""
    chain = equal_tiers(1, cover, policy="proportional", correction_weeks=Ti, forecast="constant")
    demand = np.full(20_000, 100.0)
    table = amplification(chain, demand, paths=60, seed=5, warmup_weeks=200).tiers
    assert abs(table["variance_ratio_total"][0] - orders) < 3 * table["variance_ratio_total_se"][0] + 1e-9
    assert table["net_stock_ratio"][0] == pytest.approx(stock, rel=0.01)


@pytest.mark.parametrize(
    ("Ta", "Ti", "Tp", "expected"), [(1, 1, 2, 7), (8, 4, 2, 0.336134), (4, 4, 4, 0.682540), (8, 2, 3, 0.764706)]
)
def test_proportional_rule_with_smoothing(equal_tiers, Ta: float, Ti: float, Tp: int, expected: float) -> None:
    """Disney and Towill 2003; alpha = 1/(1 + Ta)."""
    rule = {"policy": "proportional", "correction_weeks": Ti, "forecast": "exponential", "forecast_alpha": 1 / (1 + Ta)}
    ratios(equal_tiers(1, Tp + 1, **rule), [expected])


def test_pulse_into_a_limited_plant() -> None:
    """Twice the demand for ten weeks against capacity 120: 800 are waiting at the peak, gone after 40 more weeks."""
    plant = Tier(
        name="plant", order_delay_weeks=0, lead_time_weeks=1, capacity=Capacity(units_per_week=120),
        ordering=Ordering(policy="pass_through", safety_factor=0),
    )  # fmt: skip
    result = run(SupplyChain(tiers=(plant,), base_demand=100), Pulse(extra=1000, week=5, weeks=10), keep_traces=True)
    queue = result.traces.of("unstarted")[:, 0, 0]
    assert queue.max() == 800
    assert queue.argmax() == 14
    assert np.flatnonzero(queue == 0)[np.flatnonzero(queue == 0) > 14][0] == 14 + 40
