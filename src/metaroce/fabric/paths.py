"""Paths as given or as found: exact replay of node lists, the load they put on each port, their unloaded delay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.errors import InputError
from metaroce.kit.units import PS_PER_S


def replay_paths(fabric: Fabric, node_lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """Ports along given lists of nodes: (paths int32[n, H] padded with -1, hops int16[n]), as `ecmp_paths` gives them.

    Of parallel links the first is taken. Raises InputError where two successive nodes have no link, and for a list
    that does not lead from endpoint to endpoint.
    """
    hops = np.array([len(nodes) - 1 for nodes in node_lists], np.int16)
    if (hops < 2).any():
        raise InputError("a path needs at least two endpoints and a switch", where=f"path {int(np.argmax(hops < 2))}")
    ends = np.array([(nodes[0], nodes[-1]) for nodes in node_lists]).reshape(-1, 2)
    outside = (ends >= fabric.endpoints).any(axis=1)
    if outside.any():
        raise InputError("the path does not lead from endpoint to endpoint", where=f"path {int(np.argmax(outside))}")
    flow = np.repeat(np.arange(len(hops)), hops)
    here = np.fromiter((n for nodes in node_lists for n in nodes[:-1]), np.int64)
    there = np.fromiter((n for nodes in node_lists for n in nodes[1:]), np.int64)
    keys = fabric.port_node.astype(np.int64) * fabric.nodes + fabric.port_peer
    order = np.argsort(keys, kind="stable")
    wanted = here * fabric.nodes + there
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    ports = order[at]
    missing = (fabric.port_node[ports] != here) | (fabric.port_peer[ports] != there)
    if missing.any():
        bad = int(np.argmax(missing))
        raise InputError(
            f"the fabric has no link {here[bad]} - {there[bad]}", where=f"path {flow[bad]}",
            hint="the paths belong to another topology",
        )  # fmt: skip
    paths = np.full((len(hops), int(hops.max(initial=0))), -1, np.int32)
    paths[flow, np.arange(len(flow)) - np.repeat(np.cumsum(hops) - hops, hops)] = ports
    return paths, hops


def port_load(fabric: Fabric, paths: NDArray[np.int32], amount: ArrayLike = 1) -> NDArray[np.float64]:
    """float64[P]: what each port carries when flow i brings `amount[i]` (bytes, flows, ...)."""
    each = np.broadcast_to(np.asarray(amount, np.float64).reshape(-1, 1), paths.shape)
    used = paths >= 0
    return np.bincount(paths[used], weights=each[used], minlength=fabric.ports)


def unloaded_ps(fabric: Fabric, paths: NDArray[np.int32], size: ArrayLike, packet: int) -> NDArray[np.int64]:
    """int64[n], ps: time for `size` bytes over an idle path, from the first byte sent to the last byte received.

    Store and forward: the first packet is serialised at every hop, the rest at the slowest one; propagation of every
    link and processing of every node that transmits are added. `size` and `packet` include headers, bytes.
    """
    used = paths >= 0
    ports = np.where(used, paths, 0)
    total = np.broadcast_to(np.asarray(size, np.int64), len(paths))
    lead = np.minimum(total, packet)
    per_byte = np.where(used, 8 * PS_PER_S / fabric.port_rate[ports], 0.0)
    fixed = np.where(used, fabric.port_delay_ps[ports] + fabric.node_delay_ps[fabric.port_node[ports]], 0).sum(axis=1)
    wire = lead * per_byte.sum(axis=1) + (total - lead) * per_byte.max(axis=1, initial=0.0)
    return fixed + np.ceil(wire).astype(np.int64)
