"""Shortest-path ECMP: which ports lead nearer to a destination, and which of them a flow's hash picks.

Strategy: all endpoints of a leaf share its routes, so only hop counts between switches and leaves are kept
(int16[leaves, switches]); a port is a next hop when its peer is one hop nearer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream


@dataclass(frozen=True, slots=True)
class Routes:
    """Hop counts, and the live ports to follow them. L leaves (switches with endpoints), S switches.

    leaf_node    int32[L]      node number of each leaf
    leaf_column  int32[E]      the leaf (0..L-1) of each endpoint
    distance     int16[L, S]   hops from switch (node number - endpoints) to leaf; -1 = no way
    first        int32[S + 1]  where the ports of each switch begin in `port`
    port         int32[]       live ports between switches, by switch, in ascending order
    port_up      bool[P]       False = failed
    """

    leaf_node: NDArray[np.int32]
    leaf_column: NDArray[np.int32]
    distance: NDArray[np.int16]
    first: NDArray[np.int32]
    port: NDArray[np.int32]
    port_up: NDArray[np.bool_]

    @property
    def longest(self) -> int:
        """Ports on the longest path, uplink and downlink included."""
        return int(self.distance.max(initial=0)) + 2


def find_routes(fabric: Fabric, *, down: ArrayLike = (), partial: bool = False) -> Routes:
    """Routes of a fabric.

    down     ports that failed; a failed port takes the other direction of its link with it
    partial  True: endpoints without a way to each other are accepted (studies of failures)

    Raises InputError when two endpoints cannot reach each other and `partial` is False.
    """
    from metaroce.fabric._routes import distances

    up = np.ones(fabric.ports, np.bool_)
    failed = np.asarray(down, np.int64).reshape(-1)
    up[failed] = False
    up[fabric.port_reverse[failed]] = False
    endpoints = fabric.endpoints
    between = np.flatnonzero(up & (fabric.port_node >= endpoints) & (fabric.port_peer >= endpoints))
    port = between[np.argsort(fabric.port_node[between], kind="stable")].astype(np.int32)
    first = np.searchsorted(fabric.port_node[port], np.arange(endpoints, fabric.nodes + 1)).astype(np.int32)
    leaf_node, leaf_column = np.unique(fabric.port_peer[:endpoints], return_inverse=True)
    distance = np.empty((len(leaf_node), fabric.switches), np.int16)
    distances(leaf_node, first, port, fabric.port_peer, endpoints, distance)
    routes = Routes(leaf_node.astype(np.int32), leaf_column.astype(np.int32), distance, first, port, up)
    if not partial:
        _refuse_islands(fabric, routes)
    return routes


def next_hops(fabric: Fabric, routes: Routes, node: int, dst: int) -> NDArray[np.int32]:
    """int32[] ports through which switch `node` may send to endpoint `dst`; empty = unreachable."""
    endpoints = fabric.endpoints
    row = routes.distance[routes.leaf_column[dst]]
    here = node - endpoints
    if row[here] == 0:
        last = np.array([endpoints + dst], np.int32)
        return last[routes.port_up[last]]
    ports = routes.port[routes.first[here] : routes.first[here + 1]]
    return ports[(row[here] > 0) & (row[fabric.port_peer[ports] - endpoints] == row[here] - 1)]


def reachable(fabric: Fabric, routes: Routes, src: ArrayLike, dst: ArrayLike) -> NDArray[np.bool_]:
    """bool[n]: whether endpoint src[i] has a way to dst[i] over live ports."""
    s, d = np.asarray(src), np.asarray(dst)
    leaf = routes.leaf_node[routes.leaf_column[s]] - fabric.endpoints
    way = routes.distance[routes.leaf_column[d], leaf] >= 0
    return way & routes.port_up[s] & routes.port_up[fabric.endpoints + d]


def ecmp_paths(
    fabric: Fabric,
    routes: Routes,
    src: ArrayLike,
    dst: ArrayLike,
    sport: ArrayLike,
    seed: int,
    *,
    same_hash: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """The path of every flow: (paths int32[n, H] port numbers padded with -1, hops int16[n]).

    A path begins with the source's uplink and ends with the port that reaches dst; H is the longest in the fabric.
    The hash covers the 5-tuple of RoCEv2 (addresses, UDP source port; protocol and port 4791 never differ).

    seed       each switch draws its own hash seed from it
    same_hash  True: all switches hash alike, which polarises fabrics of three tiers (a fault to study)

    Raises InputError for an endpoint that is not there, a flow to itself, or a destination without a way.
    """
    from metaroce.fabric._routes import walk

    s, d, p = (np.ascontiguousarray(np.atleast_1d(column), np.int32) for column in (src, dst, sport))
    s, d, p = (np.ascontiguousarray(column) for column in np.broadcast_arrays(s, d, p))
    _refuse_pairs(fabric, routes, s, d)
    seeds = stream(seed, "ecmp").integers(0, 2**64, fabric.switches, np.uint64)
    if same_hash:
        seeds[:] = seeds[:1]
    paths = np.empty((len(s), routes.longest), np.int32)
    hops = np.empty(len(s), np.int16)
    leaf_of = (routes.leaf_node[routes.leaf_column] - fabric.endpoints).astype(np.int32)
    walk(
        s,
        d,
        p,
        seeds,
        leaf_of,
        routes.leaf_column,
        routes.distance,
        routes.first,
        routes.port,
        fabric.port_peer,
        paths,
        hops,
    )
    return paths, hops


def _refuse_islands(fabric: Fabric, routes: Routes) -> None:
    dead = np.flatnonzero(~routes.port_up[: fabric.endpoints])
    if len(dead):
        raise InputError("an endpoint's only link is down", where=fabric.node_name[dead[0]])
    cut = np.argwhere(routes.distance[:, routes.leaf_node - fabric.endpoints] < 0)
    if len(cut):
        to, start = (fabric.node_name[routes.leaf_node[i]] for i in cut[0])
        raise InputError(
            f"the fabric is in pieces: {start} has no way to {to} ({len(cut)} ordered pairs of leaves are cut off)",
            where=f"{start} - {to}", hint="link the pieces through a spine, or study them one by one",
        )  # fmt: skip


def _refuse_pairs(fabric: Fabric, routes: Routes, src: NDArray[np.int32], dst: NDArray[np.int32]) -> None:
    top = fabric.endpoints
    outside = (src < 0) | (src >= top) | (dst < 0) | (dst >= top)
    if outside.any():
        at = int(np.argmax(outside))
        raise InputError(
            f"flow {src[at]} -> {dst[at]} names an endpoint outside 0..{top - 1}", where=f"flow {at}",
            hint="the load was made for a larger fabric: give the fabric more servers",
        )  # fmt: skip
    if (src == dst).any():
        at = int(np.argmax(src == dst))
        raise InputError(f"flow {src[at]} -> {dst[at]} goes nowhere", where=f"flow {at}")
    cut = ~reachable(fabric, routes, src, dst)
    if cut.any():
        at = int(np.argmax(cut))
        start, to = fabric.node_name[src[at]], fabric.node_name[dst[at]]
        raise InputError(
            f"{start} has no way to {to} ({int(cut.sum())} flows are cut off)",
            where=f"flow {at}", hint="repair a link or leave these flows out (fabric.routes.reachable)",
        )  # fmt: skip
