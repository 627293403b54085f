"""Our step times against published points: measured by others, or estimated by tools built on measured kernels.

The shares in `catalog/gpus.toml` were set once for all points of a GPU, not fitted to any one of them.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from metaroce.loads.requests import make_requests
from metaroce.model.service import Service
from metaroce.serving.roofline import step_model

_INFERSIM = "README of alibaba/InferSim: measured"
_AIC = "AIConfigurator 0.12 `estimate`: from measured kernels, not a measured service"
_COMPUTED_CONTEXT = 5120  # prompt 4096 + half an answer of 2048, the defaults of InferSim's runs


def published_points() -> pl.DataFrame:
    """point, unit, claimed, ours, difference (ours/claimed - 1), source, why: one row per published figure."""
    rows = [*_aiconfigurator(), *_infersim()]
    table = pl.DataFrame(rows, schema=["point", "unit", "claimed", "ours", "source", "why"], orient="row")
    difference = (pl.col("ours") / pl.col("claimed") - 1).alias("difference")
    return table.with_columns(difference).select("point", "unit", "claimed", "ours", "difference", "source", "why")


def _aiconfigurator() -> list[tuple[str, str, float, float, str, str]]:
    """Llama-3.1-8B on one H100, 64 requests always under way, 2000 tokens in, 300 out."""
    from metaroce.serving.api import simulate

    service = Service(max_batch=64)
    count = 1280
    requests = make_requests(np.zeros(count, np.int64), 2000, 300)  # a full queue keeps 64 under way
    result = simulate(requests, service, replicas=1)
    middle = slice(count // 4, count - 64)
    ttft = float(np.mean((result.ttft_ns - result.queue_ns)[middle])) / 1e6
    tpot = float(np.mean(result.tpot_ns[middle])) / 1e6
    speed = result.output_tokens_per_s
    name = "Llama-3.1-8B, H100, 64 at once, 2000/300"
    return [
        (f"{name}: TTFT", "ms", 215.0, ttft, _AIC,
         "ours counts from the admission; theirs holds a share of waiting for other prefills, by a rule of its own"),
        (f"{name}: TPOT", "ms", 21.3, tpot, _AIC, "decode steps that share the GPU with prefill chunks in both"),
        (f"{name}: tokens/s/GPU", "1/s", 2944.0, speed, _AIC, "follows from the two above"),
    ]  # fmt: skip


def _infersim() -> list[tuple[str, str, float, float, str, str]]:
    moe = Service(llm="qwen3-30b-a3b", gpu="h20", expert_parallel=4, max_batch=400, chunk_tokens=65_536)
    dense = Service(llm="qwen3-8b", gpu="h20", precision="fp8", max_batch=64, chunk_tokens=16_384)
    wide = Service(
        llm="deepseek-v3", gpu="h800-sxm", expert_parallel=128, max_batch=16_384, chunk_tokens=16_384,
        two_batch_overlap=True,
    )  # fmt: skip
    first = Service(
        llm="deepseek-v3", gpu="h800-sxm", expert_parallel=32, max_batch=32, chunk_tokens=32 * 16_384,
        two_batch_overlap=True,
    )  # fmt: skip
    unit = "tokens/s/GPU"
    return [
        ("Qwen3-30B-A3B BF16, 4 x H20, prefill", unit, 16_594.0, _prefill(moe, 16_384, 4096), _INFERSIM,
         "prompts of 4096 assumed; attention and expert shares are ours"),
        ("Qwen3-30B-A3B BF16, 4 x H20, decode of 100", unit, 2749.0, _decode(moe, 100, _COMPUTED_CONTEXT), _INFERSIM,
         "their step pays 5 ms between steps and decode attention far below the memory's speed; ours 2 ms"),
        ("Qwen3-8B FP8, H20, prefill", unit, 15_061.0, _prefill(dense, 16_384, 4096), _INFERSIM,
         "prompts of 4096 assumed"),
        ("Qwen3-8B FP8, H20, decode of 64", unit, 2682.0, _decode(dense, 64, _COMPUTED_CONTEXT), _INFERSIM,
         "as above: time between steps, attention"),
        ("DeepSeek-V3, 32 x H800, prefill", unit, 7839.0, _prefill(first, 16_384, 4096), _INFERSIM,
         "deepseek-ai/profile-data: 4K prompts, 16K tokens a GPU, two micro-batches; ours hides all it can"),
        ("DeepSeek-V3, 128 x H800, decode of 128", unit, 2324.0, _decode(wide, 128, 4989), _INFERSIM,
         "deepseek-ai/profile-data: EP128, 4K prompts, 128 a GPU; context of 4989 assumed"),
    ]  # fmt: skip


def _decode(service: Service, batch: int, context: int) -> float:
    """Output tokens per second and GPU of a steady decode batch of `batch` requests per GPU."""
    model = step_model(service)
    return batch * 1e9 / model.decode_ns(batch * model.gpus, context)


def _prefill(service: Service, tokens: int, prompt: int) -> float:
    """Input tokens per second and GPU of steps that prefill whole prompts, `tokens` tokens per GPU."""
    model = step_model(service)
    whole = tokens * model.gpus
    step_ps = model.base_ps[whole] + model.fabric_ps[whole] + model.pair_ps * whole * prompt / 2
    return tokens * 1e12 / float(step_ps)
