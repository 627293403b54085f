"""Replay, load and unloaded delay of paths, by hand-made numbers."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.fabric.graph import Endpoint, Link, Switch, assemble
from metaroce.fabric.paths import port_load, replay_paths, unloaded_ps
from metaroce.fabric.routes import ecmp_paths, find_routes
from metaroce.kit.errors import InputError
from metaroce.model.topology import FatTree


@pytest.fixture
def line():
    """a - s - t - b, and c on s; 100G, the middle link 50G; 1 us a link, 2 us in each switch."""
    ends = [Endpoint("a", 0, delay_ps=3), Endpoint("b", 1), Endpoint("c", 2)]
    links = [Link(0, 3, 10**11, 10**6), Link(1, 4, 10**11, 10**6), Link(2, 3, 10**11, 10**6)]
    switches = [Switch("s", delay_ps=2 * 10**6), Switch("t", delay_ps=2 * 10**6)]
    return assemble(ends, switches, [*links, Link(3, 4, 5 * 10**10, 10**6), Link(3, 4, 5 * 10**10, 10**6)])


def test_replayed_nodes_become_ports(line):
    paths, hops = replay_paths(line, [[0, 3, 4, 1], [0, 3, 2]])
    assert hops.tolist() == [3, 2]
    assert [line.port_name(p) for p in paths[0]] == ["a->s", "s->t", "t->b"]
    assert paths[0, 1] == 6, "of parallel links the first"
    assert paths[1, 2] == -1


@pytest.mark.parametrize(
    ("nodes", "says"), [([0, 4, 1], "no link 0 - 4"), ([0], "at least two"), ([0, 3, 4], "endpoint to endpoint")]
)
def test_impossible_paths_are_refused(line, nodes, says):
    with pytest.raises(InputError, match=says) as error:
        replay_paths(line, [[0, 3, 2], nodes])
    assert error.value.where == "path 1"


def test_replay_returns_what_ecmp_chose(build):
    fabric = build(FatTree(nics_per_server=1, k=4), 16)
    src = np.arange(16)
    paths, hops = ecmp_paths(fabric, find_routes(fabric), src, (src + 5) % 16, 50_000 + src, 3)
    lists = [[int(s), *fabric.port_peer[path[:n]].tolist()] for s, path, n in zip(src, paths, hops, strict=True)]
    again, count = replay_paths(fabric, lists)
    assert (again == paths[:, : again.shape[1]]).all() and (count == hops).all()


def test_load_adds_up(line):
    paths, _ = replay_paths(line, [[0, 3, 4, 1], [2, 3, 4, 1]])
    assert port_load(line, paths)[line.port_peer == 1].tolist() == [2]
    load = port_load(line, paths, [10, 32])
    assert load[6] == load[4] == 42 and load[0] == 10 and load.sum() == 3 * 42


def test_unloaded_delay_by_hand(line):
    paths, _ = replay_paths(line, [[0, 3, 4, 1]])
    fixed = 3 * 10**6 + 2 * 2 * 10**6 + 3
    one_packet = 1000 * (80 + 160 + 80)
    assert unloaded_ps(line, paths, 1000, 1000).tolist() == [fixed + one_packet]
    assert unloaded_ps(line, paths, 500, 1000).tolist() == [fixed + one_packet // 2]
    assert unloaded_ps(line, paths, [5000], 1000).tolist() == [fixed + one_packet + 4000 * 160]
