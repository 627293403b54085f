"""How many leaves, spines and cores carry so many servers, with switches of a given radix.

Strategy: every tier is one question, asked twice in a fat tree: `below` switches have `uplinks` each; how few switches
above, with how many parallel links to each, carry them evenly (`spread`)?
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import format_rate
from metaroce.model.devices import Switch
from metaroce.model.topology import FatTree, LeafSpine, Rail, Sized


@dataclass(frozen=True, slots=True)
class Plan:
    """A Clos fabric in numbers. Pods are the same, the last one may have fewer leaves; two-tier fabrics have one pod.

    endpoints           NIC ports in all
    pods                groups of leaves that share spines
    leaves              in all
    leaves_per_pod      at most
    per_leaf            endpoints on one leaf, at most
    spines_per_pod      0 = one leaf is the whole fabric
    leaf_parallel       links from each leaf to each spine of its pod
    cores_per_plane     cores that join spine j of every pod; 0 = one pod
    core_parallel       links from each spine to each core of its plane
    rails               leaf r of every group of `rails` takes NIC r; 1 = servers stand whole on a leaf
    """

    endpoints: int
    pods: int
    leaves: int
    leaves_per_pod: int
    per_leaf: int
    spines_per_pod: int = 0
    leaf_parallel: int = 0
    cores_per_plane: int = 0
    core_parallel: int = 0
    rails: int = 1

    @property
    def spines(self) -> int:
        """Spines in all pods."""
        return self.pods * self.spines_per_pod

    @property
    def cores(self) -> int:
        """Cores in all planes."""
        return self.spines_per_pod * self.cores_per_plane


def spread(uplinks: int, below: int, radix: int, *, room: int, at_least: int = 1) -> tuple[int, int] | None:
    """(switches above, parallel links to each) for `below` switches with `uplinks` each; None = cannot be.

    The fewest switches, of `radix` ports each, and never more links than the `room` of a switch below.
    """
    widest = radix // below
    if widest == 0:
        return None
    for above in range(max(math.ceil(uplinks / widest), min(at_least, uplinks)), uplinks + 1):
        parallel = math.ceil(uplinks / above)
        if above * parallel <= room:
            return above, parallel
    return None


def plan(topology: Sized, servers: int, leaf: Switch, spine: Switch) -> Plan:
    """Size a fabric. Raises ScenarioError, with what would help, when it cannot be built from these switches."""
    for role, switch, rate in (("switch", leaf, topology.nic_rate), ("spine_switch", spine, topology.uplink_rate)):
        if switch.radix(rate) == 0:
            raise ScenarioError(
                f"{switch.chip} has no port of {format_rate(rate)}; its cages are {format_rate(switch.port_rate)}",
                where=f"topology.{role}", hint="choose a faster switch or a lower rate",
            )  # fmt: skip
    match topology:
        case LeafSpine():
            return _leaf_spine(topology, servers, leaf, spine)
        case Rail():
            return _rail(topology, servers, leaf, spine)
        case FatTree():
            return _fat_tree(topology, servers, leaf, spine)
        case _:
            raise TypeError(type(topology).__name__)


def room(topology: Sized, leaf: Switch, down: int) -> int:
    """Uplinks that fit a leaf besides `down` server ports, by cages and chip; -1 = not even those fit."""
    cages = leaf.ports - math.ceil(down / leaf.split(topology.nic_rate))
    if cages < 0 or down > leaf.max_ports:
        return -1
    return min(cages * leaf.split(topology.uplink_rate), leaf.max_ports - down)


def uplinks_for(topology: Sized, down: int) -> int:
    """Uplinks that keep the oversubscription with `down` server ports."""
    return max(1, math.ceil(down * topology.nic_rate / (topology.oversubscription * topology.uplink_rate) - 1e-9))


def _leaf_spine(topology: LeafSpine, servers: int, leaf: Switch, spine: Switch) -> Plan:
    nics = topology.nics_per_server
    endpoints = servers * nics
    whole = topology.servers_per_leaf if topology.servers_per_leaf != "auto" else leaf.radix(topology.nic_rate) // nics
    if servers <= whole and endpoints <= leaf.radix(topology.nic_rate):
        return Plan(endpoints, 1, 1, 1, endpoints)
    most = _most_down(topology, leaf, nics, topology.servers_per_leaf, "servers_per_leaf") // nics
    per_leaf = math.ceil(servers / math.ceil(servers / most)) * nics
    leaves = math.ceil(endpoints / per_leaf)
    spines, parallel = _two_tiers(topology, leaves, per_leaf, leaf, spine)
    return Plan(endpoints, 1, leaves, leaves, per_leaf, spines, parallel)


def _rail(topology: Rail, servers: int, leaf: Switch, spine: Switch) -> Plan:
    rails = topology.nics_per_server
    if rails == 1 and topology.servers_per_pod == "auto" and servers <= leaf.radix(topology.nic_rate):
        return Plan(servers, 1, 1, 1, servers)
    most = _most_down(topology, leaf, 1, topology.servers_per_pod, "servers_per_pod")
    per_leaf = math.ceil(servers / math.ceil(servers / most))
    leaves = math.ceil(servers / per_leaf) * rails
    if leaves == 1:
        return Plan(servers, 1, 1, 1, servers)
    spines, parallel = _two_tiers(topology, leaves, per_leaf, leaf, spine)
    return Plan(servers * rails, 1, leaves, leaves, per_leaf, spines, parallel, rails=rails)


def _fat_tree(topology: FatTree, servers: int, leaf: Switch, spine: Switch) -> Plan:
    nics = topology.nics_per_server
    endpoints = servers * nics
    radix = min(leaf.radix(topology.uplink_rate), spine.radix(topology.uplink_rate))
    k = radix - radix % 2 if topology.k == "auto" else topology.k
    if k % 2 or k > radix:
        raise ScenarioError(
            f"k = {k} is {'odd' if k % 2 else f'more than the {radix} ports of {format_rate(topology.uplink_rate)}'}",
            where="topology.k", hint=f"an even number up to {radix - radix % 2}, or auto",
        )  # fmt: skip
    half = k // 2
    down = math.floor(half * topology.uplink_rate * topology.oversubscription / topology.nic_rate + 1e-9)
    while down > 0 and room(topology, leaf, down) < half:
        down -= 1
    down = down // nics * nics if down >= nics else down
    if endpoints > k * half * down or down == 0:
        raise ScenarioError(
            f"a fat tree of k = {k} holds {k * half * down} endpoints, {endpoints} wanted",
            where="topology.k", hint="a larger k, a switch with more ports, or more oversubscription",
        )  # fmt: skip
    leaves = math.ceil(endpoints / down)
    if leaves == 1:
        return Plan(endpoints, 1, 1, 1, endpoints)
    pods = math.ceil(leaves / half)
    per_pod = math.ceil(leaves / pods)
    pods = math.ceil(leaves / per_pod)
    found = spread(half, per_pod, k if pods == 1 else half, room=room(topology, leaf, down), at_least=2)
    assert found is not None, "a pod has at most k / 2 leaves"
    spines, parallel = found
    if pods == 1:
        return Plan(endpoints, 1, leaves, leaves, down, spines, parallel)
    above = spread(per_pod * parallel, pods, k, room=k - per_pod * parallel)
    assert above is not None, "a plane has at most k pods, and a spine as many links up as down"
    return Plan(endpoints, pods, leaves, per_pod, down, spines, parallel, *above)


def _most_down(topology: Sized, leaf: Switch, unit: int, wanted: int | str, field: str) -> int:
    """Server ports of one leaf, in whole `unit`s, that leave room for their uplinks."""
    radix = leaf.radix(topology.nic_rate)
    fitting = next(
        (d for d in range(radix - radix % unit, 0, -unit) if uplinks_for(topology, d) <= room(topology, leaf, d)), 0
    )
    if fitting == 0:
        raise ScenarioError(
            f"a leaf of {radix} ports of {format_rate(topology.nic_rate)} has no room for one server of {unit} NICs "
            f"and its uplinks",
            where="topology.switch", hint="a switch with more ports, more oversubscription, or kind: rail",
        )  # fmt: skip
    if isinstance(wanted, str):
        return fitting
    if wanted * unit > fitting:
        raise ScenarioError(
            f"{field} = {wanted} does not fit: a leaf has room for {fitting // unit} with their uplinks",
            where=f"topology.{field}", hint="auto, a switch with more ports, or more oversubscription",
        )  # fmt: skip
    return wanted * unit


def _two_tiers(topology: LeafSpine | Rail, leaves: int, per_leaf: int, leaf: Switch, spine: Switch) -> tuple[int, int]:
    uplinks, radix, free = (
        uplinks_for(topology, per_leaf),
        spine.radix(topology.uplink_rate),
        room(topology, leaf, per_leaf),
    )
    if leaves > radix:
        raise ScenarioError(
            f"{leaves} leaves need three tiers: a spine has only {radix} ports of {format_rate(topology.uplink_rate)}",
            where="topology.kind", hint="kind: fat-tree, a spine switch with more ports, or more oversubscription",
        )  # fmt: skip
    if topology.spines == "auto":
        found = spread(uplinks, leaves, radix, room=free, at_least=2)
        assert found is not None, "as many spines as uplinks always fit"
        return found
    parallel = math.ceil(uplinks / topology.spines)
    if leaves * parallel > radix or topology.spines * parallel > free:
        raise ScenarioError(
            f"{topology.spines} spines do not carry {leaves} leaves with {uplinks} uplinks each: "
            f"a spine has {radix} ports, a leaf room for {free} uplinks",
            where="topology.spines", hint="auto, or another number of spines",
        )  # fmt: skip
    return topology.spines, parallel
