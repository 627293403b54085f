"""Blast radius: rails degrade servers where whole-server leaves lose them."""

from __future__ import annotations

import numpy as np

from metaroce.fabric import _failures
from metaroce.fabric.failures import Failure, blast_radius, fail
from metaroce.kit.jit import plain
from metaroce.model.topology import FatTree, LeafSpine, Rail


def worst(fabric):
    return {row["part"]: row for row in blast_radius(fabric).to_dicts()}


def test_a_leaf_takes_its_servers_with_it(build):
    found = worst(build(LeafSpine(nics_per_server=4, servers_per_leaf=3, spines=2), 9))
    leaf = found["leaf"]
    assert (leaf["count"], leaf["servers_lost"], leaf["servers_degraded"], leaf["endpoints_lost"]) == (3, 3, 0, 12)
    assert found["spine"]["servers_lost"] == 0 and found["spine"]["uplink_left"] == 0.5
    link = found["endpoint-leaf link"]
    assert (link["count"], link["servers_degraded"], link["servers_lost"]) == (36, 1, 0)
    assert found["leaf-spine link"]["uplink_left"] == 11 / 12, "six parallel links to each of two spines"


def test_a_rail_leaf_degrades_all_and_loses_none(build):
    leaf = worst(build(Rail(nics_per_server=4, servers_per_pod=6), 6))["leaf"]
    assert (leaf["servers_lost"], leaf["servers_degraded"], leaf["endpoints_lost"]) == (0, 6, 6)


def test_parts_of_a_fat_tree(build):
    found = worst(build(FatTree(nics_per_server=1, k=4), 16))
    assert list(found) == ["leaf", "spine", "core", "endpoint-leaf link", "leaf-spine link", "spine-core link"]
    assert [row["count"] for row in found.values()] == [8, 8, 4, 16, 16, 16]
    assert found["spine-core link"]["uplink_left"] == 0.5


def test_one_switch_for_all_loses_all_but_one_server(build):
    fabric = build(LeafSpine(nics_per_server=1), 4)
    leaf = worst(fabric)["leaf"]
    assert leaf["endpoints_lost"] == 3, "the largest part left is a lone endpoint"
    assert fail(fabric) == Failure(0, 0, 0, 1.0)


def test_two_failures_together(build):
    fabric = build(LeafSpine(nics_per_server=1, servers_per_leaf=2, spines=2), 6)
    spines = np.flatnonzero(fabric.node_tier == 2)
    both = fail(fabric, nodes=spines.tolist())
    assert both.servers_lost == 4 and both.uplink_left == 0.0
    assert fail(fabric, ports=[0, 1]).servers_lost == 2
    assert fail(fabric, ports=[int(fabric.port_reverse[0]), 0]).servers_lost == 1


def test_the_compiled_labels_equal_the_plain_ones(build):
    fabric = build(FatTree(nics_per_server=1, k=4), 16)
    order = np.argsort(fabric.port_node, kind="stable").astype(np.int32)
    first = np.searchsorted(fabric.port_node[order], np.arange(fabric.nodes + 1)).astype(np.int32)
    draw = np.random.default_rng(1)
    for share in (0.0, 0.3, 0.7, 1.0):
        up = draw.random(fabric.ports) >= share
        up &= up[fabric.port_reverse]
        parts = [np.empty(fabric.nodes, np.int32) for _ in range(2)]
        for kernel, out in zip((_failures.label_parts, plain(_failures.label_parts)), parts, strict=True):
            kernel(first, order, fabric.port_peer, up, out)
        assert (parts[0] == parts[1]).all()
        assert (parts[0][fabric.port_node[up]] == parts[0][fabric.port_peer[up]]).all()
