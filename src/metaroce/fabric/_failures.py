"""Kernel behind failures.py: the connected parts of a fabric with some of its ports down."""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel


@kernel
def label_parts(first, port, port_peer, up, parts):
    """Number the connected parts, from 0, in the order of their lowest node.

    first      int32[N + 1]  where the ports of each node begin in `port`
    port       int32[P]      ports by node
    port_peer  int32[P]
    up         bool[P]       False = failed (both directions of a link alike)
    parts      int32[N]      filled
    """
    nodes = parts.shape[0]
    queue = np.empty(nodes, np.int32)
    parts[:] = -1
    count = 0
    for start in range(nodes):
        if parts[start] >= 0:
            continue
        parts[start] = count
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for i in range(first[here], first[here + 1]):
                peer = port_peer[port[i]]
                if up[port[i]] and parts[peer] < 0:
                    parts[peer] = count
                    queue[tail] = peer
                    tail += 1
        count += 1
