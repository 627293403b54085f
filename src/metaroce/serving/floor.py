"""The floor: what each metric is with nobody else in the system, which no number of GPUs can beat, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaroce.kit.errors import InputError
from metaroce.loads.requests import RequestTable
from metaroce.model.service import Metric, Service
from metaroce.serving.result import ServiceResult, quantile_of

_REASONS = {
    "rag": "retrieval and tokenising before the queue",
    "network": "the network's own times",
    "serialisation": "serialising the answer",
    "queue": "blocks of the prefill replica",
    "prefill": "computing the prompt: {tokens:,.0f} tokens at the median of the slowest",
    "decode": "one token at a time: {tokens:,.0f} answer tokens at the median of the slowest, {step:.1f} ms each alone",
}


@dataclass(frozen=True, slots=True)
class Floor:
    """The least that one metric can be at one quantile, in ns.

    reason  the largest part of it, among the slowest requests that the quantile is about
    share   that part's share of their time
    """

    metric: Metric
    quantile: float
    value: float
    reason: str
    share: float


def floor(requests: RequestTable, service: Service, alone: ServiceResult) -> list[Floor]:
    """The floor of each of the service's objectives, from the run `alone` that `serving.unloaded` gives.

    A larger GPU, more GPUs per replica, a faster network, shorter prompts or answers lower it; more replicas do not.
    Raises InputError for an empty table.
    """
    if not len(requests):
        raise InputError("no requests, no floor", where="requests")
    return [_floor_of(requests, alone, slo.metric, slo.quantile) for slo in service.slos]


def _floor_of(requests: RequestTable, alone: ServiceResult, metric: Metric, quantile: float) -> Floor:
    ordered = alone.latencies(metric)
    value = quantile_of(ordered, quantile)
    times = getattr(alone, f"{metric}_ns")
    slow = alone.served & (times >= value)  # the requests at and beyond the quantile decide it
    if metric == "tpot":
        slow &= alone.output_tokens > 1
    if not slow.any():
        return Floor(metric, quantile, value, "larger than the KV cache of a replica: never served", 1.0)
    parts = _parts(alone, metric)
    total = max(sum(float(part[slow].sum()) for part in parts.values()), 1.0)
    name, part = max(parts.items(), key=lambda item: float(item[1][slow].sum()))
    tokens = requests.input_tokens if name == "prefill" else requests.output_tokens
    step = float(np.median(alone.tpot_ns[slow])) / 1e6
    reason = _REASONS[name].format(tokens=np.median(tokens[slow]), step=step)
    return Floor(metric, quantile, value, reason, float(part[slow].sum()) / total)


def _parts(alone: ServiceResult, metric: Metric) -> dict[str, np.ndarray]:
    """What makes up the metric, per request, in ns. Decoding = all tokens but the first."""
    decode = np.maximum(alone.tpot_ns, 0) * (alone.output_tokens.astype(np.int64) - 1)
    if metric == "network":
        return {"network": alone.network_ns}
    if metric == "tpot":
        return {"decode": decode}
    prefill = np.maximum(alone.compute_ns - decode, 0)
    parts = {"rag": alone.rag_ns, "queue": alone.queue_ns, "network": alone.network_ns, "prefill": prefill}
    return parts if metric == "ttft" else parts | {"decode": decode, "serialisation": alone.serialisation_ns}
