"""From requests to flows: what each request, step and neighbour puts on the fabric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.rng import stream
from metaroce.kit.units import PS_PER_NS, PS_PER_S
from metaroce.loads.flows import FIRST_SPORT, SPORTS, FlowTable, join_flows, make_flows
from metaroce.loads.requests import RequestTable
from metaroce.model.transfers import Background, GivenTransfers, Windows


@dataclass(frozen=True, slots=True)
class Slices:
    """Part of a window, its slices laid one after another.

    arrival_ps  int64[n]  start of each kept request on the joined time line
    kept        int64[n]  its row in the request table
    span_ps     length of the joined time line
    share       of the window that was kept
    """

    arrival_ps: NDArray[np.int64]
    kept: NDArray[np.int64]
    span_ps: int
    share: float


def slice_window(requests: RequestTable, width_ns: int, packets_per_request: float, windows: Windows) -> Slices:
    """Cut a window of `width_ns` to the packet budget by equal slices spread over it.

    Queues in a fabric forget within microseconds, so slices of milliseconds may be joined; a window that fits is kept
    whole.
    """
    arrival = requests.arrival_ns
    share = min(1.0, windows.packets / max(1.0, len(arrival) * packets_per_request))
    if share >= 1.0:
        return Slices(arrival * PS_PER_NS, np.arange(len(arrival)), width_ns * PS_PER_NS, 1.0)
    pitch = width_ns / windows.slices
    length = pitch * share
    number = np.minimum((arrival / pitch).astype(np.int64), windows.slices - 1)
    offset = arrival - number * pitch
    kept = np.flatnonzero(offset < length)
    joined = (number[kept] * length + offset[kept]) * PS_PER_NS
    return Slices(joined.astype(np.int64), kept, round(width_ns * share) * PS_PER_NS, share)


def given_flows(
    fabric: Fabric, servers: int, slices: Slices, given: GivenTransfers, priority: int, seed: int
) -> FlowTable:
    """Each request: `count` transfers from random other servers into the server that serves it (dealt in turn).

    servers  how many serve, two at least: the first ones of the fabric, the others stand by
    group = position in `slices`.
    """
    draw = stream(seed, "transfers")
    requests, count = len(slices.kept), given.count
    endpoint = _endpoint_table(fabric)
    ports = endpoint.shape[1]
    served = slices.kept % servers
    other = (served[:, None] + draw.integers(1, servers, (requests, count))) % servers
    first_rail = draw.integers(0, ports, requests)[:, None]
    rail = (first_rail + np.arange(count)) % ports if given.spread == "rails" else np.repeat(first_rail, count, 1)
    size = np.exp(draw.uniform(np.log(given.smallest), np.log(given.largest), (requests, count)))
    return make_flows(
        endpoint[other.ravel(), rail.ravel()],
        endpoint[np.repeat(served, count), rail.ravel()],
        np.maximum(1, np.rint(size)).astype(np.int64).ravel(),
        np.repeat(slices.arrival_ps, count),
        sport=_sports(draw, requests * count),
        priority=priority,
        group=np.repeat(np.arange(requests), count),
    )


def kv_flows(
    fabric: Fabric, servers: int, slices: Slices, kv_bytes: NDArray[np.int64], lanes: int, priority: int, seed: int
) -> FlowTable:
    """Each request: its KV cache from a prefill server to the decode server, over `lanes` NICs of equal rail.

    servers  how many serve, two at least
    """
    draw = stream(seed, "kv transfers")
    requests = len(slices.kept)
    endpoint = _endpoint_table(fabric)
    ports = endpoint.shape[1]
    lanes = min(lanes, ports)
    served = slices.kept % servers
    other = (served + draw.integers(1, servers, requests)) % servers
    first_rail = draw.integers(0, max(1, ports // lanes), requests) * lanes
    rail = first_rail[:, None] + np.arange(lanes)
    share = np.maximum(1, -(-kv_bytes[slices.kept] // lanes))
    return make_flows(
        endpoint[np.repeat(other, lanes), rail.ravel()],
        endpoint[np.repeat(served, lanes), rail.ravel()],
        np.repeat(share, lanes),
        np.repeat(slices.arrival_ps, lanes),
        sport=_sports(draw, requests * lanes),
        priority=priority,
        group=np.repeat(np.arange(requests), lanes),
    )


def all_to_all_flows(
    fabric: Fabric, members: NDArray[np.int64], size: int, start_ps: NDArray[np.int64], groups: NDArray[np.int64],
    *, priority: int, traffic_class: int, seed: int,
) -> FlowTable:  # fmt: skip
    """At each start every member endpoint sends `size` bytes to every member on another server.

    start_ps, groups  int64[rounds]  moment and group number of each round
    """
    draw = stream(seed, "all to all", int(groups[0]))
    src, dst = (side.ravel() for side in np.meshgrid(members, members, indexing="ij"))
    apart = fabric.endpoint_server[src] != fabric.endpoint_server[dst]
    src, dst = src[apart], dst[apart]
    rounds = len(start_ps)
    return make_flows(
        np.tile(src, rounds), np.tile(dst, rounds), max(1, size), np.repeat(start_ps, len(src)),
        sport=_sports(draw, rounds * len(src)), priority=priority,
        group=np.repeat(groups, len(src)), traffic_class=traffic_class,
    )  # fmt: skip


def background_flows(fabric: Fabric, background: Background, span_ps: int, seed: int) -> FlowTable:
    """Poisson flows between random pairs of endpoints at the wanted mean load of every NIC; group -1."""
    draw = stream(seed, "background")
    ends = fabric.endpoints
    per_second = background.load * float(fabric.port_rate[:ends].sum()) / (8 * background.size)
    count = int(draw.poisson(per_second * span_ps / PS_PER_S)) if ends > 1 else 0
    src = draw.integers(0, ends, count)
    dst = (src + draw.integers(1, ends, count)) % ends if ends > 1 else src
    return make_flows(
        src, dst, background.size, np.sort(draw.integers(0, max(1, span_ps), count)),
        sport=_sports(draw, count), priority=background.priority,
    )  # fmt: skip


def with_background(flows: FlowTable, fabric: Fabric, background: Background, span_ps: int, seed: int) -> FlowTable:
    """The flows and their neighbours, sorted by start."""
    if background.load == 0:
        return flows
    return join_flows([flows, background_flows(fabric, background, span_ps, seed)])


def slowest_of_group(
    group: NDArray[np.int32], start_ps: NDArray[np.int64], end_ps: NDArray[np.int64]
) -> NDArray[np.int64]:
    """ps[groups], in the order of the group numbers: from the group's first start to its last end; -1 when a flow of
    it did not finish. Flows of group -1 are left out."""
    own = group >= 0
    groups = int(group[own].max()) + 1 if own.any() else 0
    begin = np.full(groups, np.iinfo(np.int64).max)
    last = np.full(groups, -1, np.int64)
    np.minimum.at(begin, group[own], start_ps[own])
    np.maximum.at(last, group[own], end_ps[own])
    torn = np.zeros(groups, bool)
    np.logical_or.at(torn, group[own], end_ps[own] < 0)
    took = np.where(torn, -1, last - begin)
    return took[begin < np.iinfo(np.int64).max]


def _endpoint_table(fabric: Fabric) -> NDArray[np.int64]:
    """int64[servers, ports]: endpoint of server and position; by rail, then by number."""
    servers = int(fabric.endpoint_server.max()) + 1
    order = np.lexsort((np.arange(fabric.endpoints), fabric.endpoint_rail, fabric.endpoint_server))
    return order.reshape(servers, -1)


def _sports(draw: np.random.Generator, count: int) -> NDArray[np.int64]:
    return draw.integers(FIRST_SPORT, FIRST_SPORT + SPORTS, count)
