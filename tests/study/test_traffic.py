"""What requests and neighbours put on the fabric: counts, places, budgets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.catalog.read import read_catalog
from metaroce.fabric.build import build
from metaroce.loads.requests import make_requests
from metaroce.model.devices import Nic, Switch
from metaroce.model.topology import Rail
from metaroce.model.transfers import Background, GivenTransfers, Windows
from metaroce.study.traffic import background_flows, given_flows, slice_window, slowest_of_group

SECOND = 10**9


@pytest.fixture(scope="module")
def fabric():
    return build(Rail(), 4, switches=read_catalog(Switch, "switches"), nics=read_catalog(Nic, "nics"))


@pytest.fixture(scope="module")
def requests():
    arrival = np.sort(np.random.default_rng(1).integers(0, 12 * SECOND, 500))
    return make_requests(arrival, 100, 10)


def test_transfers_of_a_request_are_an_incast_from_other_servers(fabric, requests):
    given_ = GivenTransfers()
    slices = slice_window(requests, 12 * SECOND, 10.0, 0.0, Windows(), 1)
    flows = given_flows(fabric, 3, slices, given_, 3, seed=1)
    assert len(flows) == 500 * given_.count
    assert flows.size.min() >= given_.smallest - 1
    assert flows.size.max() <= given_.largest + 1
    source, target = fabric.endpoint_server[flows.src], fabric.endpoint_server[flows.dst]
    assert (source != target).all()
    assert max(source.max(), target.max()) == 2  # three of the four servers serve, the last stands by
    for group in range(20):
        mine = flows.group == group
        assert len(set(flows.dst[mine])) == 1  # one port: the slowest of the transfers counts
        assert len(set(flows.start_ps[mine])) == 1
        assert set(target[mine]) == {group % 3}


def test_rails_deal_the_transfers_over_all_ports(fabric, requests):
    slices = slice_window(requests, 12 * SECOND, 10.0, 0.0, Windows(), 1)
    flows = given_flows(fabric, 4, slices, GivenTransfers(spread="rails"), 3, seed=1)
    assert len(set(flows.dst[flows.group == 7])) == 8
    assert (fabric.endpoint_rail[flows.src] == fabric.endpoint_rail[flows.dst]).all()


def test_a_window_that_fits_is_kept_whole(requests):
    slices = slice_window(requests, 12 * SECOND, 10.0, 0.0, Windows(packets=5000), 1)
    assert slices.share == 1.0
    np.testing.assert_array_equal(slices.arrival_ps, requests.arrival_ns * 1000)


@pytest.mark.parametrize("background", [0.0, 1e-2, 1.0])
def test_slices_hold_the_budget_and_their_times_lie_inside(requests, background):
    windows = Windows(packets=2000, slice="1ms")
    slices = slice_window(requests, 12 * SECOND, 10.0, background, windows, 1)
    assert (np.diff(np.sort(slices.arrival_ps)) >= 0).all()
    assert 0 <= slices.arrival_ps.min() <= slices.arrival_ps.max() < slices.span_ps
    if not background:
        assert len(slices.kept) * 10.0 <= 1.5 * windows.packets
        gaps = np.diff(requests.arrival_ns[slices.kept])
        joined = np.diff(slices.arrival_ps) // 1000
        close = gaps < 100_000  # requests of one slice keep their distance
        assert (joined[close] == gaps[close]).all()
    else:
        assert len(slices.kept) >= 200  # a heavy background must not leave a handful of requests to judge by


def test_background_has_the_load_that_was_asked_for(fabric):
    span = 10**10  # 10 ms
    flows = background_flows(fabric, Background(load=0.2, size=100_000), span, seed=3)
    offered = flows.size.sum() * 8 / (span / 1e12) / fabric.port_rate[: fabric.endpoints].sum()
    assert offered == pytest.approx(0.2, abs=4 * 0.2 / np.sqrt(len(flows)))
    assert (flows.src != flows.dst).all()
    assert (flows.group == -1).all()


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 50), st.integers(-1, 60)), max_size=30))
def test_the_slowest_counts(rows):
    group = np.array([row[0] for row in rows], np.int32)
    start = np.array([row[1] for row in rows], np.int64)
    end = np.array([row[2] if row[2] < 0 else row[1] + row[2] for row in rows], np.int64)
    wanted = []
    for number in sorted({row[0] for row in rows} - {-1}):
        mine = group == number
        wanted.append(-1 if (end[mine] < 0).any() else int(end[mine].max() - start[mine].min()))
    assert slowest_of_group(group, start, end).tolist() == wanted
