"""The time of one engine step, from the data sheets: the larger of computing and reading, layer kind by layer kind.

Strategy: everything that depends only on the number of tokens in a step goes into a table; reading the KV cache is
linear in the context and prefill attention linear in query-key pairs. So a decode step is s0 + g j for the j-th step
in a row, and k of them sum in closed form. Whole picoseconds, so that the closed form is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaroce.model.accelerators import BYTES_PER_VALUE
from metaroce.model.service import Service
from metaroce.serving.comm import (
    all_reduce_message_bytes,
    all_reduce_ns,
    all_to_all_ns,
    combine_row_bytes,
    dispatch_row_bytes,
)
from metaroce.serving.hardware import Hardware, find_hardware

_PS = 1e12
_EXPERT_TILE = 64


@dataclass(frozen=True, slots=True)
class StepModel:
    """Time of an engine step of one replica.

    base_ps    int64[C + 1]  by tokens in the step: weights, matrix products, collectives inside the server, overhead
    fabric_ps  int64[C + 1]  by tokens in the step: expert traffic over an idle fabric; 0 when it stays in the server
    kv_ps      ps to read one token of context, per decoding request and step
    pair_ps    ps per query-key pair of prefill attention
    blocks     KV blocks of the replica, of `block_tokens` tokens
    gpus       GPUs of the replica
    """

    base_ps: NDArray[np.int64]
    fabric_ps: NDArray[np.int64]
    kv_ps: int
    pair_ps: float
    blocks: int
    block_tokens: int
    gpus: int

    def decode_ns(self, batch: int, context: float) -> float:
        """One decode step of `batch` requests with `context` tokens each, idle fabric included."""
        return (self.base_ps[batch] + self.fabric_ps[batch] + self.kv_ps * batch * context) / 1000

    def prefill_ns(self, tokens: int, before: int = 0) -> float:
        """One step that prefills `tokens` tokens of one prompt, `before` of which are in the cache already."""
        pairs = tokens * (2 * before + tokens) / 2
        return (self.base_ps[tokens] + self.fabric_ps[tokens] + self.pair_ps * pairs) / 1000


def step_model(service: Service) -> StepModel:
    """Roofline of one replica. Raises ScenarioError when names are unknown or the weights do not fit.

    Taken as given: tokens and experts are spread evenly (over experts, and over the attention replicas with wide
    expert parallelism); the experts that a step reads are those hit by T k uniform choices; a step's parts run one
    after the other, unless `two_batch_overlap` hides communication behind computing.
    """
    hardware = find_hardware(service)
    tokens = np.arange(service.chunk_tokens + 1, dtype=np.float64)
    base = _dense_s(hardware, tokens) + _experts_s(hardware, tokens)
    inside, fabric = _comm_ns(hardware, tokens)
    if service.two_batch_overlap:  # what computing does not hide
        inside, fabric = np.maximum(inside - base * 1e9, 0), np.maximum(fabric - base * 1e9, 0)
    base_ps = np.rint(base * _PS + inside * 1000).astype(np.int64) + service.step_overhead * 1000
    return StepModel(
        base_ps=base_ps,
        fabric_ps=np.rint(fabric * 1000).astype(np.int64),
        kv_ps=max(round(_read_context_s(hardware) * _PS), 1),
        pair_ps=_pair_s(hardware) * _PS,
        blocks=hardware.kv_blocks(),
        block_tokens=service.kv_block_tokens,
        gpus=hardware.gpus,
    )


def _flops(hardware: Hardware) -> float:
    gpu = hardware.gpu
    peak = gpu.fp8_tflops if hardware.precision == "fp8" and gpu.fp8_tflops else gpu.bf16_tflops
    return peak * 1e12


def _bytes_per_s(hardware: Hardware) -> float:
    return hardware.gpu.memory_bandwidth / 8 * hardware.gpu.memory_share


def _dense_s(hardware: Hardware, tokens: NDArray[np.float64]) -> NDArray[np.float64]:
    """Attention projections, dense feed-forward, shared experts and the output head, on one GPU."""
    llm, tp = hardware.llm, hardware.service.tensor_parallel
    per_value = BYTES_PER_VALUE[hardware.precision]
    speed = _flops(hardware) * hardware.gpu.gemm_share
    own = tokens / hardware.attention_dp
    body = (llm.dense_parameters - llm.embedding_parameters - llm.head_parameters) / tp
    head = llm.head_parameters / tp
    sampled = np.minimum(own, hardware.service.max_batch / hardware.attention_dp)
    bandwidth = _bytes_per_s(hardware)
    return np.maximum(body * per_value / bandwidth, 2 * body * own / speed) + np.maximum(
        head * per_value / bandwidth, 2 * head * sampled / speed
    )


def _experts_s(hardware: Hardware, tokens: NDArray[np.float64]) -> NDArray[np.float64]:
    """Routed experts on one GPU: E (1 - (1 - k/E)^T) of them are read when T tokens choose k of E evenly.

    Each expert that is hit multiplies at least one tile of 64 rows (DeepGEMM): what makes decode slow on GPUs with much
    bandwidth and little computing.
    """
    llm = hardware.llm
    if not llm.experts:
        return np.zeros_like(tokens)
    k, E = llm.experts_per_token, llm.experts
    own = llm.expert_parameters / hardware.gpus
    hit = 1 - (1 - k / E) ** tokens
    read = own * hit * BYTES_PER_VALUE[hardware.precision] / _bytes_per_s(hardware)
    rows = np.maximum(tokens * k / E, _EXPERT_TILE * hit)
    multiply = 2 * own * rows / (_flops(hardware) * hardware.gpu.grouped_gemm_share)
    return np.maximum(read, multiply)


def _comm_ns(hardware: Hardware, tokens: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Collectives of all layers: (inside the server, over the fabric)."""
    llm, tp = hardware.llm, hardware.service.tensor_parallel
    spread = hardware.attention_dp > 1  # experts are wider than tensors: dispatch and combine instead of all-reduce
    reduces = 2 * llm.layers - (llm.moe_layers if spread else 0)
    message = all_reduce_message_bytes(llm, tokens / hardware.attention_dp)
    inside = reduces * all_reduce_ns(message, tp, hardware.gpu)
    if not spread:
        return inside, np.zeros_like(tokens)
    own = tokens / hardware.gpus
    there = all_to_all_ns(own, dispatch_row_bytes(llm), hardware)
    back = all_to_all_ns(own, combine_row_bytes(llm), hardware)
    experts = llm.moe_layers * (there + back)
    return (inside, experts) if hardware.spans_servers else (inside + experts, np.zeros_like(tokens))


def _read_context_s(hardware: Hardware) -> float:
    """One cached token, read by one decoding request: from memory, or computed where MLA makes that slower."""
    llm, gpu = hardware.llm, hardware.gpu
    read = hardware.kv_bytes_per_gpu / _bytes_per_s(hardware)
    width = llm.mla_kv_values or llm.head_dim  # MLA works on the latent: all heads read the same values
    flops = 4 * llm.heads * width * llm.layers / hardware.service.tensor_parallel
    return max(read, flops / (gpu.bf16_tflops * 1e12 * gpu.attention_share)) / hardware.attention_dp


def _pair_s(hardware: Hardware) -> float:
    """One query-key pair of prefill attention, all layers and heads: 2 (d_qk + d_v) operations each."""
    llm, gpu = hardware.llm, hardware.gpu
    per_head = 2 * (llm.head_dim + (llm.mla_value_dim or llm.head_dim))
    flops = llm.heads * per_head * llm.layers / hardware.gpus
    return flops / (gpu.bf16_tflops * 1e12 * gpu.attention_share)
