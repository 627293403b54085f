"""The LLM service: what runs on which GPUs, how its engine batches, and what its users were promised."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from metaroce.model.accelerators import Gpu, Llm, Precision, Server
from metaroce.model.base import Count, Noun, NsTime, Share, Size

Router = Literal["round-robin", "two-choices", "least-loaded"]
Metric = Literal["ttft", "tpot", "e2e", "network"]

Z95 = 1.6448536269514722  # 95th percentile of the standard normal
_LARGEST_P95 = math.exp(Z95**2 / 2)  # p95/mean of a lognormal cannot exceed this


class Lognormal(Noun):
    """A time that is drawn per request: lognormal, given by its mean and 95th percentile."""

    mean: NsTime
    """Mean."""
    p95: NsTime
    """95th percentile; equal to the mean = always the mean. At most 3.87 times the mean: no lognormal goes further."""

    @model_validator(mode="after")
    def _possible(self) -> Lognormal:
        if not self.mean <= self.p95 <= _LARGEST_P95 * max(self.mean, 1):
            raise ValueError("p95 must lie between the mean and 3.87 times the mean: no lognormal has another")
        return self

    @property
    def sigma(self) -> float:
        """Standard deviation of the logarithm: the smaller root of s^2/2 - 1.645 s + ln(p95/mean) = 0."""
        if self.p95 == self.mean:
            return 0.0
        return Z95 - math.sqrt(max(Z95**2 - 2 * math.log(self.p95 / self.mean), 0.0))


NOTHING = Lognormal(mean=0, p95=0)


class Slo(Noun):
    """One latency objective: the given share of requests is at or below the limit."""

    metric: Metric
    """ttft = arrival to first token; tpot = mean time per further token; e2e = arrival to last byte; network = all
    waiting for the fabric."""
    quantile: Share = Field(gt=0)
    """Share of requests that must meet the limit: 0.95 for a P95. Unserved requests miss it."""
    limit: NsTime
    """The limit."""


class Service(Noun):
    """One LLM service: model, hardware of one replica, engine settings, what surrounds the engine, objectives."""

    llm: str | Llm = "llama-3.1-8b"
    """Language model: a name in the catalog of llms, or one written out."""
    gpu: str | Gpu = "h100-sxm"
    """GPU: a name in the catalog of gpus, or one written out."""
    server: str | Server | None = None
    """Server: a name in the catalog of servers, or one written out; empty = the catalog's server with this GPU."""
    precision: Precision | None = None
    """Precision of weights and matrix products; empty = as the model is published."""
    kv_precision: Precision = "bf16"
    """Precision of the KV cache."""
    tensor_parallel: Count = 1
    """GPUs that share each matrix (TP); two all-reduces per layer, so keep it within a server."""
    expert_parallel: Count = 1
    """GPUs that the routed experts are spread over (EP). Above `tensor_parallel`, the replica is that many GPUs:
    attention is replicated (data parallel) and every MoE layer sends tokens to their experts and back."""
    two_batch_overlap: bool = False
    """True: each step runs as two half batches, so that the communication of one hides behind the computing of the
    other. Applies to the formulas; measured network times are taken as what is left to wait for."""
    max_batch: Count = 256
    """Most requests that one replica runs at once."""
    chunk_tokens: Count = 8192
    """Token budget of one engine step: every running request takes one, prefill chunks get what is left."""
    max_queue: Count | None = None
    """Requests a replica lets wait before it rejects; empty = no bound (the default of vLLM)."""
    memory_share: Share = Field(default=0.9, gt=0)
    """Share of GPU memory that the engine may fill with weights, activations and KV cache."""
    activation_memory: Size = 2 * 2**30
    """Memory of one GPU set aside for activations and communication buffers."""
    kv_block_tokens: int = Field(default=16, ge=1, le=4096)
    """Tokens in one block of the paged KV cache."""
    kv_watermark: Share = 0.01
    """Share of the KV blocks that admission leaves free while other requests run, so that they can grow."""
    step_overhead: NsTime = 2_000_000
    """Time of one engine step that does not shrink with the batch: scheduling, sampling, kernel launches."""
    router: Router = "two-choices"
    """How requests find a replica: in turn, the less loaded of two drawn at random, or the least loaded of all."""
    rag: Lognormal = NOTHING
    """Retrieval and tokenising, before the request queues."""
    serialisation: Lognormal = NOTHING
    """Serialising the answer, after the last token; part of e2e only."""
    kv_transfer: bool = False
    """True: prefill and decode run on replicas of their own, and the KV cache moves between them over the fabric."""
    prefill_share: Share = 0.4
    """With kv_transfer: share of the replicas that prefill (at least one, and at least one decodes)."""
    availability: Share = 0.999
    """Share of requests that must be answered at all."""
    slos: Annotated[tuple[Slo, ...], Field(min_length=1)] = (
        Slo.model_validate({"metric": "ttft", "quantile": 0.99, "limit": "1s"}),
        Slo.model_validate({"metric": "tpot", "quantile": 0.99, "limit": "60ms"}),
    )
    """Latency objectives."""

    @model_validator(mode="after")
    def _consistent(self) -> Service:
        if self.chunk_tokens < self.max_batch:
            raise ValueError("chunk_tokens must be at least max_batch: every running request takes one token a step")
        if self.expert_parallel > self.tensor_parallel and self.expert_parallel % self.tensor_parallel:
            raise ValueError("expert_parallel must be a multiple of tensor_parallel")
        return self

    @property
    def gpus_per_replica(self) -> int:
        """GPUs of one replica: the larger of the two degrees."""
        return max(self.tensor_parallel, self.expert_parallel)
