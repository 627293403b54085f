"""Marking curves, and whether they act before PFC on the chips they ship with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.qos import ecn
from metaroce.qos.threshold import SharedPool

TH1, TH2 = SharedPool(10_875_072, 4), SharedPool(33_329_088, 4)
TH5 = SharedPool(121_964_196, 2)
MIB = 2**20


@pytest.mark.parametrize(
    ("marking", "pool", "percent"),
    [
        (ecn.SHIPPED["sonic-7260"], TH2, 1.35),
        (ecn.Marking(250_000, 2 * MIB, 0.05), TH1, 3.0),
        (ecn.Marking(MIB, 2 * MIB, 0.05), TH1, 1.5),
    ],
)
def test_marking_at_the_first_pause_on_shipped_settings(marking, pool, percent):
    assert ecn.placement(marking, pool).at_pfc * 100 == pytest.approx(percent, abs=0.05)


def test_kmax_beyond_the_slice_is_never_reached():
    found = ecn.placement(ecn.SHIPPED["sonic-7260"], TH2)
    assert found.marks_first and not found.reaches_kmax and not found.kmax_in_slice


def test_fan_out_brings_the_pause_before_the_mark():
    assert ecn.placement(ecn.SHIPPED["sonic-7260"], TH2, fan_out=2).marks_first
    assert not ecn.placement(ecn.SHIPPED["sonic-7260"], TH2, fan_out=3).marks_first


def test_shipped_thresholds_on_tomahawk_5_hold_to_28_groups():
    assert ecn.threshold(TH5, 28) > 2 * MIB > ecn.threshold(TH5, 29)
    found = ecn.placement(ecn.SHIPPED["sonic"], TH5, fan_in=28)
    assert found.reaches_kmax and found.incast_depth > 28 * 2 * MIB


def test_bounds_of_the_dcqcn_paper():
    assert ecn.latest_ecn_threshold(12_000_000, 32, 22_400, 8) == pytest.approx(21_750, abs=10)
    assert ecn.static_pfc_threshold(12_000_000, 32, 22_400) == pytest.approx(24_470, abs=10)


@pytest.mark.parametrize(
    ("gbit", "kmin", "kmax"), [(50, 200, 800), (100, 400, 1600), (400, 1600, 6400), (800, 3200, 12800)]
)
def test_thresholds_grow_with_speed(gbit, kmin, kmax):
    assert ecn.by_speed(gbit * 10**9) == ecn.Marking(kmin * 1000, kmax * 1000, 0.2)


def test_bandwidth_delay_product():
    assert ecn.bandwidth_delay(400 * 10**9, 10**7) == 500_000


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.floats(0, 1), st.floats(0, 3e7), st.floats(0, 3e7))
def test_the_curve_rises_from_0_to_1(kmin, width, pmax, depth, other):
    curve = ecn.Marking(kmin, kmin + width, pmax)
    low, high = sorted((depth, other))
    assert 0 <= curve.probability(low) <= curve.probability(high) <= 1
    assert curve.probability(kmin) == 0 and curve.probability(kmin + width + 1) == 1
    assert curve.probability(kmin + width) == pytest.approx(pmax if width else 0)
