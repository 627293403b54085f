"""Own or rent: the newsvendor on the load-duration curve, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.cost.base_burst import base_burst
from metaroce.kit.errors import ScenarioError


def test_by_hand():
    """Ten hours: 100 GPUs in two of them, 40 in three, 10 in five. c_own / c_rent = 0.4."""
    load = [100] * 2 + [40] * 3 + [10] * 5
    split = base_burst(load, 1.0, 2.5)
    assert split.own == 40  # P(load > 40) = 0.2 <= 0.4 < P(load > 39)
    assert split.hours_short == 0.2
    assert split.rented_gpus == pytest.approx(0.2 * 60)
    assert split.cost == pytest.approx(40 * 1.0 + 12 * 2.5)
    assert split.cost_own_peak == 100
    assert split.cost_rent_all == pytest.approx((200 + 120 + 50) / 10 * 2.5)
    assert split.rented_share == pytest.approx(12 / 37)
    assert split.idle_share == pytest.approx(1 - 25 / 40)
    assert "0.4" in split.formula and "40 GPUs" in split.formula


@given(
    load=st.lists(st.integers(0, 60), min_size=1, max_size=40),
    own=st.floats(0.01, 10),
    rent=st.floats(0.01, 10),
    step=st.integers(1, 9),
)
def test_no_other_multiple_is_cheaper(load, own, rent, step):
    split = base_burst(load, own, rent, step=step)
    curve = np.array(load, dtype=float)
    candidates = np.arange(0, 60 + step + 1, step)
    costs = candidates * own + np.maximum(curve[None, :] - candidates[:, None], 0).mean(axis=1) * rent
    assert split.own % step == 0
    assert split.cost == pytest.approx(costs.min(), rel=1e-9, abs=1e-9)
    assert split.cost <= split.cost_own_peak + 1e-9
    assert split.cost <= split.cost_rent_all + 1e-9


@given(load=st.lists(st.floats(0, 1000), min_size=1, max_size=50), ratio=st.floats(0.05, 0.95))
def test_own_is_the_quantile_of_the_curve(load, ratio):
    split = base_burst(load, ratio, 1.0)
    curve = np.array(load)
    assert (curve > split.own + 1).mean() <= ratio + 1e-9
    assert split.own == 0 or (curve > split.own - 1).mean() >= ratio - 1e-9


def test_dear_owning_rents_everything_and_dear_renting_owns_the_peak():
    load = [5, 9, 30]
    assert base_burst(load, 3.0, 2.0).own == 0
    assert base_burst(load, 0.001, 100.0).own == 30
    assert base_burst(load, 1.0, 100.0, step=8).own == 32


def test_order_and_repetition_do_not_matter():
    load = [5, 9, 30, 2, 7]
    assert base_burst(load, 1, 2) == base_burst(sorted(load), 1, 2)
    assert base_burst(load * 3, 1, 2) == base_burst(load, 1, 2)


def test_owning_falls_as_renting_gets_cheaper():
    load = np.random.default_rng(1).gamma(2, 50, 500)
    owned = [base_burst(load, 1.0, rent).own for rent in (10, 4, 2, 1.2, 0.9)]
    assert owned == sorted(owned, reverse=True)
    assert owned[-1] == 0


def test_idle_fleet():
    split = base_burst([0, 0], 1.0, 2.0)
    assert (split.own, split.rented_share, split.cost) == (0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("load", "own", "rent", "step", "words"),
    [
        ([], 1, 2, 1, "load curve"),
        ([1, -1], 1, 2, 1, "load curve"),
        ([1, float("nan")], 1, 2, 1, "load curve"),
        ([1], 0, 2, 1, "cannot be compared"),
        ([1], 1, float("inf"), 1, "cannot be compared"),
        ([1], 1, 2, 0, "steps of 0"),
    ],
)
def test_bad_input(load, own, rent, step, words):
    with pytest.raises(ScenarioError, match=words):
        base_burst(load, own, rent, step=step)
