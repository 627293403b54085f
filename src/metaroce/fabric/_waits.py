"""Kernel behind dependencies.py: walk every destination's routes and mark which port waits for which."""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel


@kernel
def mark_waits(distance, has_endpoints, first, port, port_peer, port_reverse, endpoints, place, offset, seen):
    """Set `seen` for every (port in, port out) of a switch that some flow may use one after the other.

    distance       int16[L, S]   hops to each leaf
    has_endpoints  bool[S]       where flows begin
    first          int32[S + 1]  where the ports of each switch begin in `port`
    port           int32[]       live ports between switches
    place          int64[P]      position of a port in `port`
    offset         int64[]       where the row of port[i] begins in `seen`: one cell for each port of its peer
    seen           bool[]        set to True, never cleared
    """
    switches = distance.shape[1]
    carries = np.empty(switches, np.bool_)
    for column in range(distance.shape[0]):
        row = distance[column]
        carries[:] = False
        order = np.argsort(-row.astype(np.int64))  # farthest first: a switch is fed only by farther ones
        for at in range(switches):
            here = order[at]
            if row[here] < 0:
                break
            carries[here] |= has_endpoints[here]
            if not carries[here]:
                continue
            for j in range(first[here], first[here + 1]):
                peer = port_peer[port[j]] - endpoints
                if row[peer] == row[here] - 1:
                    carries[peer] = True
            for i in range(first[here], first[here + 1]):
                feeder = port_peer[port[i]] - endpoints
                if row[feeder] != row[here] + 1 or not carries[feeder]:
                    continue
                cell = offset[place[port_reverse[port[i]]]] - first[here]
                for j in range(first[here], first[here + 1]):
                    if row[port_peer[port[j]] - endpoints] == row[here] - 1:
                        seen[cell + j] = True
