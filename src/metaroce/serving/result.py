"""What a run of the serving simulator found: one row per request, and what the replicas did."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.units import NS_PER_S

_METRICS = {"ttft": "ttft_ns", "tpot": "tpot_ns", "e2e": "e2e_ns", "network": "network_ns"}


@dataclass(frozen=True, slots=True)
class ServiceResult:
    """Requests in the order of the table, n rows; times int64[n] in ns, -1 where a request has no such time.

    ttft_ns           arrival to first token
    tpot_ns           mean time per further token; -1 for answers of one token
    e2e_ns            arrival to last byte = rag + network + queue + compute + serialisation
    queue_ns          waiting for a place in a batch, also after preemption
    network_ns        the fabric: the request's own transfers, and its steps' share
    compute_ns        in a batch, without the fabric
    rag_ns, serialisation_ns  drawn
    rejected          bool[n] refused: larger than the KV cache, or the queue was full
    unfinished        bool[n] not rejected, but not done when the run was stopped
    preemptions       int32[n] times it lost its place and started again
    replica           int32[n] where it ran (with kv_transfer: where it decoded), -1 if nowhere
    measured          bool[n] arrived after the warm-up: rows that quantiles and shares count
    output_tokens     int32[n] as asked for
    replicas, gpus    of the service
    span_ns           from the start to the last completion, or to the stop
    busy_share        share of GPU time in engine steps
    kv_peak_share     largest share of KV blocks in use in any replica
    kv_blocks         KV blocks of one replica
    seed, source      what was run
    """

    ttft_ns: NDArray[np.int64]
    tpot_ns: NDArray[np.int64]
    e2e_ns: NDArray[np.int64]
    queue_ns: NDArray[np.int64]
    network_ns: NDArray[np.int64]
    compute_ns: NDArray[np.int64]
    rag_ns: NDArray[np.int64]
    serialisation_ns: NDArray[np.int64]
    rejected: NDArray[np.bool_]
    unfinished: NDArray[np.bool_]
    preemptions: NDArray[np.int32]
    replica: NDArray[np.int32]
    measured: NDArray[np.bool_]
    output_tokens: NDArray[np.int32]
    replicas: int
    gpus: int
    span_ns: int
    busy_share: float
    kv_peak_share: float
    kv_blocks: int
    seed: int
    source: str

    def __len__(self) -> int:
        return len(self.e2e_ns)

    @property
    def served(self) -> NDArray[np.bool_]:
        """bool[n] answered in full."""
        return ~(self.rejected | self.unfinished)

    def latencies(self, metric: str) -> NDArray[np.float64]:
        """float64[] ns, sorted: the measured requests that have this metric; unserved ones count as infinite.

        Raises InputError for a metric other than ttft, tpot, e2e, network.
        """
        if metric not in _METRICS:
            raise InputError(f"{metric!r} is no metric of a service", hint=f"use one of {', '.join(_METRICS)}")
        rows = self.measured & (self.output_tokens > 1) if metric == "tpot" else self.measured
        values = getattr(self, _METRICS[metric])[rows].astype(np.float64)
        values[~self.served[rows]] = math.inf
        return np.sort(values)

    def quantile_ns(self, metric: str, quantile: float) -> float:
        """The smallest time that at least this share of the measured requests meets; inf when too few were served."""
        return quantile_of(self.latencies(metric), quantile)

    def shares(self) -> dict[str, float]:
        """Of all time between arrival and last byte of served, measured requests: the share of each part."""
        rows = self.measured & self.served
        parts = {
            "rag": self.rag_ns, "queue": self.queue_ns, "network": self.network_ns, "compute": self.compute_ns,
            "serialisation": self.serialisation_ns,
        }  # fmt: skip
        total = float(self.e2e_ns[rows].sum())
        return {name: float(part[rows].sum()) / total if total else 0.0 for name, part in parts.items()}

    @property
    def availability(self) -> float:
        """Share of the measured requests that were answered; 1 when there were none."""
        return float(self.served[self.measured].mean()) if self.measured.any() else 1.0

    @property
    def output_tokens_per_s(self) -> float:
        """Tokens of finished answers per second of the run."""
        return float(self.output_tokens[self.served].sum()) * NS_PER_S / self.span_ns if self.span_ns else 0.0

    @property
    def gpu_seconds_per_request(self) -> float:
        """Busy GPU time over finished requests: what the plain formula multiplies.

        No constant of the service: an engine with one request is as busy as one with a hundred, so it falls as batches
        fill. Take it from a run near the capacity.
        """
        served = int(self.served.sum())
        return self.busy_share * self.gpus * self.span_ns / NS_PER_S / served if served else 0.0


def quantile_of(ordered: NDArray[np.float64], quantile: float) -> float:
    """The ceil(q n)-th of n ascending values; nan when there are none."""
    if not len(ordered):
        return math.nan
    rank = math.ceil(round(quantile * len(ordered), 9))
    return float(ordered[min(max(rank, 1), len(ordered)) - 1])
