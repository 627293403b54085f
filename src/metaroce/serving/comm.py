"""What serving sends: bytes of tensor-parallel, expert-parallel and KV-cache traffic, and times on an idle network.

Strategy: one alpha-beta line per kind of operation, t = alpha + wire bytes / (achieved share x bandwidth). The lines
are compared with measured tables in `metaroce.serving.checks`; queueing is the fabric simulator's business.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metaroce.kit.units import NS_PER_S
from metaroce.model.accelerators import Gpu, Llm, Precision
from metaroce.serving.hardware import Hardware

ACTIVATION_BYTES = 2  # all-reduces and combine carry BF16
SCALE_BLOCK, SCALE_BYTES = 128, 4  # FP8 dispatch carries one FP32 scale per 128 values (DeepEP)

# Lines through DeepEP's low-latency kernels, 128 tokens, hidden 7168, top-8 (H800, 400G NICs): dispatch 118, 155, 173,
# 192, 194 us and combine 195, 273, 314, 369, 360 us on 16, 32, 64, 128, 256 GPUs (deepseek-ai/DeepEP, docs/legacy.md).
FABRIC_ALL_TO_ALL_NS = 22_000
FABRIC_SHARE = 0.86
# DeepEP's other kernels send a token once to each server and spread it there over NVLink (43-58 GB/s RDMA, same page);
# their fixed time is not published: our assumption.
FORWARDED_ALL_TO_ALL_NS = 200_000
# One server over NVLink, same kernels on H100: 37 us dispatch, 67 us combine (AIConfigurator 0.12 tables).
SCALE_UP_ALL_TO_ALL_NS = 10_000
KV_TRANSFER_NS = 10_000  # fixed time of one point-to-point transfer between servers (AIConfigurator 0.12)


def all_reduce_message_bytes(llm: Llm, tokens: Any) -> Any:
    """Bytes that one tensor-parallel all-reduce reduces: T h b. Two such per layer (one in MoE layers with EP)."""
    return tokens * llm.hidden * ACTIVATION_BYTES


def all_reduce_wire_bytes(message_bytes: Any, ranks: int) -> Any:
    """Bytes that each GPU sends in an all-reduce of `message_bytes`: 2 (p - 1)/p m."""
    return 2 * (ranks - 1) / ranks * message_bytes


def dispatch_row_bytes(llm: Llm) -> int:
    """Bytes that carry one token to one expert, FP8 with scales: 7,392 for a width of 7,168."""
    return llm.hidden + llm.hidden // SCALE_BLOCK * SCALE_BYTES


def combine_row_bytes(llm: Llm) -> int:
    """Bytes that carry one expert's answer for one token back, BF16."""
    return llm.hidden * ACTIVATION_BYTES


def dispatch_bytes(llm: Llm, tokens: Any) -> Any:
    """Bytes that `tokens` cause in one MoE layer on the way to their experts: T k (h + h/128 x 4)."""
    return tokens * llm.experts_per_token * dispatch_row_bytes(llm)


def combine_bytes(llm: Llm, tokens: Any) -> Any:
    """Bytes on the way back: T k h 2."""
    return tokens * llm.experts_per_token * combine_row_bytes(llm)


def kv_transfer_bytes(llm: Llm, tokens: Any, precision: Precision = "bf16") -> Any:
    """Bytes of the KV cache of `tokens`, all layers: what prefill hands to decode."""
    return tokens * llm.kv_bytes(precision)


def all_reduce_ns(message_bytes: Any, ranks: int, gpu: Gpu) -> Any:
    """Time of one all-reduce inside a server; 0 for one rank."""
    if ranks == 1:
        return 0.0 * message_bytes
    return gpu.link_latency + _send_ns(all_reduce_wire_bytes(message_bytes, ranks), gpu.link * gpu.reduce_share)


def all_to_all_ns(tokens: Any, row_bytes: int, hardware: Hardware) -> Any:
    """Time of one dispatch or combine in which each GPU has `tokens` tokens and sends k rows of `row_bytes` for each.

    Rows for GPUs of the same server go over the scale-up links, the others over the GPU's share of the NICs, at the
    same time. Between servers the quicker of two ways is taken: every row straight to its GPU, or every token once to
    each of the S servers that it visits, S (1 - (1 - 1/S)^k) on average, and from there over the scale-up links.
    """
    gpus, inside, k = hardware.gpus, min(hardware.gpus, hardware.server.scale_up_gpus), hardware.llm.experts_per_token
    link, nic = hardware.gpu.link * hardware.gpu.link_share, hardware.nic_rate_per_gpu * FABRIC_SHARE
    size = tokens * row_bytes
    near = _send_ns(size * k * (inside - 1) / gpus, link)
    if not hardware.spans_servers:
        return SCALE_UP_ALL_TO_ALL_NS + near
    straight = FABRIC_ALL_TO_ALL_NS + np.maximum(near, _send_ns(size * k * (gpus - inside) / gpus, nic))
    servers = gpus / inside
    visited = (servers - 1) * (1 - (1 - 1 / servers) ** k)
    spread = _send_ns(size * k * (inside - 1) / inside, link)
    forwarded = FORWARDED_ALL_TO_ALL_NS + np.maximum(spread, _send_ns(size * visited, nic))
    return np.minimum(straight, forwarded)


def kv_transfer_ns(tokens: Any, hardware: Hardware) -> Any:
    """Time to move the KV cache of one prompt to another replica over all NICs of its GPUs, on an idle fabric."""
    moved = kv_transfer_bytes(hardware.llm, tokens, hardware.service.kv_precision)
    nics = hardware.service.tensor_parallel  # the GPUs that hold this prompt
    return KV_TRANSFER_NS + _send_ns(moved, hardware.nic_rate_per_gpu * nics * FABRIC_SHARE)


def _send_ns(size: Any, rate_bps: float) -> Any:
    return size * (8 * NS_PER_S / rate_bps)
