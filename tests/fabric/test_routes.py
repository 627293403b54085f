"""Every pair has a path, paths are minimal, ECMP spreads as balls in bins, and cut-off flows are named."""

from __future__ import annotations

import numpy as np
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from metaroce.fabric import _routes
from metaroce.fabric.graph import Endpoint, Link, Switch, assemble
from metaroce.fabric.paths import port_load
from metaroce.fabric.routes import ecmp_paths, find_routes, next_hops, reachable
from metaroce.kit.errors import InputError
from metaroce.kit.jit import plain
from metaroce.model.topology import FatTree, LeafSpine, Rail

SMALL = [
    (LeafSpine(nics_per_server=4, servers_per_leaf=2, spines=3, oversubscription=2), 7),
    (Rail(nics_per_server=4, servers_per_pod=3), 7),
    (FatTree(nics_per_server=1, k=4), 16),
    (FatTree(nics_per_server=2, k=6, oversubscription=2), 30),
]


@st.composite
def connected(draw):
    """A random connected fabric: a tree of switches, more links (some parallel), endpoints anywhere."""
    switches, hosts = draw(st.integers(1, 7)), draw(st.integers(2, 8))
    links = [Link(h, hosts + draw(st.integers(0, switches - 1)), 10**9, 0) for h in range(hosts)]
    links += [Link(hosts + s, hosts + draw(st.integers(0, s - 1)), 10**9, 0) for s in range(1, switches)]
    if switches > 1:
        pair = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1)).filter(lambda p: p[0] != p[1])
        links += [Link(hosts + a, hosts + b, 10**9, 0) for a, b in draw(st.lists(pair, max_size=8))]
    return assemble([Endpoint(f"h{i}", i) for i in range(hosts)], [Switch(f"s{i}") for i in range(switches)], links)


def every_pair(fabric):
    src, dst = np.meshgrid(np.arange(fabric.endpoints), np.arange(fabric.endpoints), indexing="ij")
    apart = src != dst
    return src[apart], dst[apart]


def check_paths(fabric, src, dst, paths, hops):
    """Paths are unbroken, begin and end right, and are padded with -1."""
    for s, d, path, count in zip(src, dst, paths, hops, strict=True):
        assert path[0] == s and fabric.port_peer[path[count - 1]] == d
        assert (fabric.port_peer[path[: count - 1]] == fabric.port_node[path[1:count]]).all()
        assert (path[count:] == -1).all()


@given(connected(), st.integers(0, 2**31))
def test_every_pair_has_a_minimal_path(fabric, seed):
    routes = find_routes(fabric)
    src, dst = every_pair(fabric)
    paths, hops = ecmp_paths(fabric, routes, src, dst, 50_000, seed)
    check_paths(fabric, src, dst, paths, hops)
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(fabric.switches))
    e = fabric.endpoints
    graph.add_edges_from_no_data(
        [(int(a) - e, int(b) - e) for a, b in zip(fabric.port_node, fabric.port_peer, strict=True) if a >= e and b >= e]
    )
    oracle = rustworkx.distance_matrix(graph)
    leaf = fabric.port_peer[:e] - e
    assert (hops == oracle[leaf[src], leaf[dst]] + 2).all()


@pytest.mark.parametrize(("topology", "servers"), SMALL, ids=lambda v: getattr(v, "kind", v))
def test_computed_fabrics_are_connected_by_paths_up_and_down(build, topology, servers):
    fabric = build(topology, servers)
    src, dst = every_pair(fabric)
    paths, hops = ecmp_paths(fabric, find_routes(fabric), src, dst, 50_000, 1)
    check_paths(fabric, src, dst, paths, hops)
    tiers = fabric.node_tier[fabric.port_peer[paths]]
    for row, count in zip(tiers, hops, strict=True):
        step = np.diff(np.concatenate([[0], row[:count]]))
        assert (np.diff(step) <= 0).all(), "once down, never up again"


@given(connected(), st.integers(0, 2**31))
def test_the_compiled_walk_equals_the_plain_one(fabric, seed):
    routes = find_routes(fabric)
    src, dst = every_pair(fabric)
    paths, hops = ecmp_paths(fabric, routes, src, dst, 4791, seed)
    s, d, p = (np.ascontiguousarray(np.broadcast_to(c, len(src)), np.int32) for c in (src, dst, 4791))
    seeds = np.zeros(fabric.switches, np.uint64)
    distance = np.empty_like(routes.distance)
    with np.errstate(over="ignore"):
        plain(_routes.distances)(
            routes.leaf_node, routes.first, routes.port, fabric.port_peer, fabric.endpoints, distance
        )
        assert (distance == routes.distance).all()
        both = []
        for walk in (_routes.walk, plain(_routes.walk)):
            out, count = np.empty_like(paths), np.empty_like(hops)
            leaf = (routes.leaf_node[routes.leaf_column] - fabric.endpoints).astype(np.int32)
            walk(
                s, d, p, seeds, leaf, routes.leaf_column, distance,
                routes.first, routes.port, fabric.port_peer, out, count,
            )  # fmt: skip
            both.append((out, count))
    assert (both[0][0] == both[1][0]).all() and (both[0][1] == both[1][1]).all()


