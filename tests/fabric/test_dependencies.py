"""Who waits for whom: a ring locks, an up-down Clos cannot, a bounce after a failure can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.fabric.dependencies import smallest_cycle, waits_of_paths, waits_of_routes
from metaroce.fabric.graph import SPINE, Endpoint, Link, Switch, assemble
from metaroce.fabric.paths import replay_paths
from metaroce.fabric.routes import ecmp_paths, find_routes
from metaroce.model.topology import FatTree, LeafSpine, Rail


def names(fabric, cycle):
    return [fabric.port_name(port) for port in cycle]


@pytest.mark.parametrize("count", [4, 5, 8])
def test_a_ring_has_a_cycle_through_all_switches(build, ring, count):
    fabric = build(ring(count))
    cycle = smallest_cycle(waits_of_routes(fabric, find_routes(fabric)))
    assert len(cycle) == count
    for port, after in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert fabric.port_peer[port] == fabric.port_node[after]


def test_a_ring_of_three_has_none_because_no_shortest_path_passes_two_links(build, ring):
    fabric = build(ring(3))
    assert len(waits_of_routes(fabric, find_routes(fabric))) == 0


@pytest.mark.parametrize(
    ("topology", "servers"),
    [
        (LeafSpine(nics_per_server=2, servers_per_leaf=2, spines=3), 12),
        (Rail(nics_per_server=4, servers_per_pod=4), 12),
        (FatTree(nics_per_server=1, k=4), 16),
        (FatTree(nics_per_server=1, k=8), 128),
    ],
    ids=lambda v: getattr(v, "kind", v),
)
def test_an_up_down_clos_has_no_cycle(build, topology, servers):
    fabric = build(topology, servers)
    waits = waits_of_routes(fabric, find_routes(fabric))
    assert len(waits) > 0
    assert smallest_cycle(waits) == ()


def bounce():
    """Leaves L0..L2, spines S0, S1; the links L0-S1 and L1-S0 are lost: L0 -> L1 goes down through L2 and up again."""
    ends = [Endpoint(f"h{i}", i) for i in range(3)]
    switches = [Switch("L0"), Switch("L1"), Switch("L2"), Switch("S0", SPINE), Switch("S1", SPINE)]
    links = [Link(i, 3 + i, 10**11, 0) for i in range(3)]
    return assemble(ends, switches, [*links, *(Link(a, b, 10**11, 0) for a, b in ((3, 6), (4, 7), (5, 6), (5, 7)))])


def test_a_valley_alone_does_not_lock_but_two_crossing_ones_do():
    fabric = bounce()
    assert smallest_cycle(waits_of_routes(fabric, find_routes(fabric))) == ()
    ends = [Endpoint(f"h{i}", i) for i in range(4)]
    switches = [Switch("L0"), Switch("L1"), Switch("L2"), Switch("L3"), Switch("S0", SPINE), Switch("S1", SPINE)]
    links = [Link(i, 4 + i, 10**11, 0) for i in range(4)]
    full = assemble(
        ends, switches, [*links, *(Link(leaf, spine, 10**11, 0) for leaf in range(4, 8) for spine in (8, 9))]
    )
    # L0 -> S0 -> L2 -> S1 -> L1 and L1 -> S1 -> L3 -> S0 -> L0, then the same bounces the other way round
    lists = [[0, 4, 8, 6, 9, 5, 1], [1, 5, 9, 7, 8, 4, 0], [2, 6, 9, 7, 3], [3, 7, 8, 6, 2]]
    paths, _ = replay_paths(full, lists)
    cycle = smallest_cycle(waits_of_paths(full, paths))
    assert names(full, cycle) == ["S0->L2", "L2->S1", "S1->L3", "L3->S0"]


def test_paths_of_all_pairs_make_a_part_of_the_waits_of_routes(build):
    fabric = build(FatTree(nics_per_server=1, k=4), 16)
    routes = find_routes(fabric)
    src, dst = (a.ravel() for a in np.meshgrid(np.arange(16), np.arange(16)))
    apart = src != dst
    src, dst = np.repeat(src[apart], 60), np.repeat(dst[apart], 60)
    paths, _ = ecmp_paths(fabric, routes, src, dst, 50_000 + np.arange(len(src)) % 60, 1)
    chosen = {tuple(pair) for pair in waits_of_paths(fabric, paths).tolist()}
    possible = {tuple(pair) for pair in waits_of_routes(fabric, routes).tolist()}
    assert chosen == possible, "sixty flows a pair take every choice"


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_the_smallest_cycle_is_a_cycle_and_none_is_shorter(pairs):
    cycle = smallest_cycle(pairs)
    edges = set(pairs)
    if cycle:
        assert len(set(cycle)) == len(cycle)
        assert all(edge in edges for edge in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    step = np.zeros((8, 8), bool)
    for p, q in edges:
        step[p, q] = True
    walk, shortest = step.copy(), 0
    for length in range(1, 9):
        if walk.diagonal().any():
            shortest = length
            break
        walk = (walk.astype(int) @ step.astype(int)) > 0
    assert len(cycle) == shortest


def test_vertices_may_be_any_numbers():
    assert smallest_cycle([(900, 7), (7, 900), (1, 2), (2, 3), (3, 1)]) == (7, 900)
    assert smallest_cycle([(5, 5)]) == (5,)
    assert smallest_cycle([]) == ()
