"""Which buffers wait for which: the cycles that PFC or credits need to lock a fabric.

Strategy: a vertex is a port between switches, and stands for the buffer at its far end. Port p waits for port q when
packets that arrive over p leave over q: while q is paused, they hold p's buffer. Endpoints never forward, so their
links cannot be on a cycle and are left out. A cycle is necessary for a deadlock, not sufficient (Hu et al., "Deadlocks
in Datacenter Networks", HotNets 2016); up-down paths have none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np
import rustworkx
from numpy.typing import NDArray

from metaroce.fabric.graph import Fabric
from metaroce.fabric.routes import Routes


def waits_of_paths(fabric: Fabric, paths: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32[m, 2]: pairs (p, q), p waits for q, that the given paths create; each once, sorted."""
    before, after = paths[:, :-1].ravel(), paths[:, 1:].ravel()
    first = 2 * fabric.endpoints  # ports between switches begin here
    kept = (before >= first) & (after >= first)
    return _unique(fabric, before[kept], after[kept])


def waits_of_routes(fabric: Fabric, routes: Routes) -> NDArray[np.int32]:
    """int32[m, 2]: pairs (p, q), p waits for q, over all flows between endpoints and all ECMP choices."""
    from metaroce.fabric._waits import mark_waits

    endpoints = fabric.endpoints
    place = np.full(fabric.ports, -1, np.int64)
    place[routes.port] = np.arange(len(routes.port))
    degree = np.diff(routes.first)
    into = fabric.port_peer[routes.port] - endpoints
    offset = np.concatenate([[0], np.cumsum(degree[into])]).astype(np.int64)
    seen = np.zeros(int(offset[-1]), np.bool_)
    has_endpoints = np.zeros(fabric.switches, np.bool_)
    has_endpoints[routes.leaf_node - endpoints] = True
    mark_waits(
        routes.distance, has_endpoints, routes.first, routes.port, fabric.port_peer, fabric.port_reverse, endpoints,
        place, offset, seen,
    )  # fmt: skip
    hit = np.flatnonzero(seen)
    row = np.searchsorted(offset, hit, side="right") - 1
    return _unique(fabric, routes.port[row], routes.port[routes.first[into[row]] + hit - offset[row]])


def smallest_cycle(waits: NDArray[np.int32] | Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The shortest cycle among pairs (p, q), as its vertices in order; () when there is none.

    Vertices may be ports or any other numbers (a linter makes one of port and priority group). Of equally short
    cycles the one through the smallest vertex is given, which comes first.
    """
    pairs = [(int(p), int(q)) for p, q in waits]
    names = sorted({vertex for pair in pairs for vertex in pair})
    number = {name: at for at, name in enumerate(names)}
    graph: rustworkx.PyDiGraph = rustworkx.PyDiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from_no_data([(number[p], number[q]) for p, q in pairs])
    best: list[int] = []
    for part in rustworkx.strongly_connected_components(graph):
        for start in sorted(part):
            found = _way_back(graph, start, set(part), len(best) or len(part) + 1)
            if found and (not best or len(found) < len(best) or (len(found) == len(best) and found < best)):
                best = found
    return tuple(names[at] for at in best)


def _way_back(graph: rustworkx.PyDiGraph, start: int, part: set[int], shorter_than: int) -> list[int]:
    """Shortest way from `start` to itself inside its component, of at most `shorter_than` vertices; [] = none."""
    came_from: dict[int, int] = {}
    queue = deque([(start, 1)])
    while queue:
        here, length = queue.popleft()
        if length > shorter_than:
            return []
        for after in sorted(graph.successor_indices(here)):
            if after == start:
                way = [here]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if after in part and after not in came_from:
                came_from[after] = here
                queue.append((after, length + 1))
    return []


def _unique(fabric: Fabric, before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.int32]:
    keys = np.unique(before.astype(np.int64) * fabric.ports + after)
    return np.stack([keys // fabric.ports, keys % fabric.ports], axis=1).astype(np.int32)
