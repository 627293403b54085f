"""Step times: bounds they cannot beat, limits they must approach, published points they should be near."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.catalog.read import read_catalog
from metaroce.kit.errors import ScenarioError
from metaroce.model.accelerators import Gpu, Llm, Server
from metaroce.model.service import Service
from metaroce.serving.hardware import find_hardware
from metaroce.serving.published import published_points
from metaroce.serving.roofline import step_model

KV_BYTES = {  # bytes per token in BF16, from the published configs
    "llama-3.1-8b": 131_072, "llama-3.1-70b": 327_680, "llama-3.1-405b": 516_096, "qwen3-8b": 147_456,
    "qwen3-32b": 262_144, "qwen3-30b-a3b": 98_304, "qwen3-235b-a22b": 192_512, "deepseek-v3": 70_272,
    "mixtral-8x7b": 131_072,
}  # fmt: skip


OWN_GPU = Gpu(product="x", source="x", bf16_tflops=1, memory="99GB", memory_bandwidth="8T", link="8G", power_w=1)


def test_kv_bytes_follow_from_the_configs():
    assert {name: llm.kv_bytes() for name, llm in read_catalog(Llm, "llms").items()} == KV_BYTES


def test_expert_parameters_follow_from_the_widths():
    """(total - active) E/(E - k) must be layers x experts x 3 matrices x hidden x expert width."""
    llms = read_catalog(Llm, "llms")
    widths = {"qwen3-30b-a3b": 768, "qwen3-235b-a22b": 1536, "deepseek-v3": 2048, "mixtral-8x7b": 14_336}
    for name, width in widths.items():
        llm = llms[name]
        assert llm.expert_parameters == pytest.approx(llm.moe_layers * llm.experts * 3 * llm.hidden * width, rel=5e-3)


def test_every_gpu_of_the_catalog_has_a_server_and_the_other_way_round():
    assert {server.gpu for server in read_catalog(Server, "servers").values()} == set(read_catalog(Gpu, "gpus"))


@pytest.mark.parametrize("gpu", sorted(read_catalog(Gpu, "gpus")))
def test_no_step_beats_the_data_sheet(gpu):
    model, sheet = step_model(Service(gpu=gpu, step_overhead="0ns")), read_catalog(Gpu, "gpus")[gpu]
    weights = 2 * (8.03e9 - 128_256 * 4096)  # the input embedding is looked up, not read
    assert model.decode_ns(1, 0) > weights * 8e9 / sheet.memory_bandwidth
    assert model.prefill_ns(8192) > 2 * (8.03e9 - 2 * 128_256 * 4096) * 8192 / (sheet.bf16_tflops * 1e3)
    assert (np.diff(model.base_ps) >= 0).all()


def test_more_of_everything_takes_longer_and_more_gpus_less():
    one = step_model(Service(llm="qwen3-32b", gpu="h200"))
    four = step_model(Service(llm="qwen3-32b", gpu="h200", tensor_parallel=4))
    assert one.decode_ns(64, 4000) > one.decode_ns(64, 1000) > one.decode_ns(8, 1000)
    assert one.decode_ns(64, 1000) / 4 < four.decode_ns(64, 1000) < one.decode_ns(64, 1000)
    assert one.prefill_ns(2000, 6000) > one.prefill_ns(2000)
    assert four.blocks > 4 * one.blocks  # weights are shared, so each GPU has more room


def test_kv_heads_are_shared_no_further_than_there_are():
    base = Service(llm="qwen3-30b-a3b", gpu="h100-sxm")
    for degree, share in ((1, 1), (4, 4), (8, 4)):
        hardware = find_hardware(base.model_copy(update={"tensor_parallel": degree}))
        assert hardware.kv_bytes_per_gpu == 98_304 / share
    mla = find_hardware(Service(llm="deepseek-v3", gpu="h200", tensor_parallel=8))
    assert mla.kv_bytes_per_gpu == 70_272


def test_wide_experts_cross_the_fabric_and_narrow_ones_do_not():
    inside = step_model(Service(llm="qwen3-30b-a3b", expert_parallel=8, max_batch=1024))
    across = step_model(Service(llm="qwen3-30b-a3b", expert_parallel=32, max_batch=1024))
    assert not inside.fabric_ps.any() and across.fabric_ps.all()
    # DeepSeek-V3, EP64, 128 tokens a GPU: (173 + 314) us x 58 layers measured by DeepEP
    wide = step_model(Service(llm="deepseek-v3", gpu="h800-sxm", expert_parallel=64, max_batch=8192))
    assert wide.fabric_ps[8192] / 1e9 == pytest.approx((173 + 314) * 58 / 1000, rel=0.05)


def test_overlap_hides_communication_but_not_more():
    plain = Service(llm="deepseek-v3", gpu="h800-sxm", expert_parallel=64, max_batch=8192)
    both, hidden = step_model(plain), step_model(plain.model_copy(update={"two_batch_overlap": True}))
    total = both.base_ps + both.fabric_ps
    overlapped = hidden.base_ps + hidden.fabric_ps
    assert (overlapped <= total).all()
    assert (overlapped >= np.maximum(both.base_ps, both.fabric_ps)).all()


def test_fp8_halves_weights_but_computes_in_bf16_on_an_a100():
    for gpu, faster in (("h100-sxm", True), ("a100-80g", False)):
        wide, narrow = (step_model(Service(gpu=gpu, precision=p, step_overhead="0ns")) for p in ("bf16", "fp8"))
        assert narrow.decode_ns(1, 0) == pytest.approx(wide.decode_ns(1, 0) / 2, rel=1e-6)
        assert (narrow.prefill_ns(8192) < 0.8 * wide.prefill_ns(8192)) == faster


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"llm": "llama-3.1-70b"}, "weights"), ({"tensor_parallel": 16}, "connected GPUs"),
        ({"expert_parallel": 8}, "no experts"), ({"llm": "llama-4"}, "not in the catalog"),
        ({"tensor_parallel": 3}, "attention heads"), ({"server": "dgx-a100"}, "holds a100-80g"),
        ({"gpu": OWN_GPU}, "no server"),
    ],
)  # fmt: skip
def test_impossible_services_are_explained(changes, said):
    with pytest.raises(ScenarioError, match=said):
        step_model(Service().model_copy(update=changes))


def test_published_points_are_within_a_quarter():
    """Not fitted point by point; the worst is decode of a small MoE model on an H20."""
    table = published_points()
    assert table["difference"].abs().max() < 0.25
    assert table["difference"].abs().median() < 0.12
    assert table.height == 9 and (table["claimed"] > 0).all()
