"""The fabric as arrays: nodes, and one port for each direction of each link.

Strategy: ports are laid out so that no lookup is needed. Port e < endpoints is the uplink of endpoint e; port
endpoints + e is its reverse; then come the links between switches, two ports each, a -> b before b -> a.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError

#: Propagation delay of copper and fibre, ps per metre: light at 1.98e8 m/s (IEEE 802.1Qbb annex O), 5.05 ns/m.
PS_PER_METRE = 5_050
LEAF, SPINE, CORE = 1, 2, 3


class Endpoint(NamedTuple):
    """One NIC port of one server.

    delay_ps  processing of the NIC per packet
    model     name in `catalog/nics.toml`, "" = unknown
    """

    name: str
    server: int = 0
    rail: int = 0
    delay_ps: int = 0
    model: str = ""


class Switch(NamedTuple):
    """One switch.

    tier      1 leaf, 2 spine, 3 core
    delay_ps  processing per packet, cut-through or pipeline
    buffer    bytes shared by its ports
    model     name in `catalog/switches.toml`, "" = unknown
    """

    name: str
    tier: int = LEAF
    delay_ps: int = 0
    buffer: int = 0
    model: str = ""


class Link(NamedTuple):
    """A full-duplex link between nodes a and b (endpoints are 0..E-1, then the switches).

    rate      bit/s, each direction
    delay_ps  propagation, one way
    cable_m   metres; 0 = unknown
    """

    a: int
    b: int
    rate: int
    delay_ps: int
    cable_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Fabric:
    """A directed multigraph of ports. N nodes, E endpoints (nodes 0..E-1), P ports (port e < E: uplink of endpoint e).

    node_name       tuple[N] of str
    node_tier       int8[N]    0 endpoint, 1 leaf, 2 spine, 3 core
    node_delay_ps   int64[N]   processing per packet, ps
    node_buffer     int64[N]   bytes, 0 for endpoints
    port_node       int32[P]   the node that transmits
    port_peer       int32[P]   the node that receives
    port_reverse    int32[P]   the other direction of the same link
    port_rate       int64[P]   bit/s
    port_delay_ps   int64[P]   propagation, ps
    port_cable_m    float64[P] metres, 0 = unknown
    endpoint_server int32[E]
    endpoint_rail   int32[E]
    node_model      tuple[N] of str: name in the catalog, "" = unknown
    """

    node_name: tuple[str, ...]
    node_tier: NDArray[np.int8]
    node_delay_ps: NDArray[np.int64]
    node_buffer: NDArray[np.int64]
    port_node: NDArray[np.int32]
    port_peer: NDArray[np.int32]
    port_reverse: NDArray[np.int32]
    port_rate: NDArray[np.int64]
    port_delay_ps: NDArray[np.int64]
    port_cable_m: NDArray[np.float64]
    endpoint_server: NDArray[np.int32]
    endpoint_rail: NDArray[np.int32]
    node_model: tuple[str, ...] = ()

    @property
    def endpoints(self) -> int:
        """How many nodes are endpoints."""
        return len(self.endpoint_server)

    @property
    def nodes(self) -> int:
        """Endpoints and switches."""
        return len(self.node_name)

    @property
    def switches(self) -> int:
        """How many nodes are switches."""
        return self.nodes - self.endpoints

    @property
    def ports(self) -> int:
        """Directed ports: twice the number of links."""
        return len(self.port_node)

    @property
    def one_way(self) -> NDArray[np.int64]:
        """int64[links]: of each link the port with the lower number."""
        return np.flatnonzero(np.arange(self.ports) < self.port_reverse)

    def port_name(self, port: int) -> str:
        """`leaf0->spine1`, for messages."""
        return f"{self.node_name[self.port_node[port]]}->{self.node_name[self.port_peer[port]]}"


def assemble(endpoints: Sequence[Endpoint], switches: Sequence[Switch], links: Sequence[Link]) -> Fabric:
    """Fabric from explicit nodes and links; parallel links are kept.

    Raises InputError for a link to a node that is not there or to itself, for a rate <= 0 or delay < 0, and for an
    endpoint that has not exactly one link to a switch (a server with several NICs is several endpoints).
    """
    nodes = [*endpoints, *switches]
    if not endpoints:
        raise InputError("the fabric has no endpoint", hint="give at least one server with one NIC")
    for link in links:
        _check(link, nodes)
    ordered = _endpoints_first(links, endpoints)
    count = len(endpoints)
    pairs = [(link, end) for end in (0, 1) for link in ordered[:count]]
    pairs += [(link, end) for link in ordered[count:] for end in (0, 1)]
    here = np.arange(len(pairs), dtype=np.int32)
    between = ((here - 2 * count) ^ 1) + 2 * count
    reverse = np.where(here < count, here + count, np.where(here < 2 * count, here - count, between)).astype(np.int32)
    return Fabric(
        node_name=tuple(node.name for node in nodes),
        node_tier=np.array([0] * count + [s.tier for s in switches], np.int8),
        node_delay_ps=np.array([node.delay_ps for node in nodes], np.int64),
        node_buffer=np.array([0] * count + [s.buffer for s in switches], np.int64),
        port_node=np.array([link.b if end else link.a for link, end in pairs], np.int32),
        port_peer=np.array([link.a if end else link.b for link, end in pairs], np.int32),
        port_reverse=reverse,
        port_rate=np.array([link.rate for link, _ in pairs], np.int64),
        port_delay_ps=np.array([link.delay_ps for link, _ in pairs], np.int64),
        port_cable_m=np.array([link.cable_m for link, _ in pairs], np.float64),
        endpoint_server=np.array([e.server for e in endpoints], np.int32),
        endpoint_rail=np.array([e.rail for e in endpoints], np.int32),
        node_model=tuple(node.model for node in nodes),
    )


def propagation_ps(cable_m: float) -> int:
    """One-way delay of a cable, ps, at 5.05 ns/m."""
    return round(cable_m * PS_PER_METRE)


def _check(link: Link, nodes: Sequence[Endpoint | Switch]) -> None:
    where = f"link {link.a} - {link.b}"
    if not (0 <= link.a < len(nodes) and 0 <= link.b < len(nodes)):
        raise InputError(f"the link names a node outside 0..{len(nodes) - 1}", where=where)
    if link.a == link.b:
        raise InputError("the link joins a node to itself", where=where)
    if link.rate <= 0:
        raise InputError(
            f"the link has rate {link.rate}", where=where, hint='give a rate such as "400G", or delete the link'
        )
    if link.delay_ps < 0:
        raise InputError(f"the link has delay {link.delay_ps} ps", where=where, hint="delays are 0 or more")


def _endpoints_first(links: Sequence[Link], endpoints: Sequence[Endpoint]) -> list[Link]:
    """The endpoints' links in the order of the endpoints (a = endpoint), then the links between switches."""
    count = len(endpoints)
    uplink: dict[int, Link] = {}
    between: list[Link] = []
    for link in links:
        if link.a >= count and link.b >= count:
            between.append(link)
            continue
        if link.a < count and link.b < count:
            pair = f"{endpoints[link.a].name} - {endpoints[link.b].name}"
            raise InputError(
                "the link joins two endpoints without a switch", where=pair, hint="put a switch between them"
            )
        towards = link if link.a < count else link._replace(a=link.b, b=link.a)
        if towards.a in uplink:
            raise InputError(
                "the endpoint has more than one link", where=endpoints[towards.a].name,
                hint="an endpoint is one NIC port: make one endpoint per port, with the same server number",
            )  # fmt: skip
        uplink[towards.a] = towards
    for number, endpoint in enumerate(endpoints):
        if number not in uplink:
            raise InputError("the endpoint has no link", where=endpoint.name, hint="link it to a leaf switch")
    return [uplink[number] for number in range(count)] + between
