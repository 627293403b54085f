"""The packet-level simulator against its peers: CPU seconds, packet-hops a second, memory, and ns-3's mean.

W1L: 15 senders on a leaf-spine of 16 hosts send 10 MB each to the 16th. W2: 128 hosts of a k=8 fat tree send 10 MB each
to another one. 100 Gbit/s, 1 us a link, DCQCN, ECN, PFC, an ACK for every packet of 1000 B: the settings of ns-3 HPCC.
CPU seconds of the best of three runs, set-up and result included, compilation not.
"""

from __future__ import annotations

import resource
import time

import numpy as np

from benchmarks import Bar
from metaroce.fabric.graph import Endpoint, Fabric, Link, Switch, assemble
from metaroce.fabric.routes import ecmp_paths, find_routes
from metaroce.kit.rng import stream
from metaroce.loads.flows import make_flows
from metaroce.sim.api import simulate
from metaroce.sim.hpcc import hpcc_settings
from metaroce.sim.result import SimResult

_RATE, _DELAY_PS = 100_000_000_000, 1_000_000


def run() -> list[Bar]:
    """Measure. Takes about ten seconds, and as much again where nothing is compiled yet."""
    incast = _case(_leaf_spine(), np.arange(15), np.full(15, 15))
    permutation = _case(_fat_tree(8), np.arange(128), _derangement(128))
    simulate(*_case(_leaf_spine(), np.arange(1), np.full(1, 15)), hpcc_settings())  # compile
    incast_s, _ = _best(incast)
    seconds, result = _best(permutation)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return [
        Bar("sim-w1l-dcqcn", incast_s, "CPU s", 0.22),
        Bar("sim-w2-dcqcn", seconds, "CPU s", 2.8),
        Bar("sim-w2-dcqcn-speed", result.totals.packet_hops / seconds / 1e6, "M packet-hops/s", 5.3, at_most=False),
        Bar("sim-w2-memory", memory / 1e6, "MB", 500),
        Bar("sim-w2-unaccounted", abs(result.unaccounted_bytes()), "bytes", 0),
        Bar("sim-w0-ns3", abs(_one_megabyte() - 91_265_000), "ps from ns-3", 0),
    ]


def _best(case: tuple[object, ...]) -> tuple[float, SimResult]:
    times = []
    for seed in range(3):
        begin = time.process_time()
        result = simulate(*case, hpcc_settings(), seed=seed)
        times.append(time.process_time() - begin)
    return min(times), result


def _one_megabyte() -> int:
    fabric, flows, *ways = _case(_leaf_spine(), np.arange(1), np.full(1, 15), size=1_000_000)
    return int(simulate(fabric, flows, *ways, hpcc_settings()).flows.fct_ps[0])


def _case(fabric: Fabric, src: np.ndarray, dst: np.ndarray, size: int = 10_000_000) -> tuple[object, ...]:
    flows = make_flows(src, dst, size)
    routes = find_routes(fabric)
    there, _ = ecmp_paths(fabric, routes, flows.src, flows.dst, flows.sport, 1)
    back, _ = ecmp_paths(fabric, routes, flows.dst, flows.src, flows.sport, 2)
    return fabric, flows, there, back


def _derangement(count: int) -> np.ndarray:
    random = stream(1, "benchmark", "permutation")
    while True:
        order = random.permutation(count)
        if (order != np.arange(count)).all():
            return order


def _leaf_spine() -> Fabric:
    links = [Link(host, 16 + host // 4, _RATE, _DELAY_PS) for host in range(16)]
    links += [Link(16 + leaf, 20 + spine, _RATE, _DELAY_PS) for leaf in range(4) for spine in range(4)]
    return assemble([Endpoint(f"h{n}") for n in range(16)], [Switch(f"s{n}", 1 + n // 4) for n in range(8)], links)


def _fat_tree(k: int) -> Fabric:
    """k pods of k/2 leaves and k/2 spines, (k/2)^2 cores, k/2 hosts a leaf."""
    half = k // 2
    hosts, leaves = k * half * half, k * half
    links = [Link(host, hosts + host // half, _RATE, _DELAY_PS) for host in range(hosts)]
    for pod in range(k):
        for spine in range(half):
            at = hosts + leaves + pod * half + spine
            links += [Link(hosts + pod * half + leaf, at, _RATE, _DELAY_PS) for leaf in range(half)]
            links += [Link(at, hosts + 2 * leaves + spine * half + core, _RATE, _DELAY_PS) for core in range(half)]
    tiers = [1] * leaves + [2] * leaves + [3] * half * half
    switches = [Switch(f"s{n}", tier) for n, tier in enumerate(tiers)]
    return assemble([Endpoint(f"h{n}") for n in range(hosts)], switches, links)
