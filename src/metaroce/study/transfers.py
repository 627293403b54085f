"""What the service asks of the fabric, as bytes and flows: given transfers, KV caches, expert all-to-all."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.errors import ScenarioError
from metaroce.kit.rng import kernel_seed, stream
from metaroce.kit.units import PS_PER_NS, PS_PER_S
from metaroce.loads.flows import FlowTable, join_flows
from metaroce.loads.requests import RequestTable
from metaroce.model.scenario import FabricPlan, Scenario
from metaroce.model.service import Service
from metaroce.model.transfers import GivenTransfers
from metaroce.serving.comm import FABRIC_ALL_TO_ALL_NS, kv_transfer_bytes
from metaroce.serving.flows import expert_flows, kv_flows
from metaroce.serving.hardware import Hardware
from metaroce.study.traffic import Slices, endpoint_table, given_flows

PRIORITY = 3
REQUEST, STEP = 0, 1  # traffic classes
OPERATIONS = ("dispatch", "combine")


@dataclass(frozen=True, slots=True)
class Demand:
    """What one request and one engine step move between servers.

    service         whose traffic it is
    servers         servers that serve; others of the fabric stand by
    given           the transfers as the scenario states them, or None
    kv_per_token    bytes of KV cache per prompt token that change server, 0 = none
    tokens_per_gpu  tokens that each GPU sends to its experts in a step, 0 = no expert traffic
    members         GPUs of one replica
    server_gpus     GPUs of one server
    layers          MoE layers of one step
    steps           layers simulated in a window, per replica
    """

    service: Service
    servers: int
    given: GivenTransfers | None
    kv_per_token: int = 0
    tokens_per_gpu: int = 0
    members: int = 0
    server_gpus: int = 1
    layers: int = 0
    steps: int = 0

    @property
    def is_nothing(self) -> bool:
        """Whether the fabric stays empty."""
        return self.servers < 2 or (self.given is None and not self.kv_per_token and not self.tokens_per_gpu)


def demand_of(scenario: Scenario, hardware: Hardware, servers: int, tokens_per_step: float) -> Demand:
    """The demand of a scenario on so many serving servers.

    tokens_per_step  mean tokens in one step of a replica, from the serving stage
    """
    transfers, service, llm = scenario.fabric.transfers, scenario.service, hardware.llm
    if isinstance(transfers, GivenTransfers):
        if service.kv_transfer:
            raise ScenarioError(
                "kv_transfer moves KV caches, and the given transfers hold none", where="fabric.transfers.kind",
                hint="write fabric.transfers: {kind: model}",
            )  # fmt: skip
        return Demand(service, servers, transfers)
    kv = int(kv_transfer_bytes(llm, 1, service.kv_precision)) if service.kv_transfer else 0
    if not (hardware.spans_servers and llm.experts):
        return Demand(service, servers, None, kv)
    each = max(1, round(tokens_per_step / hardware.gpus))
    return Demand(
        service, servers, None, kv, each, hardware.gpus, hardware.server.gpus, llm.moe_layers, transfers.steps
    )


def packets_per_request(demand: Demand, requests: RequestTable, plan: FabricPlan) -> float:
    """Data packets that one request causes, on average."""
    if demand.given is not None:
        low, high = demand.given.smallest, demand.given.largest
        mean = (high - low) / np.log(high / low) if high > low else float(low)
        return demand.given.count * (mean / plan.mtu + 0.5)
    return float(requests.input_tokens.mean()) * demand.kv_per_token / plan.mtu


def background_per_ns(fabric: Fabric, plan: FabricPlan) -> float:
    """Data packets a nanosecond of the background, all NICs together."""
    return plan.background.load * float(fabric.port_rate[: fabric.endpoints].sum()) / 8e9 / plan.mtu


def demand_flows(
    fabric: Fabric, demand: Demand, requests: RequestTable, slices: Slices, plan: FabricPlan, seed: int
) -> FlowTable:
    """All flows of the service in the joined slices of a window; traffic class 0 requests, 1 steps."""
    if demand.given is not None:
        return given_flows(fabric, demand.servers, slices, demand.given, PRIORITY, seed)
    tables = []
    if demand.kv_per_token and len(slices.kept):
        tables.append(_kv_flows(fabric, demand, requests, slices, seed))
    if demand.tokens_per_gpu:
        tables.append(_step_flows(fabric, demand, slices.span_ps, seed))
    return join_flows(tables)


def step_samples(demand: Demand, collective_ps: NDArray[np.int64], fastest_ps: int, seed: int) -> NDArray[np.int64]:
    """ps[64]: network time of whole steps, each the sum of one dispatch and one combine per MoE layer.

    fastest_ps  quickest single flow: the way through an idle fabric

    The simulator knows wires, not kernels. DeepEP's kernels take 22 us before the bytes count, way included
    (serving.comm); what of it is not the way is added to each collective.
    """
    if not demand.tokens_per_gpu or not len(collective_ps):
        return np.zeros(0, np.int64)
    draw = stream(seed, "layers")
    kernel_ps = max(0, FABRIC_ALL_TO_ALL_NS * PS_PER_NS - fastest_ps)
    pairs = collective_ps[: len(collective_ps) // 2 * 2].reshape(-1, 2) + kernel_ps
    return pairs[draw.integers(0, len(pairs), (64, demand.layers))].sum(axis=(1, 2))


def _kv_flows(fabric: Fabric, demand: Demand, requests: RequestTable, slices: Slices, seed: int) -> FlowTable:
    """Each request: its KV cache from a random server to the one that decodes it, over NICs of equal rail."""
    draw = stream(seed, "kv transfers")
    endpoint = endpoint_table(fabric)
    lanes = min(demand.service.tensor_parallel, endpoint.shape[1])
    tables = []
    for group, (row, start) in enumerate(zip(slices.kept.tolist(), slices.arrival_ps.tolist(), strict=True)):
        served = row % demand.servers
        other = (served + int(draw.integers(1, demand.servers))) % demand.servers
        first = int(draw.integers(0, endpoint.shape[1] // lanes)) * lanes
        rails = slice(first, first + lanes)
        flows = kv_flows(
            demand.service, endpoint[other, rails].tolist(), endpoint[served, rails].tolist(),
            [int(requests.input_tokens[row])], [start], priority=PRIORITY, traffic_class=REQUEST,
            seed=kernel_seed(seed, "kv", group),
        )  # fmt: skip
        tables.append(dataclasses.replace(flows, group=np.full(len(flows), group, np.int32)))
    return join_flows(tables)


def _step_flows(fabric: Fabric, demand: Demand, span_ps: int, seed: int) -> FlowTable:
    """`steps` layers of every replica at random moments of the window: a dispatch, and its combine when an idle fabric
    would have ended the dispatch, and half as long again. Groups in pairs: dispatch, combine."""
    draw = stream(seed, "steps")
    nics = endpoint_table(fabric)[: demand.servers]
    gpu = np.arange(demand.server_gpus)
    of_gpu = nics[:, gpu * nics.shape[1] // demand.server_gpus]  # GPUs may share a NIC
    replicas = max(1, of_gpu.size // demand.members)
    tables = []
    for layer in range(replicas * demand.steps):
        replica = layer // demand.steps
        members = of_gpu.ravel()[replica * demand.members : (replica + 1) * demand.members].tolist()
        start = int(draw.integers(0, max(1, span_ps)))
        for phase, operation in enumerate(OPERATIONS):
            flows = expert_flows(
                demand.service, members, demand.tokens_per_gpu, operation=operation, per_server=demand.server_gpus,
                start_ps=start, group=2 * layer + phase, priority=PRIORITY, traffic_class=STEP,
                seed=kernel_seed(seed, "layer", layer),
            )  # fmt: skip
            tables.append(flows)
            start += _idle_ps(fabric, flows) * 3 // 2
    return join_flows(tables)


def _idle_ps(fabric: Fabric, flows: FlowTable) -> int:
    """The busiest NIC's bytes at line rate, and 10 us for the way."""
    busiest = int(np.bincount(flows.src, flows.size).max(initial=0)) if len(flows) else 0
    return busiest * 8 * PS_PER_S // int(fabric.port_rate[0]) + 10_000_000
