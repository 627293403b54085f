"""What the service asks of the fabric, as bytes and flows: given transfers, KV caches, expert all-to-all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.rng import stream
from metaroce.loads.flows import FlowTable, join_flows
from metaroce.loads.requests import RequestTable
from metaroce.model.scenario import FabricPlan, Scenario
from metaroce.model.transfers import GivenTransfers
from metaroce.serving.comm import combine_bytes, dispatch_bytes, kv_transfer_bytes
from metaroce.serving.hardware import Hardware
from metaroce.study.traffic import Slices, all_to_all_flows, given_flows, kv_flows

PRIORITY = 3
REQUEST, STEP = 0, 1  # traffic classes


@dataclass(frozen=True, slots=True)
class Demand:
    """What one request and one engine step move between servers.

    servers         servers that serve; others of the fabric stand by
    given           the transfers as the scenario states them, or None
    kv_per_token    bytes of KV cache per prompt token that change server, 0 = none
    lanes           NICs that carry one KV cache
    dispatch, combine  bytes that one GPU sends to each other GPU in a MoE layer, 0 = no expert traffic
    members         GPUs of one replica that exchange expert traffic
    layers          MoE layers of one step
    steps           steps simulated in a window
    """

    servers: int
    given: GivenTransfers | None
    kv_per_token: int = 0
    lanes: int = 1
    dispatch: int = 0
    combine: int = 0
    members: int = 0
    layers: int = 0
    steps: int = 0

    @property
    def is_nothing(self) -> bool:
        """Whether the fabric stays empty."""
        return self.servers < 2 or (self.given is None and not self.kv_per_token and not self.dispatch)


def demand_of(scenario: Scenario, hardware: Hardware, servers: int, tokens_per_step: float) -> Demand:
    """The demand of a scenario on so many serving servers.

    tokens_per_step  mean tokens in one step of a replica, from the serving stage
    """
    transfers = scenario.fabric.transfers
    if isinstance(transfers, GivenTransfers):
        return Demand(servers, transfers)
    llm, service = hardware.llm, scenario.service
    kv = int(kv_transfer_bytes(llm, 1, service.kv_precision)) if service.kv_transfer else 0
    if not (hardware.spans_servers and llm.experts):
        return Demand(servers, None, kv, service.tensor_parallel)
    each = max(1.0, tokens_per_step / hardware.gpus)  # tokens that one GPU holds in a step
    return Demand(
        servers, None, kv, service.tensor_parallel,
        int(dispatch_bytes(llm, each) / hardware.gpus), int(combine_bytes(llm, each) / hardware.gpus),
        hardware.gpus, llm.moe_layers, transfers.steps,
    )  # fmt: skip


def expected_packets(demand: Demand, requests: RequestTable, plan: FabricPlan) -> float:
    """Data packets that one request causes, on average: what the window's budget is spent on."""
    if demand.given is not None:
        low, high = demand.given.smallest, demand.given.largest
        mean = (high - low) / np.log(high / low) if high > low else float(low)
        return demand.given.count * (mean / plan.mtu + 0.5)
    return float(requests.input_tokens.mean()) * demand.kv_per_token / plan.mtu


def demand_flows(
    fabric: Fabric, demand: Demand, requests: RequestTable, slices: Slices, plan: FabricPlan, seed: int
) -> FlowTable:
    """All flows of the service in the joined slices of a window; traffic class 0 requests, 1 steps."""
    if demand.given is not None:
        return given_flows(fabric, demand.servers, slices, demand.given, PRIORITY, seed)
    tables = []
    if demand.kv_per_token and len(slices.kept):
        bytes_of = requests.input_tokens.astype(np.int64) * demand.kv_per_token
        tables.append(kv_flows(fabric, demand.servers, slices, bytes_of, demand.lanes, PRIORITY, seed))
    if demand.dispatch:
        tables.append(_step_flows(fabric, demand, slices.span_ps, seed))
    return join_flows(tables)


def step_samples(demand: Demand, collective_ps: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """ps[64 steps]: network time of whole steps, each the sum of one dispatch and one combine per MoE layer."""
    if not demand.dispatch or not len(collective_ps):
        return np.zeros(0, np.int64)
    draw = stream(seed, "layers")
    pairs = collective_ps[: len(collective_ps) // 2 * 2].reshape(-1, 2)
    return pairs[draw.integers(0, len(pairs), (64, demand.layers))].sum(axis=(1, 2))


def _step_flows(fabric: Fabric, demand: Demand, span_ps: int, seed: int) -> FlowTable:
    """`steps` dispatches and combines of every replica, each replica at its own random moments of the window.

    A combine starts when an idle fabric would have ended its dispatch, and half as long again.
    """
    draw = stream(seed, "steps")
    serving = demand.servers * (fabric.endpoints // (int(fabric.endpoint_server.max()) + 1))
    replicas = max(1, serving // demand.members)
    tables = []
    for replica in range(replicas):
        members = np.arange(replica * demand.members, min(serving, (replica + 1) * demand.members))
        gap = _idle_ps(fabric, demand.dispatch * len(members)) * 3 // 2
        start = np.sort(draw.integers(0, max(1, span_ps - 2 * gap), demand.steps))
        for phase, size in enumerate((demand.dispatch, demand.combine)):
            groups = 2 * (replica * demand.steps + np.arange(demand.steps)) + phase  # pairs: dispatch, combine
            tables.append(
                all_to_all_flows(fabric, members, size, start + phase * gap, groups, priority=PRIORITY,
                                 traffic_class=STEP, seed=seed)
            )  # fmt: skip
    return join_flows(tables)


def _idle_ps(fabric: Fabric, size: int) -> int:
    return int(size * 8 * 10**12 // int(fabric.port_rate[0])) + 10_000_000
