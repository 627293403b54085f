"""Kernels behind routes.py: breadth-first distances, the hash of a switch, and the walk of a flow through ECMP."""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)


@kernel(inline="always")
def mix(x):
    """Finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014): every input bit reaches every output bit."""
    x = (x ^ (x >> np.uint64(30))) * _M1
    x = (x ^ (x >> np.uint64(27))) * _M2
    return x ^ (x >> np.uint64(31))


@kernel
def distances(leaf_node, first, port, port_peer, endpoints, distance):
    """Hops from every switch to every leaf, by breadth-first search; endpoints never forward.

    leaf_node  int32[L]      node number of each leaf
    first      int32[S + 1]  where the ports of each switch begin in `port`
    port       int32[]       live ports between switches, by switch
    port_peer  int32[P]
    distance   int16[L, S]   filled; -1 = no way
    """
    switches = distance.shape[1]
    queue = np.empty(switches, np.int32)
    for column in range(leaf_node.shape[0]):
        row = distance[column]
        row[:] = -1
        queue[0] = leaf_node[column] - endpoints
        row[queue[0]] = 0
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for i in range(first[here], first[here + 1]):
                peer = port_peer[port[i]] - endpoints
                if row[peer] < 0:
                    row[peer] = row[here] + 1
                    queue[tail] = peer
                    tail += 1


@kernel
def walk(src, dst, sport, switch_seed, leaf_of, leaf_column, distance, first, port, port_peer, paths, hops):
    """Follow every flow from its uplink to the port that reaches its destination.

    At each switch the live ports that lead one hop nearer are counted, and the hash of (src, dst, sport) under the
    seed of the switch picks one by its high bits (multiply-shift: no modulo bias).

    src, dst, sport  int32[n]
    switch_seed      uint64[S]
    leaf_of          int32[E]     switch (0..S-1) of each endpoint
    leaf_column      int32[E]     its row in `distance`
    distance         int16[L, S]
    paths            int32[n, H]  filled, -1 beyond the end
    hops             int16[n]     filled
    """
    endpoints = leaf_of.shape[0]
    for flow in range(src.shape[0]):
        s, d = src[flow], dst[flow]
        row = distance[leaf_column[d]]
        key = mix((np.uint64(s) << np.uint64(32)) ^ np.uint64(d))
        key = mix(key + _GOLDEN * (np.uint64(sport[flow]) + np.uint64(1)))
        paths[flow, :] = -1
        paths[flow, 0] = s
        count = 1
        here = leaf_of[s]
        while row[here] > 0:
            nearer = row[here] - 1
            choices = 0
            for i in range(first[here], first[here + 1]):
                if row[port_peer[port[i]] - endpoints] == nearer:
                    choices += 1
            pick = np.int64(((mix(key ^ switch_seed[here]) >> np.uint64(32)) * np.uint64(choices)) >> np.uint64(32))
            for i in range(first[here], first[here + 1]):
                peer = port_peer[port[i]] - endpoints
                if row[peer] == nearer:
                    if pick == 0:
                        paths[flow, count] = port[i]
                        here = peer
                        break
                    pick -= 1
            count += 1
        paths[flow, count] = endpoints + d
        hops[flow] = count + 1
