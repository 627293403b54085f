"""What a fabric looks like, in a few numbers: leaf-spine, fat tree, rail-optimised, or link by link."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from metaroce.model.base import Count, Factor, Noun, Rate, default_kind

Auto = Literal["auto"]
Metres = Annotated[float, Field(ge=0, le=100_000)]


class Sized(Noun):
    """What all computed fabrics share. An endpoint is one NIC port; a server has one a rail."""

    servers: Count | Auto = "auto"
    """Servers on the fabric; auto = as many as the GPUs need."""
    nics_per_server: Annotated[int, Field(ge=1, le=64)] = 8
    """NIC ports (rails) of each server, usually one a GPU."""
    nic_rate: Rate = 400_000_000_000
    """Speed of the links between servers and leaves."""
    uplink_rate: Rate = 400_000_000_000
    """Speed of the links between switches."""
    oversubscription: Factor = 1.0
    """Bandwidth towards the servers over bandwidth towards the spines, at most; 1 = non-blocking."""
    host_cable_m: Metres = 3.0
    """Cable between server and leaf, m: 5.05 ns a metre."""
    spine_cable_m: Metres = 40.0
    """Cable between leaf and spine, m."""
    switch: str = "tomahawk5-64x800g"
    """Leaf switch, a name from the catalog of switches."""
    spine_switch: str | None = None
    """Switch of the tiers above; none = the same as the leaf."""
    nic: str = "connectx7-400g"
    """Network card, a name from the catalog of NICs."""


class LeafSpine(Sized):
    """Two tiers: all NICs of a server hang on one leaf, every leaf on every spine."""

    kind: Literal["leaf-spine"] = "leaf-spine"
    """Two tiers, servers whole on one leaf."""
    servers_per_leaf: Count | Auto = "auto"
    """Servers on one leaf, at most; auto = what radix and oversubscription allow."""
    spines: Count | Auto = "auto"
    """Spine switches; auto = as few as carry the uplinks, and two at least."""


class Rail(Sized):
    """Two tiers, rail-optimised: NIC r of every server hangs on rail leaf r of its pod, spines join all leaves."""

    kind: Literal["rail"] = "rail"
    """Two tiers, one leaf a rail and pod."""
    host_cable_m: Metres = 20.0
    """Cable between server and leaf, m: the servers of a pod stand in many racks, its leaves in one."""
    servers_per_pod: Count | Auto = "auto"
    """Servers in one pod, at most; auto = what radix and oversubscription of a leaf allow."""
    spines: Count | Auto = "auto"
    """Spine switches; auto = as few as carry the uplinks, and two at least."""


class FatTree(Sized):
    """Three tiers: a pod has leaves and spines, cores join the pods (Al-Fares, Loukissas & Vahdat, SIGCOMM 2008)."""

    kind: Literal["fat-tree"] = "fat-tree"
    """Three tiers, every switch with k ports of the uplink rate."""
    k: Annotated[int, Field(ge=4, le=1024)] | Auto = "auto"
    """Ports of the uplink rate used on each switch, even: half up, half down (oversubscribed leaves have more down, and
    slower server ports count by bandwidth). k^3 / 4 endpoints at equal speeds; auto = the radix of the switch."""
    core_cable_m: Metres = 300.0
    """Cable between spine and core, m."""


class NamedEndpoint(Noun):
    """One NIC port in an explicit fabric."""

    name: str
    """Its name in the links."""
    server: Annotated[int, Field(ge=0, le=10_000_000)]
    """Number of its server."""
    rail: Annotated[int, Field(ge=0, le=64)] = 0
    """Its place in the server."""


class NamedSwitch(Noun):
    """One switch in an explicit fabric."""

    name: str
    """Its name in the links."""
    tier: Annotated[int, Field(ge=1, le=3)] = 1
    """1 leaf, 2 spine, 3 core."""
    switch: str | None = None
    """A name from the catalog of switches; none = the fabric's `switch`."""


class NamedLink(Noun):
    """One full-duplex link in an explicit fabric."""

    a: str
    """One end: name of an endpoint or switch."""
    b: str
    """The other end."""
    rate: Rate = 400_000_000_000
    """Speed in each direction."""
    cable_m: Metres = 3.0
    """Length, m: 5.05 ns a metre."""


class Explicit(Noun):
    """A fabric given node by node and link by link: rings, bounces, what really stands in the room."""

    kind: Literal["explicit"] = "explicit"
    """Every node and link is given."""
    endpoints: tuple[NamedEndpoint, ...]
    """NIC ports."""
    switches: tuple[NamedSwitch, ...]
    """Switches."""
    links: tuple[NamedLink, ...]
    """Links; each endpoint has exactly one."""
    switch: str = "tomahawk5-64x800g"
    """Switch from the catalog, where a switch names none."""
    nic: str = "connectx7-400g"
    """Network card, a name from the catalog of NICs."""


Topology = Annotated[LeafSpine | Rail | FatTree | Explicit, Field(discriminator="kind"), default_kind("rail")]
