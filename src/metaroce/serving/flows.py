"""Serving traffic as fabric flows: expert dispatch and combine of one step, and KV caches that move to decode.

The bytes are those of `comm`; the fabric simulator says what they take when they meet each other, and its times come
back as `NetworkTimes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.loads.flows import DEFAULT_PRIORITY, FIRST_SPORT, SPORTS, FlowTable, make_flows
from metaroce.model.service import Service
from metaroce.serving.comm import combine_row_bytes, dispatch_row_bytes, kv_transfer_bytes
from metaroce.serving.hardware import find_hardware


def expert_flows(
    service: Service, endpoints: Sequence[int], tokens_per_gpu: int, *,
    operation: Literal["dispatch", "combine"] = "dispatch", per_server: int = 8, start_ps: int = 0, group: int = -1,
    priority: int = DEFAULT_PRIORITY, traffic_class: int = 0, seed: int = 0,
) -> FlowTable:  # fmt: skip
    """One MoE layer's dispatch or combine: each GPU draws k of the E experts for each of its tokens, evenly.

    endpoints   the NIC of each GPU of the replica, in rank order; consecutive `per_server` of them share a server,
                where bytes stay on NVLink and make no flow

    A pair of GPUs that exchange nothing in this draw has no flow. Raises InputError when the endpoints are not as many
    as the replica has GPUs, or the model has no experts.
    """
    hardware = find_hardware(service)
    ranks, llm = len(endpoints), hardware.llm
    if not llm.experts or ranks != hardware.gpus:
        raise InputError(
            f"{ranks} endpoints for a replica of {hardware.gpus} GPUs and {llm.experts} experts", where="endpoints",
            hint="give one endpoint per GPU of an expert-parallel replica",
        )  # fmt: skip
    random = stream(seed, "serving", "experts", operation)
    rows = _draw_rows(random, ranks, tokens_per_gpu, llm.experts, llm.experts_per_token)
    server = np.arange(ranks) // per_server
    rows[server[:, None] == server[None, :]] = 0
    if operation == "combine":
        rows = rows.T
    row_bytes = dispatch_row_bytes(llm) if operation == "dispatch" else combine_row_bytes(llm)
    src, dst = np.nonzero(rows)
    nic = np.asarray(endpoints, np.int64)
    return make_flows(
        nic[src], nic[dst], rows[src, dst] * row_bytes, start_ps, sport=_sports(random, len(src)), group=group,
        priority=priority, traffic_class=traffic_class,
    )  # fmt: skip


def kv_flows(
    service: Service, sources: Sequence[int], destinations: Sequence[int], tokens: ArrayLike, start_ps: ArrayLike, *,
    priority: int = DEFAULT_PRIORITY, traffic_class: int = 0, seed: int = 0,
) -> FlowTable:  # fmt: skip
    """KV caches of prompts on their way from prefill to decode replicas; one group per prompt, numbered from 0.

    sources, destinations  the NIC of each GPU that holds a part, equally many, rank to rank
    tokens, start_ps       int[n] prompt lengths and start times

    Raises InputError when the lists are of different length or share an endpoint.
    """
    hardware = find_hardware(service)
    src, dst = np.asarray(sources, np.int64), np.asarray(destinations, np.int64)
    if len(src) != len(dst) or not len(src) or np.any(src == dst):
        raise InputError("KV transfers need as many destinations as sources, each another endpoint", where="sources")
    lengths = np.atleast_1d(np.asarray(tokens, np.int64))
    parts = len(src)
    whole = np.asarray(kv_transfer_bytes(hardware.llm, lengths, service.kv_precision))
    group = np.repeat(np.arange(len(lengths)), parts)
    starts = np.repeat(np.broadcast_to(np.asarray(start_ps, np.int64), lengths.shape), parts)
    size = np.maximum(np.repeat(whole, parts) // parts, 1)
    random = stream(seed, "serving", "kv")
    return make_flows(
        np.tile(src, len(lengths)), np.tile(dst, len(lengths)), size, starts, sport=_sports(random, len(size)),
        group=group, priority=priority, traffic_class=traffic_class,
    )  # fmt: skip


def _draw_rows(
    random: np.random.Generator, ranks: int, tokens: int, experts: int, visited: int
) -> np.ndarray:  # fmt: skip
    """int64[ranks, ranks] rows that each GPU sends to each: k different experts per token, E/ranks experts a GPU."""
    rows = np.zeros((ranks, ranks), np.int64)
    for rank in range(ranks):
        chosen = np.argpartition(random.random((tokens, experts)), visited, axis=1)[:, :visited]
        rows[rank] = np.bincount((chosen * ranks // experts).reshape(-1), minlength=ranks)
    return rows


def _sports(random: np.random.Generator, count: int) -> np.ndarray:
    return FIRST_SPORT + random.integers(0, SPORTS, count)
