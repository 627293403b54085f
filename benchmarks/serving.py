"""The serving simulator: requests a second on one core, and how long its kernels take to compile.

Peers, measured on the same machine: Vidur 1,400 requests/s, SplitwiseSim 320, BLIS inference-sim 63 to 380; none with
network times in the step.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks import Bar
from benchmarks._measure import best_of_three, cold_seconds
from metaroce.kit.rng import stream
from metaroce.loads.requests import RequestTable, make_requests
from metaroce.model.service import Service
from metaroce.serving.api import simulate
from metaroce.serving.network import NetworkTimes, make_network_times

_COUNT = 1_000_000
_FIRST_RUN = """
from metaroce.loads.requests import make_requests
from metaroce.model.service import Service
from metaroce.serving.api import simulate
simulate(make_requests([0], 10, 10), Service(), replicas=1)
"""


def run() -> list[Bar]:
    """Two loads, both with paging and network terms, and the compile time from an empty cache."""
    network = _network()
    calm = Service()
    tight = Service(
        memory_share=0.28, max_batch=128
    )  # too small a cache: 3 % of the requests are thrown out and redone
    simulate(_requests(1000, 60), calm, replicas=8, network=network)
    requests = _requests(_COUNT, 60)
    unit = "requests/s"
    return [
        Bar("serving-azure-lengths", _speed(requests, calm, 8, network), unit, 1e6, at_most=False),
        Bar("serving-overloaded", _speed(requests, tight, 7, network), unit, 1e6, at_most=False),
        Bar("serving-cold", cold_seconds(_FIRST_RUN), "CPU s", 15.0),
    ]


def _speed(requests: RequestTable, service: Service, replicas: int, network: NetworkTimes) -> float:
    """Best of three: CPU time of the whole call, draws and results included."""
    best = best_of_three(lambda seed: simulate(requests, service, replicas=replicas, network=network, seed=seed))
    return len(requests) / best


def _requests(count: int, rps: float) -> RequestTable:
    """Poisson arrivals; lengths lognormal about the medians of Azure's conversation trace of 2023 (1020, 129)."""
    random = stream(1, "benchmark", "requests")
    inputs = np.clip(np.exp(random.normal(math.log(1020), 0.75, count)), 1, 14_050).astype(int)
    outputs = np.clip(np.exp(random.normal(math.log(129), 1.0, count)), 1, 1000).astype(int)
    return make_requests(np.cumsum(random.exponential(1e9 / rps, count)), inputs, outputs)


def _network() -> NetworkTimes:
    random = stream(1, "benchmark", "network")
    return make_network_times(random.lognormal(10, 1, 2000), random.lognormal(10, 1.5, 3000))
