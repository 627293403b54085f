"""The blast radius: which servers lose service, and how much bandwidth is left, when one part fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metaroce.fabric.graph import Fabric
from metaroce.fabric.inventory import TIERS


@dataclass(frozen=True, slots=True)
class Failure:
    """What one failure does once routes have gone round it, as far as any way is left.

    endpoints_lost    NIC ports cut off from the largest part of the fabric
    servers_lost      servers with no NIC port left
    servers_degraded  servers with some ports lost and some left
    uplink_left       worst share of a surviving switch's bandwidth to the tier above that is left, 0..1
    """

    endpoints_lost: int
    servers_lost: int
    servers_degraded: int
    uplink_left: float


def fail(fabric: Fabric, *, nodes: Sequence[int] = (), ports: Sequence[int] = ()) -> Failure:
    """What happens when these switches and links (either port of each) fail together."""
    up = np.ones(fabric.ports, np.bool_)
    chosen = np.asarray(ports, np.int64)
    up[chosen] = False
    up[fabric.port_reverse[chosen]] = False
    dead = np.zeros(fabric.nodes, np.bool_)
    dead[np.asarray(nodes, np.int64)] = True
    up &= ~(dead[fabric.port_node] | dead[fabric.port_peer])
    lost = ~_in_largest_part(fabric, up)
    down = np.bincount(fabric.endpoint_server, weights=lost)
    total = np.bincount(fabric.endpoint_server)
    gone = (down == total) & (total > 0)
    return Failure(int(lost.sum()), int(gone.sum()), int(((down > 0) & ~gone).sum()), _uplink_left(fabric, up, dead))


def blast_radius(fabric: Fabric) -> pl.DataFrame:
    """The worst single failure of every kind of part: each switch and each link of the fabric is tried.

    Columns: part ("leaf", "spine", "core", "endpoint-leaf link", ...), count, endpoints_lost, servers_lost,
    servers_degraded, uplink_left (0..1), worst (name of the part that does most harm). Parallel links are tried once.
    """
    cases: dict[str, list[tuple[str, Failure]]] = {}
    counts: dict[str, int] = {}
    for tier in (1, 2, 3):
        for node in np.flatnonzero(fabric.node_tier == tier).tolist():
            cases.setdefault(TIERS[tier], []).append((fabric.node_name[node], fail(fabric, nodes=[node])))
    counts.update({part: len(found) for part, found in cases.items()})
    one_way = fabric.one_way
    pairs = np.sort(np.stack([fabric.port_node[one_way], fabric.port_peer[one_way]]), axis=0)
    kinds = [f"{TIERS[a]}-{TIERS[b]} link" for a, b in np.sort(fabric.node_tier[pairs], axis=0).T]
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    _, firsts = np.unique(pairs[0].astype(np.int64) * fabric.nodes + pairs[1], return_index=True)
    for at in np.sort(firsts).tolist():
        port = int(one_way[at])
        cases.setdefault(kinds[at], []).append((fabric.port_name(port), fail(fabric, ports=[port])))
    return pl.DataFrame([_worst(part, counts[part], found) for part, found in cases.items()])


def _worst(part: str, count: int, cases: list[tuple[str, Failure]]) -> dict[str, str | int | float]:
    name, worst = max(cases, key=lambda case: (case[1].servers_lost, case[1].endpoints_lost, -case[1].uplink_left))
    return {
        "part": part, "count": count, "endpoints_lost": worst.endpoints_lost, "servers_lost": worst.servers_lost,
        "servers_degraded": worst.servers_degraded, "uplink_left": worst.uplink_left, "worst": name,
    }  # fmt: skip


def _in_largest_part(fabric: Fabric, up: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[E]: endpoints in the connected part that holds most endpoints (the lowest numbered of equals)."""
    from metaroce.fabric._failures import label_parts

    parts = np.empty(fabric.nodes, np.int32)
    order = np.argsort(fabric.port_node, kind="stable").astype(np.int32)
    first = np.searchsorted(fabric.port_node[order], np.arange(fabric.nodes + 1)).astype(np.int32)
    label_parts(first, order, fabric.port_peer, up, parts)
    mine = parts[: fabric.endpoints]
    return mine == np.argmax(np.bincount(mine))


def _uplink_left(fabric: Fabric, up: NDArray[np.bool_], dead: NDArray[np.bool_]) -> float:
    rises = (fabric.node_tier[fabric.port_peer] > fabric.node_tier[fabric.port_node]) & (
        fabric.node_tier[fabric.port_node] > 0
    )
    rate = fabric.port_rate.astype(np.float64)
    before = np.bincount(fabric.port_node, weights=rate * rises, minlength=fabric.nodes)
    after = np.bincount(fabric.port_node, weights=rate * (rises & up), minlength=fabric.nodes)
    alive = (before > 0) & ~dead
    return float((after[alive] / before[alive]).min()) if alive.any() else 1.0
