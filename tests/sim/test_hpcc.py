"""The flows and paths of ns-3 HPCC: equal to the nanosecond where no dice are thrown, else within its luck."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.sim.hpcc import hpcc_settings

US = 1_000_000


def seeds(case, count, settings=None):
    """fct in us: float64[seeds, flows]."""
    runs = [case.run(settings or hpcc_settings(), seed=seed) for seed in range(count)]
    assert all(run.unaccounted_bytes() == 0 and run.totals.dropped_bytes == 0 for run in runs)
    return np.array([run.flows.fct_ps for run in runs]) / US


def test_one_packet_over_four_links(lab):
    """4 x 83 ns for 1048 B, 4 x 4 ns for the ACK of 60 B, 8 us of propagation."""
    case = lab.routed_case(lab.leaf_spine(4, 4, 4), [0], [15], 1000)
    assert case.run(hpcc_settings()).flows.fct_ps.tolist() == [8_348_000]


def test_a_megabyte_over_four_links(lab):
    """(1000 + 3) x 83 + 4 x 1000 + 4 x (1000 + 4) ns."""
    case = lab.routed_case(lab.leaf_spine(4, 4, 4), [0], [15], 1_000_000)
    assert case.run(hpcc_settings()).flows.fct_ps.tolist() == [91_265_000]
    exact = case.run(hpcc_settings().model_copy(update={"clock": "ps"}))
    assert exact.flows.fct_ps.tolist() == [92_110_720]


@pytest.mark.parametrize("name", ["w0p", "w0"])
def test_equal_to_the_nanosecond(ns3, name):
    case, theirs = ns3(name)
    assert (case.run(hpcc_settings()).flows.fct_ps // 1000).tolist() == theirs.tolist()


def test_two_to_one_lies_where_our_draws_lie(ns3):
    """Marks are random here; ns-3 ran one draw."""
    case, theirs = ns3("w0i2")
    ours = np.sort(seeds(case, 60), axis=1)
    for place, end in enumerate(sorted(theirs / 1000)):
        assert np.quantile(ours[:, place], 0.02) < end < np.quantile(ours[:, place], 0.98)
        assert end == pytest.approx(ours[:, place].mean(), abs=2 * ours[:, place].std())


def test_incast_of_fifteen(ns3):
    """Never below the time the last link needs; ns-3's mean and end lie within our seeds."""
    case, theirs = ns3("w1")
    ends = seeds(case, 40)
    assert ends.max(1).min() >= 1249.1
    means, lasts = ends.mean(1), ends.max(1)
    assert means.min() < theirs.mean() / 1000 < means.max()
    assert lasts.min() < theirs.max() / 1000 < lasts.max()
    assert means.mean() == pytest.approx(theirs.mean() / 1000, rel=0.03)


def test_without_congestion_control_the_incast_takes_its_lower_bound(ns3):
    case, _ = ns3("w1")
    last = seeds(case, 1, hpcc_settings("none")).max()
    assert 1249.1 <= last <= 1251.1


@pytest.mark.slow
def test_permutation_on_the_fat_tree(ns3):
    case, theirs = ns3("w2")
    ours = seeds(case, 2).mean(0)
    theirs = theirs / 1000
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.03)
    assert np.median(ours) == pytest.approx(np.median(theirs), rel=0.03)
    assert np.quantile(ours, 0.99) == pytest.approx(np.quantile(theirs, 0.99), rel=0.03)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.98  # flow by flow


@pytest.mark.slow
def test_web_search_on_the_fat_tree(ns3):
    case, theirs = ns3("w3s")
    ours = seeds(case, 2).mean(0)
    theirs = theirs / 1000
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.03)
    assert np.median(ours) == pytest.approx(np.median(theirs), rel=0.03)
    small = case.flows.size < 100_000
    assert ours[small].mean() == pytest.approx(theirs[small].mean(), rel=0.1)
