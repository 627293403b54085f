"""From a topology in a few numbers to the fabric of ports: size it, name the nodes, lay the links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from metaroce.fabric.graph import CORE, LEAF, SPINE, Endpoint, Fabric, Link, Switch, assemble, propagation_ps
from metaroce.fabric.sizing import Plan, plan
from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import format_rate
from metaroce.model import devices
from metaroce.model.topology import Explicit, FatTree, Sized, Topology

D = TypeVar("D", devices.Switch, devices.Nic)


def build(
    topology: Topology,
    servers: int | None = None,
    *,
    switches: Mapping[str, devices.Switch],
    nics: Mapping[str, devices.Nic],
) -> Fabric:
    """The fabric of a topology. Endpoint number = server * nics_per_server + rail.

    servers          how many; None = as the topology says
    switches, nics   the catalog, by name

    Raises ScenarioError when a device is not in the catalog, or the fabric cannot be built from these devices.
    """
    if isinstance(topology, Explicit):
        return _explicit(topology, switches, nics)
    wanted = topology.servers if servers is None else servers
    if wanted == "auto":
        raise ScenarioError("the number of servers is not known", where="topology.servers", hint="give a number")
    if wanted < 1:
        raise ScenarioError(f"{wanted} servers make no fabric", where="topology.servers", hint="one at least")
    leaf = _device(switches, topology.switch, "topology.switch")
    spine = _device(switches, topology.spine_switch or topology.switch, "topology.spine_switch")
    nic = _device(nics, topology.nic, "topology.nic")
    if topology.nic_rate > nic.rate:
        raise ScenarioError(
            f"{topology.nic} ends at {format_rate(nic.rate)}",
            where="topology.nic_rate",
            hint="lower it or choose another NIC",
        )
    sizes = plan(topology, wanted, leaf, spine)
    nodes = _switches(topology, sizes, leaf, spine)
    return assemble(_endpoints(topology, wanted, nic), nodes, _links(topology, sizes))


def _endpoints(topology: Sized, servers: int, nic: devices.Nic) -> list[Endpoint]:
    return [
        Endpoint(f"h{server}r{rail}", server, rail, nic.latency, topology.nic)
        for server in range(servers)
        for rail in range(topology.nics_per_server)
    ]


def _switches(topology: Sized, sizes: Plan, leaf: devices.Switch, spine: devices.Switch) -> list[Switch]:
    above = topology.spine_switch or topology.switch
    tiers = ((LEAF, "leaf", sizes.leaves, leaf, topology.switch), (SPINE, "spine", sizes.spines, spine, above))
    return [
        Switch(f"{name}{number}", tier, device.latency, device.buffer, model)
        for tier, name, count, device, model in (*tiers, (CORE, "core", sizes.cores, spine, above))
        for number in range(count)
    ]


def _links(topology: Sized, sizes: Plan) -> list[Link]:
    """Servers to leaves, leaves to all spines of their pod, spine j of every pod to all cores of plane j."""
    first_leaf = sizes.endpoints
    first_spine = first_leaf + sizes.leaves
    first_core = first_spine + sizes.spines
    host = (topology.nic_rate, propagation_ps(topology.host_cable_m), topology.host_cable_m)
    up = (topology.uplink_rate, propagation_ps(topology.spine_cable_m), topology.spine_cable_m)
    links = [Link(endpoint, first_leaf + _leaf_of(endpoint, sizes), *host) for endpoint in range(sizes.endpoints)]
    for leaf in range(sizes.leaves):
        pod = leaf // sizes.leaves_per_pod
        for spine in range(sizes.spines_per_pod):
            top = first_spine + pod * sizes.spines_per_pod + spine
            links += [Link(first_leaf + leaf, top, *up)] * sizes.leaf_parallel
    if isinstance(topology, FatTree):
        far = (topology.uplink_rate, propagation_ps(topology.core_cable_m), topology.core_cable_m)
        for spine in range(sizes.spines if sizes.cores else 0):
            plane = first_core + spine % sizes.spines_per_pod * sizes.cores_per_plane
            for core in range(sizes.cores_per_plane):
                links += [Link(first_spine + spine, plane + core, *far)] * sizes.core_parallel
    return links


def _leaf_of(endpoint: int, sizes: Plan) -> int:
    if sizes.rails == 1:
        return endpoint // sizes.per_leaf
    server, rail = divmod(endpoint, sizes.rails)
    return server // sizes.per_leaf * sizes.rails + rail


def _explicit(topology: Explicit, switches: Mapping[str, devices.Switch], nics: Mapping[str, devices.Nic]) -> Fabric:
    nic = _device(nics, topology.nic, "topology.nic")
    endpoints = [Endpoint(e.name, e.server, e.rail, nic.latency, topology.nic) for e in topology.endpoints]
    nodes: list[Switch] = []
    for node in topology.switches:
        name = node.switch or topology.switch
        device = _device(switches, name, f"topology.switches.{node.name}")
        nodes.append(Switch(node.name, node.tier, device.latency, device.buffer, name))
    number: dict[str, int] = {}
    for at, name in enumerate([node.name for node in (*topology.endpoints, *topology.switches)]):
        if number.setdefault(name, at) != at:
            raise ScenarioError(f"two nodes are named {name!r}", where="topology", hint="names must differ")
    links: list[Link] = []
    for link in topology.links:
        for end in (link.a, link.b):
            if end not in number:
                raise ScenarioError(
                    f"the link {link.a} - {link.b} names no node {end!r}", where="topology.links", hint="add the node"
                )
        links.append(Link(number[link.a], number[link.b], link.rate, propagation_ps(link.cable_m), link.cable_m))
    return assemble(endpoints, nodes, links)


def _device(catalog: Mapping[str, D], name: str, where: str) -> D:
    if name not in catalog:
        raise ScenarioError(f"{name!r} is not in the catalog", where=where, hint=f"known: {', '.join(catalog)}")
    return catalog[name]
