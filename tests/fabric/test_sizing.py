"""Sizing keeps its promises: it fits the switches, meets the oversubscription, and says why it cannot."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaroce.catalog.read import read_catalog
from metaroce.fabric.sizing import plan, room, spread
from metaroce.kit.errors import ScenarioError
from metaroce.model.devices import Switch
from metaroce.model.topology import FatTree, LeafSpine, Rail

SWITCHES = read_catalog(Switch, "switches")
TH5, TH3 = SWITCHES["tomahawk5-64x800g"], SWITCHES["tomahawk3-32x400g"]
RATES = st.sampled_from([100, 200, 400]).map(lambda g: g * 10**9)
SHAPES = {"leaf-spine": LeafSpine, "rail": Rail, "fat-tree": FatTree}


@given(
    kind=st.sampled_from(sorted(SHAPES)), switch=st.sampled_from(sorted(SWITCHES)), servers=st.integers(1, 3000),
    nics=st.integers(1, 8), nic_rate=RATES, uplink_rate=RATES, over=st.sampled_from([0.5, 1.0, 1.5, 3.0]),
)  # fmt: skip
def test_a_plan_fits_its_switches_and_its_oversubscription(kind, switch, servers, nics, nic_rate, uplink_rate, over):
    topology = SHAPES[kind](
        nics_per_server=nics, nic_rate=nic_rate, uplink_rate=uplink_rate, oversubscription=over, switch=switch
    )
    device = SWITCHES[switch]
    try:
        found = plan(topology, servers, device, device)
    except ScenarioError as error:
        assert error.where and error.hint
        assume(False)
    assert found.endpoints == servers * nics
    assert found.leaves * found.per_leaf >= found.endpoints
    uplinks = found.spines_per_pod * found.leaf_parallel
    assert uplinks <= room(topology, device, found.per_leaf)
    radix = device.radix(uplink_rate)
    if found.spines:
        assert found.per_leaf * nic_rate <= over * uplinks * uplink_rate * (1 + 1e-9)
        down = found.leaves_per_pod * found.leaf_parallel
        up = found.cores_per_plane * found.core_parallel
        assert down + up <= radix
        assert found.pods == 1 or up >= down, "spines are not oversubscribed"
        assert found.pods * found.core_parallel <= radix
    else:
        assert found.leaves == found.pods == 1
    assert found.leaves <= found.pods * found.leaves_per_pod < found.leaves + found.leaves_per_pod


@given(st.integers(1, 64), st.integers(1, 64), st.integers(1, 128))
def test_spread_is_even_and_smallest(uplinks, below, radix):
    found = spread(uplinks, below, radix, room=uplinks)
    if found is None:
        assert below > radix
        return
    above, parallel = found
    assert above * parallel == uplinks, "no room for one link more than wanted"
    fewer = [n for n in range(1, above) if uplinks % n == 0 and below * (uplinks // n) <= radix]
    assert not fewer
    assert below * parallel <= radix


@pytest.mark.parametrize(("k", "leaves", "spines", "cores"), [(4, 8, 8, 4), (16, 128, 128, 64), (32, 512, 512, 256)])
def test_full_fat_trees_have_the_sizes_of_the_paper(k, leaves, spines, cores):
    found = plan(FatTree(k=k, nics_per_server=1), k**3 // 4, TH5, TH5)
    assert (found.leaves, found.spines, found.cores) == (leaves, spines, cores)


def test_known_sizes():
    found = plan(LeafSpine(), 128, TH5, TH5)  # 1,024 x 400G on 128-port switches: 64 down, 64 up
    assert (found.leaves, found.per_leaf, found.spines) == (16, 64, 8)
    found = plan(Rail(), 128, TH5, TH5)
    assert (found.leaves, found.per_leaf, found.spines, found.rails) == (16, 64, 8, 8)
    found = plan(LeafSpine(oversubscription=3), 24, TH5, TH5)  # 96 down : 32 up
    assert (found.leaves, found.per_leaf) == (2, 96)
    assert found.spines_per_pod * found.leaf_parallel == math.ceil(96 / 3)
    found = plan(LeafSpine(), 4, TH5, TH5)
    assert (found.leaves, found.spines) == (1, 0), "one leaf is the whole fabric"


@pytest.mark.parametrize(
    ("topology", "servers", "leaf", "says", "where"),
    [
        (LeafSpine(), 200, TH3, "need three tiers", "topology.kind"),
        (Rail(), 200, TH3, "need three tiers", "topology.kind"),
        (LeafSpine(nic_rate="800G"), 4, TH3, "no port of 800", "topology.switch"),
        (LeafSpine(uplink_rate="800G"), 4, TH3, "no port of 800", "topology.spine_switch"),
        (LeafSpine(nics_per_server=32), 4, TH3, "no room for one server", "topology.switch"),
        (LeafSpine(servers_per_leaf=3), 9, TH3, "servers_per_leaf = 3 does not fit", "topology.servers_per_leaf"),
        (LeafSpine(spines=3), 8, TH3, "3 spines do not carry", "topology.spines"),
        (FatTree(k=7), 4, TH3, "k = 7 is odd", "topology.k"),
        (FatTree(k=64), 4, TH3, "more than the 32 ports", "topology.k"),
        (FatTree(k=4), 3, TH3, "holds 16 endpoints, 24 wanted", "topology.k"),
    ],
)
def test_what_cannot_be_built_says_why(topology, servers, leaf, says, where):
    with pytest.raises(ScenarioError, match=says) as error:
        plan(topology, servers, leaf, leaf)
    assert error.value.where == where and error.value.hint
