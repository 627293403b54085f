"""Allocation rules against Cachon and Lariviere 1999, and what each promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.supply import allocation

RULES = (allocation.proportional, allocation.linear, allocation.uniform, allocation.in_order)


def divide(rule, claims: list[float], available: float) -> np.ndarray:
    shares = np.full(len(claims), np.nan)
    rule(np.array(claims), available, shares)
    return shares


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (allocation.proportional, [21.4286, 35.7143, 42.8571]),
        (allocation.linear, [16.6667, 36.6667, 46.6667]),
        (allocation.uniform, [30, 35, 35]),
        (allocation.in_order, [30, 50, 20]),
    ],
)
def test_published_example(rule, expected: list[float]) -> None:
    np.testing.assert_allclose(divide(rule, [30.0, 50.0, 60.0], 100.0), expected, atol=5e-5)


shortages = st.lists(st.floats(0, 1000), min_size=1, max_size=6).filter(lambda claims: sum(claims) > 1e-3)


@pytest.mark.parametrize("rule", RULES)
@given(claims=shortages, share=st.floats(0, 0.999))
def test_everything_is_given_away_and_nobody_gets_more_than_asked(rule, claims: list[float], share: float) -> None:
    available = share * sum(claims)
    shares = divide(rule, claims, available)
    assert shares.sum() == pytest.approx(available, rel=1e-9, abs=1e-9)
    assert (shares >= 0).all()
    assert (shares <= np.array(claims) * (1 + 1e-12) + 1e-12).all()


@given(claims=shortages, share=st.floats(0, 0.999), more=st.floats(0, 1000))
def test_a_larger_order_never_helps_under_uniform_shares(claims: list[float], share: float, more: float) -> None:
    """Manipulation-proof: who gets less than it asks for gets no more by asking for more."""
    available = share * sum(claims)
    before = divide(allocation.uniform, claims, available)[0]
    if before < claims[0] * (1 - 1e-9):
        after = divide(allocation.uniform, [claims[0] + more, *claims[1:]], available)[0]
        assert after == pytest.approx(before, rel=1e-9, abs=1e-9)
