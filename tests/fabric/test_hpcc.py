"""HPCC topologies and path files, against the reference inputs."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.fabric.hpcc import read_paths, read_topology
from metaroce.fabric.paths import replay_paths
from metaroce.fabric.routes import find_routes
from metaroce.kit.errors import InputError

SMALL = "4 2 3\n2 3\n0 2 100Gbps 1000ns 0.000000\n1 3 100Gbps 1us 0\n2 3 400Gbps 1000ns 0.000000\n"


def test_a_small_file_becomes_a_fabric():
    fabric = read_topology(SMALL, buffer=7)
    assert fabric.node_name == ("0", "1", "2", "3")
    assert fabric.port_rate.tolist() == [10**11] * 4 + [4 * 10**11] * 2
    assert set(fabric.port_delay_ps.tolist()) == {1_000_000}
    assert fabric.node_buffer.tolist() == [0, 0, 7, 7]


def test_switches_may_be_numbered_before_hosts():
    fabric = read_topology("4 2 3\n0 1\n2 0 100Gbps 1us 0\n3 1 100Gbps 1us 0\n0 1 100Gbps 1us 0\n")
    assert fabric.node_name == ("2", "3", "0", "1")
    assert fabric.endpoints == 2


@pytest.mark.parametrize(
    ("text", "says", "where"),
    [
        ("", "two header lines", ":1"),
        ("4 2\n2 3\n", "3 whole numbers", ":1"),
        ("4 2 1\n2 2\n0 2 1Gbps 1us 0\n", "different switch numbers", ":2"),
        ("4 2 2\n2 3\n0 2 1Gbps 1us 0\n", "2 links announced, 1 found", ":1"),
        ("4 2 1\n2 3\n0 9 1Gbps 1us 0\n", "not a link", ":3"),
        ("4 2 1\n2 3\n0 2 fast 1us 0\n", "not a rate", ":3"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text, says, where):
    with pytest.raises(InputError, match=says) as error:
        read_topology(text, "t.txt")
    assert f"t.txt{where}" in error.value.where


def test_lines_that_are_no_path_are_reported():
    paths, problems = read_paths("0 sport 10000 0-2-3-1 1-3-2-0\nrubbish\n1 port 5 0-1 1-0\n\n", "p")
    assert paths.flow == (0,) and paths.sport == (10000,)
    assert paths.forward == ((0, 2, 3, 1),) and paths.back == ((1, 3, 2, 0),)
    assert [p.where for p in problems] == ["p:2", "p:3"]
    assert read_paths("")[0].flow == ()


@pytest.mark.parametrize(
    ("file", "endpoints", "tiers", "longest"), [("ls16", 16, [16, 4, 4], 4), ("ft128", 128, [128, 32, 32, 16], 6)]
)
def test_reference_topologies(shared, file, endpoints, tiers, longest):
    fabric = read_topology((shared / f"peers/sim/inputs/topo_{file}.txt").read_text())
    assert fabric.endpoints == endpoints
    assert np.bincount(fabric.node_tier).tolist() == tiers
    assert find_routes(fabric).longest == longest


def test_reference_paths_are_shortest_paths_of_ours(shared):
    folder = shared / "peers/sim"
    fabric = read_topology((folder / "inputs/topo_ft128.txt").read_text())
    replayed, problems = read_paths((folder / "ns3_hpcc/w2_dcqcn/paths.txt").read_text())
    assert not problems and len(replayed.flow) == 128
    routes = find_routes(fabric)
    for lists in (replayed.forward, replayed.back):
        paths, hops = replay_paths(fabric, lists)
        for nodes, path, count in zip(lists, paths, hops, strict=True):
            leaf = routes.leaf_node[routes.leaf_column[nodes[0]]] - fabric.endpoints
            assert count == routes.distance[routes.leaf_column[nodes[-1]], leaf] + 2
            assert fabric.port_node[path[:count]].tolist() == list(nodes[:-1])
