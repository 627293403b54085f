"""The bill of materials counts every switch, port and link once."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.catalog.read import read_catalog
from metaroce.fabric.hpcc import read_topology
from metaroce.fabric.inventory import inventory, pick_cable
from metaroce.kit.errors import ScenarioError
from metaroce.model.devices import Cable
from metaroce.model.topology import FatTree, Rail

CABLES = read_catalog(Cable, "cables")


def test_a_k4_fat_tree(build):
    found = inventory(build(FatTree(nics_per_server=1, k=4, core_cable_m=120), 16))
    assert found.servers == 16
    assert found.switches["tier"].to_list() == ["leaf", "spine", "core"]
    assert found.switches["count"].to_list() == [8, 8, 4]
    assert found.switches["ports_used"].to_list() == [32, 32, 16]
    assert found.switches["ports_most"].to_list() == [4, 4, 4]
    assert found.nics.to_dicts() == [{"model": "connectx7-400g", "ports": 16}]
    assert found.links["count"].to_list() == [16, 16, 16]
    assert found.links["cable_m"].to_list() == [3.0, 40.0, 120.0]
    assert found.links["tier_b"].to_list() == ["leaf", "spine", "core"]


def test_links_and_ports_agree(build):
    fabric = build(Rail(), 50)
    found = inventory(fabric)
    assert found.links["count"].sum() * 2 == fabric.ports
    assert found.switches["ports_used"].sum() + found.nics["ports"].sum() == fabric.ports
    assert found.switches["ports_most"].max() == np.bincount(fabric.port_node).max()


def test_devices_of_foreign_fabrics_are_unknown():
    found = inventory(read_topology("4 2 3\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n"))
    assert found.switches["model"].to_list() == [""]
    assert found.servers == 2


@pytest.mark.parametrize(
    ("gbit", "metres", "kind"),
    [(400, 3, "dac"), (400, 30, "optic"), (800, 4, "aec"), (100, 40, "aoc"), (400, 400, "optic")],
)
def test_the_cable_is_the_one_with_least_power_that_reaches(gbit, metres, kind):
    name = pick_cable(CABLES, gbit * 10**9, metres)
    cable = CABLES[name]
    assert cable.kind == kind and cable.rate == gbit * 10**9 and cable.reach_m >= metres
    for other in CABLES.values():
        assert other.rate != cable.rate or other.reach_m < metres or other.power_w >= cable.power_w


@pytest.mark.parametrize(
    ("rate", "says"), [(400 * 10**9, "longest reaches 10000 m"), (7 * 10**9, "none of this speed")]
)
def test_too_far_is_refused(rate, says):
    with pytest.raises(ScenarioError) as error:
        pick_cable(CABLES, rate, 50_000)
    assert says in error.value.hint
