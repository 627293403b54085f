"""Link 2: the fabric for so many servers, packet by packet, for stated windows of the load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.catalog.read import read_catalog
from metaroce.fabric.build import build
from metaroce.fabric.graph import Fabric
from metaroce.fabric.routes import ecmp_paths, find_routes
from metaroce.kit.errors import ScenarioError
from metaroce.kit.progress import Progress, silent
from metaroce.kit.rng import kernel_seed
from metaroce.kit.units import NS_PER_S, PS_PER_NS
from metaroce.loads.flows import FlowTable
from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import mean_minute, peak_window
from metaroce.model.devices import Nic, Switch
from metaroce.model.scenario import Scenario
from metaroce.model.topology import Explicit, Topology
from metaroce.serving.network import NO_NETWORK, NetworkTimes, make_network_times
from metaroce.sim.api import simulate
from metaroce.sim.result import SimResult
from metaroce.study.capacity import PEAK_NS
from metaroce.study.executor import Executor
from metaroce.study.measured import Measured
from metaroce.study.traffic import slice_window, slowest_of_group, with_background
from metaroce.study.transfers import (
    Demand,
    background_per_ns,
    demand_flows,
    packets_per_request,
    step_samples,
)
from metaroce.study.window_figures import counts_of, hottest_ports, series_of

PEAK_WINDOW = "peak 12 s"
TIMES: dict[str, Callable[[WindowRun], NDArray[np.int64]]] = {
    "transfer": lambda run: run.flow_ps,
    "request": lambda run: run.request_ps,
    "step": lambda run: run.step_ps,
}
WINDOWS = ("mean minute", PEAK_WINDOW)
SERIES_BINS = 60


@dataclass(frozen=True, slots=True)
class WindowTask:
    """One window of one seed, ready to be simulated anywhere."""

    scenario: Scenario
    fabric: Fabric
    window: str
    requests: RequestTable
    demand: Demand
    seed: int


@dataclass(frozen=True, slots=True)
class WindowRun:
    """What one seed showed in one window.

    flow_ps, request_ps, step_ps  times of single transfers, of requests (the slowest of their transfers), of steps
    """

    window: str
    share: float
    span_ps: int
    flow_ps: NDArray[np.int64]
    request_ps: NDArray[np.int64]
    step_ps: NDArray[np.int64]
    counts: dict[str, float]
    series: dict[str, list[float]]
    hottest: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class WindowResult:
    """One window over all seeds. Times in microseconds."""

    window: str
    share: float
    requests: int
    transfers: int
    figures: dict[str, Measured]
    series: dict[str, list[float]]
    hottest: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Network:
    """The fabric stage.

    times    samples for the serving stage: of the peak window, since the objectives are lost in the burst
    idle     why there was nothing to simulate, or ""
    """

    servers: int
    endpoints: int
    switches: int
    times: NetworkTimes
    windows: tuple[WindowResult, ...]
    request_us: tuple[float, ...]
    idle: str = ""


def build_fabric(scenario: Scenario, servers: int) -> Fabric:
    """The scenario's fabric for `servers` servers, or as large as the topology says itself."""
    topology = scenario.fabric.topology
    given = isinstance(topology, Explicit) or topology.servers != "auto"
    held = _servers_of(topology) if given else servers
    if held < servers:
        raise ScenarioError(
            f"the fabric holds {held} servers, {servers} are needed", where="fabric.topology",
            hint="let it grow with `servers: auto`, or relax the objectives or margins",
        )  # fmt: skip
    wanted = None if given else servers
    return build(topology, wanted, switches=read_catalog(Switch, "switches"), nics=read_catalog(Nic, "nics"))


def _servers_of(topology: Topology) -> int:
    if isinstance(topology, Explicit):
        return len({endpoint.server for endpoint in topology.endpoints})
    return int(topology.servers)


def simulate_network(
    scenario: Scenario,
    fabric: Fabric,
    tables: Sequence[RequestTable],
    seeds: Sequence[int],
    demand: Demand,
    *,
    executor: Executor,
    windows: Sequence[str] = WINDOWS,
    progress: Progress = silent,
) -> Network:
    """Simulate windows of every seed on the fabric; the peak one, which feeds the service, must be among them."""
    size = (int(fabric.endpoint_server.max()) + 1, fabric.endpoints, fabric.switches)
    if demand.is_nothing:
        why = "one server needs no fabric" if demand.servers < 2 else "nothing of this service crosses the fabric"
        return Network(*size, NO_NETWORK, (), (), why)
    tasks = [
        WindowTask(scenario, fabric, window, part, demand, seed)
        for window in windows
        for table, seed in zip(tables, seeds, strict=True)
        if len(part := mean_minute(table) if window != PEAK_WINDOW else peak_window(table, PEAK_NS))
    ]
    runs = executor.map(run_window, tasks, what="simulating the fabric", progress=progress)
    by_window = [[run for run in runs if run.window == window] for window in windows]
    results = tuple(_join(found, scenario) for found in by_window if found)  # a quiet minute may hold nothing
    peak = [run for run in runs if run.window == PEAK_WINDOW]
    request_ps = _finished(np.concatenate([run.request_ps for run in peak]))
    step_ps = np.concatenate([run.step_ps for run in peak])
    times = make_network_times(request_ps / PS_PER_NS, step_ps / PS_PER_NS, source="peak 12 s of the fabric stage")
    points = np.quantile(request_ps, np.linspace(0, 1, 101)) / 1e6 if len(request_ps) else np.zeros(0)
    return Network(*size, times, results, tuple(points.tolist()))