@given(connected(), st.integers(0, 2**31))
def test_a_path_follows_next_hops_and_repeats(fabric, seed):
    routes = find_routes(fabric)
    src, dst = every_pair(fabric)
    paths, hops = ecmp_paths(fabric, routes, src, dst, 50_000, seed)
    again, _ = ecmp_paths(fabric, routes, src, dst, 50_000, seed)
    assert (paths == again).all()
    for d, path, count in zip(dst, paths, hops, strict=True):
        for port in path[1:count]:
            assert port in next_hops(fabric, routes, int(fabric.port_node[port]), int(d))


def test_many_flows_spread_as_balls_in_bins(build):
    """k = 16, 1,024 endpoints: the load on each kind of uplink has mean n/m and variance n/m (1 - 1/m)."""
    fabric = build(FatTree(nics_per_server=1, k=16), 1024)
    draw = np.random.default_rng(1)
    src = draw.integers(0, 1024, 40_000)
    dst = (src + draw.integers(1, 1024, 40_000)) % 1024
    routes = find_routes(fabric)
    paths, _ = ecmp_paths(fabric, routes, src, dst, draw.integers(49_152, 65_536, 40_000), 7)
    load = port_load(fabric, paths)
    tier_from, tier_to = fabric.node_tier[fabric.port_node], fabric.node_tier[fabric.port_peer]
    for low, high in ((1, 2), (2, 3)):
        uplinks = (tier_from == low) & (tier_to == high)
        groups = load[uplinks].reshape(-1, 8)  # the eight uplinks of one switch share its flows
        expected = groups.sum(axis=1, keepdims=True) / 8
        chi2 = float(((groups - expected) ** 2 / expected).sum())
        freedom = groups.size - len(groups)
        assert abs(chi2 - freedom) < 5 * np.sqrt(2 * freedom)


def test_the_same_hash_everywhere_polarises_three_tiers(build):
    fabric = build(FatTree(nics_per_server=1, k=8), 128)
    draw = np.random.default_rng(1)
    src = draw.integers(0, 128, 20_000)
    dst = (src + 64) % 128
    routes = find_routes(fabric)
    sport = draw.integers(49_152, 65_536, 20_000)
    rises = (fabric.node_tier[fabric.port_node] == 2) & (fabric.node_tier[fabric.port_peer] == 3)
    used = [
        np.count_nonzero(port_load(fabric, ecmp_paths(fabric, routes, src, dst, sport, 7, same_hash=same)[0])[rises])
        for same in (False, True)
    ]
    assert used == [128, 32], "each spine sends through one of its four uplinks"


def test_flows_of_one_pair_take_all_paths(build):
    fabric = build(LeafSpine(nics_per_server=1, servers_per_leaf=4, spines=4), 8)
    paths, _ = ecmp_paths(fabric, find_routes(fabric), 0, 7, np.arange(50_000, 50_200), 3)
    assert len(np.unique(paths[:, 1])) == 4


def test_a_fabric_in_pieces_is_refused():
    ends = [Endpoint("a"), Endpoint("b", 1)]
    fabric = assemble(ends, [Switch("s"), Switch("t")], [Link(0, 2, 1, 1), Link(1, 3, 1, 1)])
    with pytest.raises(InputError, match="in pieces") as error:
        find_routes(fabric)
    assert "s" in error.value.where and error.value.hint
    routes = find_routes(fabric, partial=True)
    with pytest.raises(InputError, match="a has no way to b"):
        ecmp_paths(fabric, routes, [0], [1], 1, 0)
    assert not reachable(fabric, routes, 0, 1)
    assert len(next_hops(fabric, routes, 2, 1)) == 0


def test_failed_links_are_avoided(build):
    fabric = build(LeafSpine(nics_per_server=1, servers_per_leaf=2, spines=2), 4)
    src, dst = every_pair(fabric)
    first_up = 2 * fabric.endpoints
    routes = find_routes(fabric, down=[first_up])
    paths, hops = ecmp_paths(fabric, routes, src, dst, 1, 0)
    check_paths(fabric, src, dst, paths, hops)
    assert not np.isin(paths, [first_up, fabric.port_reverse[first_up]]).any()
    with pytest.raises(InputError, match="only link is down"):
        find_routes(fabric, down=[0])
    alone = find_routes(fabric, down=[0], partial=True)
    assert reachable(fabric, alone, [0, 1, 1], [1, 0, 2]).tolist() == [False, False, True]


@pytest.mark.parametrize(("src", "dst", "says"), [(0, 4, "outside 0..3"), (-1, 0, "outside"), (2, 2, "goes nowhere")])
def test_impossible_flows_are_named(build, src, dst, says):
    fabric = build(LeafSpine(nics_per_server=1), 4)
    with pytest.raises(InputError, match=says) as error:
        ecmp_paths(fabric, find_routes(fabric), [0, src], [1, dst], 1, 0)
    assert error.value.where == "flow 1"


def test_no_flows_have_no_paths(build):
    fabric = build(LeafSpine(nics_per_server=1), 4)
    paths, hops = ecmp_paths(fabric, find_routes(fabric), [], [], [], 0)
    assert paths.shape[0] == hops.shape[0] == 0
