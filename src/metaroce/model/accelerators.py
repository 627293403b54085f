"""What serves a model: the GPU, the language model itself, and the server that holds the GPUs and the network cards.

Strategy: a noun holds what a data sheet or a `config.json` says; what follows from it (KV bytes per token, parameters
of one expert) is computed, so that no two numbers can contradict each other.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from metaroce.model.base import Count, Factor, NsTime, Rate, Share, Size
from metaroce.model.devices import Sourced

Precision = Literal["bf16", "fp8"]
BYTES_PER_VALUE: dict[str, int] = {"bf16": 2, "fp8": 1}


class Gpu(Sourced):
    """A GPU: peak speeds from its data sheet, and the shares of them that serving engines reach."""

    product: str
    """Product name, for people."""
    bf16_tflops: Factor
    """Peak dense BF16 tensor speed in TFLOP/s (10^12 floating-point operations a second), without sparsity."""
    fp8_tflops: float | None = Field(default=None, gt=0)
    """Peak dense FP8 tensor speed in TFLOP/s; empty when the chip has no FP8: FP8 weights then compute in BF16."""
    memory: Size
    """Memory of one GPU."""
    memory_bandwidth: Rate
    """Peak memory bandwidth in bit/s: 3.35 TB/s is 26.8 Tbit/s."""
    link: Rate
    """Scale-up bandwidth of one GPU in one direction (NVLink, Infinity Fabric; PCIe where there is neither), bit/s."""
    link_latency: NsTime = 4_000
    """Fixed time of one small all-reduce among the GPUs of a server, inside a CUDA graph."""
    gemm_share: Share = 0.65
    """Share of peak speed that dense matrix products reach when they are limited by computing."""
    grouped_gemm_share: Share = 0.4
    """The same for the many small products of mixture-of-experts layers."""
    attention_share: Share = 0.45
    """Share of peak BF16 speed that prefill attention kernels reach."""
    memory_share: Share = 0.8
    """Share of peak memory bandwidth that weights and KV cache are read with."""
    link_share: Share = 0.5
    """Share of `link` that all-to-all reaches with large messages."""
    reduce_share: Share = 0.38
    """Share of `link` that all-reduce reaches, taken over messages of 1 to 64 MiB."""
    power_w: Factor
    """Thermal design power of one GPU in watts."""


class Llm(Sourced):
    """A decoder-only transformer, as its `config.json` says."""

    product: str
    """Model name, for people."""
    layers: Count
    """Decoder layers."""
    hidden: Count
    """Width of the residual stream."""
    heads: Count
    """Attention (query) heads."""
    kv_heads: Count
    """Key/value heads; equal to `heads` without grouped-query attention. Ignored when `mla_kv_values` is given."""
    head_dim: Count
    """Values of one query head."""
    vocabulary: Count
    """Tokens in the vocabulary."""
    parameters: float = Field(gt=0, le=1e15)
    """All parameters, in units (8.03e9), embeddings included."""
    active_parameters: float | None = Field(default=None, gt=0)
    """Parameters used for one token; empty for dense models, where it is all of them."""
    tied_embeddings: bool = False
    """True when input embedding and output head share their weights."""
    experts: int = Field(default=0, ge=0, le=100_000)
    """Routed experts in each mixture-of-experts layer; 0 = dense."""
    experts_per_token: int = Field(default=0, ge=0, le=1_000)
    """Routed experts that each token visits (top-k)."""
    moe_layers: int = Field(default=0, ge=0, le=100_000)
    """Layers that have routed experts."""
    mla_kv_values: int = Field(default=0, ge=0, le=1_000_000)
    """Values per token and layer in the cache of multi-head latent attention (latent + rotary part); 0 = no MLA."""
    mla_value_dim: int = Field(default=0, ge=0, le=100_000)
    """Values of one head on the value side, where it differs from `head_dim`; 0 = the same."""
    native: Precision = "bf16"
    """Precision the weights are published in."""

    @model_validator(mode="after")
    def _consistent(self) -> Llm:
        moe = (self.experts > 0, self.experts_per_token > 0, self.moe_layers > 0, self.active_parameters is not None)
        if any(moe) and not all(moe):
            raise ValueError("experts, experts_per_token, moe_layers and active_parameters come together or not at all")
        if self.experts and not self.experts_per_token < self.experts:
            raise ValueError("experts_per_token must be below experts")
        if self.moe_layers > self.layers:
            raise ValueError("moe_layers cannot exceed layers")
        if self.active_parameters is not None and not self.active_parameters < self.parameters:
            raise ValueError("active_parameters must be below parameters")
        if self.heads % self.kv_heads:
            raise ValueError("heads must be a multiple of kv_heads")
        if self.dense_parameters <= self.embedding_parameters + self.head_parameters:
            raise ValueError("the parameters leave nothing but embeddings; check parameters and active_parameters")
        return self

    @property
    def kv_values(self) -> int:
        """Cached values per token, all layers: 2 x layers x kv_heads x head_dim, or layers x latent width with MLA."""
        return self.layers * (self.mla_kv_values or 2 * self.kv_heads * self.head_dim)

    def kv_bytes(self, precision: Precision = "bf16") -> int:
        """Bytes of KV cache per token, all layers."""
        return self.kv_values * BYTES_PER_VALUE[precision]

    @property
    def head_parameters(self) -> int:
        """Parameters of the output head."""
        return self.vocabulary * self.hidden

    @property
    def embedding_parameters(self) -> int:
        """Parameters of the input embedding that are not shared with the head; looked up, not multiplied."""
        return 0 if self.tied_embeddings else self.vocabulary * self.hidden

    @property
    def expert_parameters(self) -> float:
        """Parameters of all routed experts: from total - active = (E - k) e, E experts of e parameters, k visited."""
        if self.active_parameters is None:
            return 0.0
        return (self.parameters - self.active_parameters) * self.experts / (self.experts - self.experts_per_token)

    @property
    def dense_parameters(self) -> float:
        """Parameters that every token uses, embeddings included."""
        return self.parameters - self.expert_parameters


class Server(Sourced):
    """A server: its GPUs, the network cards on the fabric, and what it draws and fills."""

    product: str
    """Product name, for people."""
    gpu: str
    """GPU model, a name in `catalog/gpus.toml`."""
    gpus: Count
    """GPUs in one server."""
    nics: Count
    """Network ports on the GPU fabric in one server."""
    nic_rate: Rate
    """Speed of one such port."""
    scale_up_gpus: Count
    """GPUs that reach each other over NVLink (or what takes its place): 8 in most servers, 72 in an NVL72 rack."""
    power_w: Factor
    """Greatest power of one server in watts."""
    rack_units: Count
    """Height."""
