"""Dynamic thresholds against the trigger points that pass on real switches (sonic-mgmt)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.catalog.read import read_catalog
from metaroce.model.devices import Switch
from metaroce.qos.threshold import (
    SharedPool,
    alpha_of,
    groups_at_full_headroom,
    pfc_trigger,
    threshold,
    triggers_in_turn,
)

# platform: pool bytes, slices, alpha, group minimum, cell, trigger of sonic-mgmt in 64-byte packets (one cell each)
TRIGGERS = {
    "TH1 7060CX-32S": (10_875_072, 4, 1, 1248, 208, 6542),
    "TH2 7260 dual-ToR": (33_169_344, 4, 1, 1248, 208, 19939),
    "TH2 7260 T0": (33_329_088, 4, 1, 1248, 208, 20034),
    "TH2 7260 T1": (33_262_528, 4, 1, 1248, 208, 19994),
    "TH3 Z9332f-M-O16C64": (55_921_148, 2, 1 / 4, 2540, 254, 22026),
    "TH3 Z9332f-O32": (38_462_204, 2, 1 / 4, 2540, 254, 15152),
    "TH5 7060X6-256x200G": (121_964_196, 2, 1, 18_796, 254, 120_117),
}
TH5_SERIES = (120_118, 60_096, 30_085, 15_079, 7577, 3825, 1950, 1012, 543, 308, 191, 133)
TH5 = SharedPool(121_964_196, 2, 1.0, 18_796)


@pytest.mark.parametrize("platform", TRIGGERS)
def test_pfc_fires_where_it_does_on_real_switches(platform):
    size, slices, alpha, minimum, cell, seen = TRIGGERS[platform]
    assert pfc_trigger(SharedPool(size, slices, alpha, minimum)) / cell == pytest.approx(seen, abs=1.6)


def test_groups_that_fill_one_after_the_other():
    found = [trigger / 254 for trigger in triggers_in_turn(TH5, len(TH5_SERIES))]
    assert found == pytest.approx(TH5_SERIES, abs=1)


@pytest.mark.parametrize(
    ("pool", "kilobytes"),
    [
        (SharedPool(10_875_072, 4), {1: 1359, 2: 906, 4: 544, 8: 302}),
        (SharedPool(33_329_088, 4), {1: 4166, 2: 2777, 4: 1666, 8: 926}),
        (SharedPool(38_462_204, 2, 0.25), {1: 3846, 2: 3205, 4: 2404, 8: 1603}),
        (TH5, {1: 30491, 2: 20327, 4: 12196, 8: 6776, 32: 1848}),
    ],
)
def test_thresholds_of_groups_in_balance(pool, kilobytes):
    for congested, expected in kilobytes.items():
        assert threshold(pool, congested) / 1000 == pytest.approx(expected, abs=1)


@given(st.integers(10**6, 10**9), st.integers(1, 8), st.integers(-8, 7), st.integers(1, 512))
def test_groups_never_hold_more_than_the_slice(size, slices, dynamic_th, congested):
    pool = SharedPool(size, slices, alpha_of(dynamic_th))
    together = congested * threshold(pool, congested)
    assert together < pool.slice_size
    assert threshold(pool, congested + 1) < threshold(pool, congested)
    assert sum(triggers_in_turn(pool, congested)) <= pool.slice_size * (1 + 1e-9)


@pytest.mark.parametrize(
    ("pool_cells", "xoff_cells", "groups"), [(5041, 1292, 3.9), (9408, 487, 19.3), (58112, 1185, 49.0)]
)
def test_headroom_pools_are_oversubscribed(pool_cells, xoff_cells, groups):
    assert groups_at_full_headroom(pool_cells * 4, 4, xoff_cells) == pytest.approx(groups, abs=0.05)


@pytest.mark.parametrize(
    ("name", "cells"), [("tomahawk2-64x100g", 19994), ("tomahawk3-32x400g", 15152), ("tomahawk5-64x800g", 120_117)]
)
def test_the_catalog_reproduces_them(name, cells):
    switch = read_catalog(Switch, "switches")[name]
    assert switch.shared_pool is not None
    pool = SharedPool(switch.shared_pool, switch.slices, switch.alpha, switch.group_minimum)
    assert pfc_trigger(pool) / switch.cell == pytest.approx(cells, abs=1.6)
