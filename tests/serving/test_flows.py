"""Serving traffic as flows: who sends, how much, and that nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.model.service import Service
from metaroce.serving.comm import combine_row_bytes, dispatch_row_bytes, kv_transfer_bytes
from metaroce.serving.flows import expert_flows, kv_flows
from metaroce.serving.hardware import find_hardware

WIDE = Service(llm="deepseek-v3", expert_parallel=32, max_batch=4096)


def test_dispatch_carries_every_row_that_leaves_its_server():
    llm = find_hardware(WIDE).llm
    there = expert_flows(WIDE, range(32), 128)
    rows = 32 * 128 * 8
    assert there.total_bytes / dispatch_row_bytes(llm) == pytest.approx(rows * 24 / 32, rel=0.02)
    assert (there.src // 8 != there.dst // 8).all()
    assert (there.size % dispatch_row_bytes(llm) == 0).all()
    assert len(there) <= 32 * 24


def test_combine_goes_back_the_same_way():
    llm = find_hardware(WIDE).llm
    there, back = (expert_flows(WIDE, range(100, 132), 64, operation=way, seed=3) for way in ("dispatch", "combine"))
    assert back.total_bytes / combine_row_bytes(llm) == pytest.approx(
        there.total_bytes / dispatch_row_bytes(llm), rel=0.05
    )
    assert back.src.min() >= 100 and back.dst.max() < 132


def test_each_token_visits_as_many_different_experts_as_the_model_says():
    narrow = Service(llm="qwen3-30b-a3b", expert_parallel=16, max_batch=1024)
    flows = expert_flows(narrow, range(16), 1, per_server=1)
    row = dispatch_row_bytes(find_hardware(narrow).llm)
    sent = np.bincount(flows.src, flows.size, 16) / row
    assert (sent <= 8).all() and sent.mean() == pytest.approx(8 * 15 / 16, abs=0.5)


def test_caches_move_rank_to_rank():
    service = Service(llm="llama-3.1-70b", tensor_parallel=4)
    flows = kv_flows(service, [0, 1, 2, 3], [8, 9, 10, 11], [4096, 100], [0, 5_000_000])
    assert len(flows) == 8 and flows.group.tolist() == [0] * 4 + [1] * 4
    assert flows.total_bytes == kv_transfer_bytes(find_hardware(service).llm, 4196)
    assert set(zip(flows.src.tolist(), flows.dst.tolist(), strict=True)) == {(i, i + 8) for i in range(4)}


def test_wrong_endpoints_are_refused():
    with pytest.raises(InputError, match="31 endpoints"):
        expert_flows(WIDE, range(31), 8)
    with pytest.raises(InputError, match="0 experts"):
        expert_flows(Service(), range(1), 8)
    with pytest.raises(InputError, match="as many"):
        kv_flows(Service(), [0, 1], [1], 100, 0)
