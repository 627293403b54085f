"""Topologies become fabrics with the right names, speeds, delays and wiring."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import TypeAdapter

from metaroce.kit.errors import InputError, ScenarioError
from metaroce.model.reading import parse_yaml, validate
from metaroce.model.topology import Explicit, FatTree, LeafSpine, NamedEndpoint, NamedLink, NamedSwitch, Rail, Topology


def neighbours(fabric, node):
    return sorted(set(fabric.port_peer[fabric.port_node == node].tolist()))


def test_servers_stand_whole_on_a_leaf(build):
    fabric = build(LeafSpine(nics_per_server=4, servers_per_leaf=2, spines=2), 5)
    leaf = fabric.port_peer[: fabric.endpoints]
    for server in range(5):
        assert len(set(leaf[fabric.endpoint_server == server])) == 1
    assert fabric.endpoint_rail.tolist() == [0, 1, 2, 3] * 5
    assert fabric.endpoint_server.tolist() == np.repeat(np.arange(5), 4).tolist()


def test_rail_r_of_a_pod_holds_nic_r_of_its_servers(build):
    fabric = build(Rail(nics_per_server=4, servers_per_pod=3), 6)
    leaf = fabric.port_peer[: fabric.endpoints] - fabric.endpoints
    pod = fabric.endpoint_server // 3
    assert (leaf == pod * 4 + fabric.endpoint_rail).all()


def test_a_fat_tree_is_wired_in_planes(build):
    fabric = build(FatTree(nics_per_server=1, k=4), 16)
    core = np.flatnonzero(fabric.node_tier == 3)
    first_spine = int(np.flatnonzero(fabric.node_tier == 2)[0])
    for number, node in enumerate(core.tolist()):
        planes = {(peer - first_spine) % 2 for peer in neighbours(fabric, node)}
        assert planes == {number // 2}
        assert {(peer - first_spine) // 2 for peer in neighbours(fabric, node)} == {0, 1, 2, 3}, (
            "one spine of every pod"
        )
    degree = np.bincount(fabric.port_node)[fabric.endpoints :]
    assert (degree == 4).all()


def test_delays_speeds_and_buffers_come_from_cables_and_catalog(build):
    fabric = build(FatTree(nics_per_server=1, k=4, nic_rate="200G", host_cable_m=2, spine_cable_m=30), 32)
    assert set(fabric.port_rate[:32].tolist()) == {2 * 10**11}
    assert fabric.port_delay_ps[0] == 10_100
    assert sorted(set(fabric.port_delay_ps[64:].tolist())) == [30 * 5050, 300 * 5050]
    assert set(fabric.node_buffer[32:].tolist()) == {165_200_000}
    assert set(fabric.node_delay_ps[32:].tolist()) == {750_000}
    assert fabric.node_delay_ps[0] == 350_000
    assert fabric.node_name[0] == "h0r0" and fabric.node_name[32] == "leaf0" and fabric.node_name[-1] == "core3"
    assert fabric.node_model[0] == "connectx7-400g" and fabric.node_model[-1] == "tomahawk5-64x800g"


def test_an_other_spine_switch(build):
    fabric = build(LeafSpine(switch="tomahawk3-32x400g", spine_switch="tomahawk5-64x800g"), 8)
    models = np.array(fabric.node_model)
    assert set(models[fabric.node_tier == 1]) == {"tomahawk3-32x400g"}
    assert set(models[fabric.node_tier == 2]) == {"tomahawk5-64x800g"}


@pytest.mark.parametrize(
    ("topology", "servers", "says"),
    [
        (LeafSpine(), None, "not known"),
        (LeafSpine(), 0, "0 servers"),
        (LeafSpine(switch="th9"), 4, "'th9' is not in the catalog"),
        (LeafSpine(nic="connectx6-200g"), 4, "ends at 200 Gbit/s"),
    ],
)
def test_what_is_missing_is_named(build, topology, servers, says):
    with pytest.raises(ScenarioError, match=says) as error:
        build(topology, servers)
    assert error.value.where.startswith("topology.")


def test_servers_of_the_topology_are_used(build):
    assert build(LeafSpine(servers=3)).endpoints == 24


def test_an_explicit_fabric(build, ring):
    fabric = build(ring(4))
    assert fabric.endpoints == fabric.switches == 4
    assert neighbours(fabric, 4) == [0, 5, 7]


@pytest.mark.parametrize(
    ("names", "link", "says"),
    [(("a", "a"), ("a", "s"), "two nodes are named 'a'"), (("a", "b"), ("a", "x"), "no node 'x'")],
)
def test_an_explicit_fabric_with_faults(build, names, link, says):
    topology = Explicit(
        endpoints=tuple(NamedEndpoint(name=n, server=i) for i, n in enumerate(names)),
        switches=(NamedSwitch(name="s"),), links=(NamedLink(a=link[0], b=link[1]),),
    )  # fmt: skip
    with pytest.raises(InputError, match=says):
        build(topology)


def test_a_topology_reads_from_yaml():
    text = "kind: rail\nnic_rate: 200G\nservers_per_pod: 16\nspine_cable_m: 12.5\n"
    topology = TypeAdapter(Topology).validate_python(parse_yaml(text, "t.yaml").data)
    assert isinstance(topology, Rail) and topology.nic_rate == 2 * 10**11
    assert validate(LeafSpine, parse_yaml("servers: auto\n", "t.yaml")).servers == "auto"
    with pytest.raises(ScenarioError, match="unknown key 'spine'"):
        validate(FatTree, parse_yaml("spine: 3\n", "t.yaml"))


@pytest.mark.parametrize("kind", [LeafSpine, Rail, FatTree, Explicit, NamedEndpoint, NamedSwitch, NamedLink])
def test_every_field_of_a_topology_is_explained(kind):
    schema = kind.model_json_schema()
    assert all("description" in field for field in schema["properties"].values())
