"""The rules as arithmetic: each is a line that can be done by hand."""

from __future__ import annotations

from typing import get_args

import pytest

from metaroce.model.supply import AllocationName, ForecastName, PolicyName
from metaroce.supply import forecasts, policies
from metaroce.supply.plan import ALLOCATIONS

SEEN = {"demand": 12.0, "forecast": 10.0, "net": 7.0, "on_order": 20.0, "surplus": 2.0, "cover": 4.0, "safety": 5.0}


@pytest.mark.parametrize(
    ("name", "p", "expected"),
    [
        ("order_up_to", (), 4 * 10 + 5 - 7 - 20),
        ("proportional", (2.0,), 10 + (3 * 10 + 5 - 7 - 20) / 2),
        ("proportional", (1.0,), 4 * 10 + 5 - 7 - 20),
        ("sterman", (0.5, 0.25, 30.0), 10 + 0.5 * (30 - 7 - 0.25 * 20)),
        ("pass_through", (), 12 - 2),
    ],
)
def test_order(name: str, p: tuple[float, ...], expected: float) -> None:
    assert policies.POLICIES[name](p, **SEEN) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("exponential", 10.5), ("moving_average", 10 + (12 - 4) / 8), ("naive", 12), ("constant", 10)],
)
def test_forecast(name: str, expected: float) -> None:
    assert forecasts.FORECASTS[name](10.0, 12.0, 4.0, (8.0, 0.25)) == expected


def test_tables_hold_every_name_and_the_codes_fit() -> None:
    assert tuple(policies.POLICIES) == get_args(PolicyName)
    assert tuple(forecasts.FORECASTS) == get_args(ForecastName)
    assert set(ALLOCATIONS) == set(get_args(AllocationName))
    assert list(policies.POLICIES)[policies.STERMAN] == "sterman"
    assert list(policies.POLICIES)[policies.PASS_THROUGH] == "pass_through"
    assert list(forecasts.FORECASTS)[forecasts.MOVING_AVERAGE] == "moving_average"
    assert list(forecasts.FORECASTS)[forecasts.CONSTANT] == "constant"
