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

SLICES = 10  # at least, when the background decides their length
SHORTEST_NS = 50_000  # several times what a transfer takes


@dataclass(frozen=True, slots=True)
class Slices:
    """Part of a window, its slices laid one after another.

    arrival_ps  int64[n]  start of each kept request on the joined time line
    kept        int64[n]  its row in the request table
    span_ps     length of the joined time line
    share       of the window's requests that was kept
    """

    arrival_ps: NDArray[np.int64]
    kept: NDArray[np.int64]
    span_ps: int
    share: float


def slice_window(
    requests: RequestTable, width_ns: int, each: float, background: float, windows: Windows, seed: int
) -> Slices:
    """Cut a window of `width_ns` to the packet budget by short slices around requests, evenly picked.

    each        data packets of one request
    background  data packets a nanosecond of everything else

    Queues in a fabric forget within microseconds: what a request meets is what is sent around its own time. Slices
    begin a quarter of their length before the request they are laid around. A window that fits is kept whole. Where
    the background eats the budget, slices are shortened and further requests placed into each (`_filled`).
    """
    arrival, length = requests.arrival_ns, windows.slice // PS_PER_NS
    if len(arrival) * each + background * width_ns <= windows.packets:
        return Slices(arrival * PS_PER_NS, np.arange(len(arrival)), width_ns * PS_PER_NS, 1.0)
    length = int(min(length, max(SHORTEST_NS, windows.packets / SLICES / background))) if background else length
    per_slice = each * (1 + len(arrival) * length / width_ns) + background * length
    count = int(np.clip(windows.packets / per_slice, 1, len(arrival)))
    picked = arrival[np.linspace(0, len(arrival) - 1, count).round().astype(np.int64)] - length // 4
    begin = _apart(np.maximum(picked, 0), length)
    number = np.searchsorted(begin, arrival, side="right") - 1
    offset = arrival - begin[np.maximum(number, 0)]
    kept = np.flatnonzero((number >= 0) & (offset < length))
    joined = number[kept] * length + offset[kept]
    if background and len(kept) < windows.requests:
        kept, joined = _filled(len(begin), length, min(windows.requests, len(arrival)), seed)
    return Slices(joined * PS_PER_NS, kept, len(begin) * length * PS_PER_NS, len(kept) / len(arrival))


def _apart(begin: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Ascending starts without those that lie inside the slice before."""
    chosen: list[int] = []
    for start in begin.tolist():
        if not chosen or start >= chosen[-1] + length:
            chosen.append(start)
    return np.array(chosen, np.int64)


def _filled(slices: int, length: int, wanted: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows, ns): `wanted` requests at random moments of the second quarter of the slices, dealt in turn.

    Their own load is small beside the background that called for this; rows in turn land on different servers.
    """
    draw = stream(seed, "slices")
    moment = np.arange(wanted) % slices * length + draw.integers(length // 4, length // 2, wanted)
    return np.arange(wanted), moment


def given_flows(
    fabric: Fabric, servers: int, slices: Slices, given: GivenTransfers, priority: int, seed: int
) -> FlowTable:
    """Each request: `count` transfers from random other servers into the server that serves it (dealt in turn).

    servers  how many serve, two at least: the first ones of the fabric, the others stand by
    group = position in `slices`.
    """
    draw = stream(seed, "transfers")
    requests, count = len(slices.kept), given.count
    endpoint = endpoint_table(fabric)
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


def endpoint_table(fabric: Fabric) -> NDArray[np.int64]:
    """int64[servers, ports]: endpoint of server and position; by rail, then by number."""
    servers = int(fabric.endpoint_server.max()) + 1
    order = np.lexsort((np.arange(fabric.endpoints), fabric.endpoint_rail, fabric.endpoint_server))
    return order.reshape(servers, -1)


def _sports(draw: np.random.Generator, count: int) -> NDArray[np.int64]:
    return draw.integers(FIRST_SPORT, FIRST_SPORT + SPORTS, count)