def run_window(task: WindowTask) -> WindowRun:
    """Simulate one window of one seed."""
    plan, fabric = task.scenario.fabric, task.fabric
    seed = kernel_seed(task.seed, "window", task.window)  # the windows' dice are not the same
    width = PEAK_NS if task.window == PEAK_WINDOW else max(60 * NS_PER_S, task.requests.duration_ns + 1)
    each, background = packets_per_request(task.demand, task.requests, plan), background_per_ns(fabric, plan)
    slices = slice_window(task.requests, width, each, background, plan.windows, seed)
    own = demand_flows(fabric, task.demand, task.requests, slices, plan, seed)
    flows = with_background(own, fabric, plan.background, slices.span_ps, seed)
    if not len(flows):
        raise ScenarioError(
            f"the {task.window} holds no transfer", where="fabric.windows", hint="raise fabric.windows.packets"
        )
    routes = find_routes(fabric)
    paths, _ = ecmp_paths(fabric, routes, flows.src, flows.dst, flows.sport, seed)
    back, _ = ecmp_paths(fabric, routes, flows.dst, flows.src, flows.sport, seed)
    settings = plan.model_copy(update={"bin": max(plan.bin, slices.span_ps // SERIES_BINS)})
    result = simulate(fabric, flows, paths, back, settings, seed=seed)
    return _summary(task, flows, slices.share, slices.span_ps, result)


def _summary(task: WindowTask, flows: FlowTable, share: float, span_ps: int, result: SimResult) -> WindowRun:
    plan = task.scenario.fabric
    delivered = result.flows.delivered_ps
    given_up = flows.start_ps + (plan.retries + 1) * plan.timeout  # no transfer is quicker than its last time-out
    finish = np.where(delivered >= 0, delivered, given_up) + plan.host_overhead
    own = flows.group >= 0
    is_request = own & (flows.traffic_class == 0)
    is_step = own & (flows.traffic_class == 1)
    request_ps = slowest_of_group(np.where(is_request, flows.group, -1).astype(np.int32), flows.start_ps, finish)
    collective_ps = slowest_of_group(np.where(is_step, flows.group, -1).astype(np.int32), flows.start_ps, finish)
    flow_ps = np.where(finish >= 0, finish - flows.start_ps, -1)[own]
    fastest = int(flow_ps[flow_ps >= 0].min(initial=np.iinfo(np.int64).max))
    return WindowRun(
        task.window,
        share,
        span_ps,
        flow_ps,
        request_ps,
        step_samples(task.demand, _finished(collective_ps), fastest, task.seed),
        counts_of(result, flows),
        series_of(result, task.fabric, span_ps),
        hottest_ports(result, task.fabric, span_ps),
    )


def _finished(times_ps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Groups that the run saw the end of."""
    return times_ps[times_ps >= 0]


def _join(runs: Sequence[WindowRun], scenario: Scenario) -> WindowResult:
    transfers = scenario.fabric.transfers
    budget = transfers.budget if transfers.kind == "given" else None
    figures: dict[str, Measured] = {}
    for name, pick in TIMES.items():
        samples = [found for run in runs if len(found := _finished(pick(run)))]
        if not samples:
            continue
        for label, q in (("P50", 0.5), ("P95", 0.95), ("P99", 0.99), ("max", 1.0)):
            values = [float(np.quantile(s, q)) / 1e6 for s in samples]
            pooled = float(np.quantile(np.concatenate(samples), q)) / 1e6
            figures[f"{name} {label}"] = Measured.over_seeds(values, "us", value=pooled)
    if budget is not None:
        inside = [float(((run.flow_ps >= 0) & (run.flow_ps <= budget)).mean()) for run in runs if len(run.flow_ps)]
        figures["share in budget"] = Measured.over_seeds(inside)
    for name in runs[0].counts:
        figures[name] = Measured.over_seeds([run.counts[name] for run in runs])
    return WindowResult(
        runs[0].window,
        float(np.mean([run.share for run in runs])),
        sum(len(run.request_ps) for run in runs),
        sum(len(run.flow_ps) for run in runs),
        figures,
        runs[0].series,
        runs[0].hottest,
    )
