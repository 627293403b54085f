"""Real traces and other kinds of traffic run through the chain, with sensible answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.model.reading import parse_yaml, validate
from metaroce.model.scenario import Scenario
from metaroce.study.api import Options, study
from metaroce.study.load import load_requests


@pytest.mark.parametrize(
    ("name", "rps", "limit"),
    [
        ("azure/AzureLLMInferenceTrace_conv.csv", 5.53, "300ms"),
        ("azure/AzureLLMInferenceTrace_code.csv", 2.57, "700ms"),
        ("mooncake/conversation_trace.jsonl", 3.40, "8s"),
        ("servegen/deepseek-r1_10h-12h_seed0.csv", 13.1, "900ms"),
    ],
)
def test_public_traces_run_through(small_scenario, shared, name, rps, limit):
    path = shared / "data" / "traces" / name
    changes = [
        f'requests={{kind: trace, path: "{path}"}}',
        f"service.slos=[{{metric: ttft, quantile: 0.95, limit: {limit}}}]",
    ]
    found = study(small_scenario([*changes, "capacity.window=5min"]), Options(folder=Path()))
    assert found.chain.load.profile.rps == pytest.approx(rps, rel=0.01)
    assert found.exit_status == 0, found.chain.settled.why_not
    assert found.chain.load.is_one_table
    assert found.chain.gpus.value >= 8


def test_the_window_is_the_busiest(small_scenario):
    scenario = small_scenario(["capacity.window=20s"])
    load = load_requests(scenario, Path(), (1, 2))
    for table, busiest in zip(load.tables, load.busiest, strict=True):
        assert busiest.duration_ns <= 20 * 10**9
        assert len(busiest) > len(table) * 20 / 120  # more than its share of the two minutes


def test_a_coarse_clock_is_remarked(small_scenario, tmp_path):
    path = tmp_path / "ticks.csv"
    rows = [f"2023-11-16 18:15:{3 * tick:02d}.0000000,100,10" for tick in range(15) for _ in range(8)]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]) + "\n")
    load = load_requests(small_scenario([f'requests={{kind: trace, path: "{path}"}}']), Path(), (1,))
    assert "120 requests share 15 instants" in load.problems[0].what
    assert not load_requests(small_scenario(), Path(), (1,)).problems


def test_one_instant_is_no_load(small_scenario, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:00.0000000,100,10\n")
    with pytest.raises(InputError, match="two requests at different times"):
        load_requests(small_scenario([f'requests={{kind: trace, path: "{path}"}}']), Path(), (1,))


MOE = """
seeds: 2
requests: {kind: generator, rate: 10/s, duration: 1min}
service:
  llm: deepseek-v3
  gpu: h200
  expert_parallel: 16
  slos: [{metric: tpot, quantile: 0.95, limit: 60ms}]
fabric: {transfers: {kind: model, steps: 2}}
orders: {paths: 10}
money: {draws: 100}
sensitivity: {enabled: false}
"""


def test_experts_on_two_servers_cross_the_fabric_in_every_step():
    chain = study(validate(Scenario, parse_yaml(MOE, "moe")), Options(folder=Path())).chain
    figures = chain.settled.network.windows[-1].figures
    layers = 58
    # 22 us of kernel a collective, two a layer, and the wires on top; DeepEP on 16 GPUs: 118 + 195 us at 128 tokens
    assert layers * 2 * 20 < figures["step P50"].value < layers * 313
    assert chain.settled.hardware.gpus == 16
    assert chain.service.quantiles["network", 0.5].value > 0


def test_kv_caches_cross_the_fabric_between_prefill_and_decode(small_scenario):
    changes = ["service.kv_transfer=true", "fabric.transfers={kind: model}", "service.slos.0.limit=2s"]
    chain = study(small_scenario(changes), Options(folder=Path())).chain
    figures = chain.settled.network.windows[-1].figures
    # 1,020 tokens x 327,680 B over eight 400G ports take 836 us at the median prompt
    assert figures["request P50"].value > 600
    assert chain.service.quantiles["network", 0.5].value * 1e6 > 600


def test_every_seed_must_have_requests(small_scenario):
    changes = ["requests.duration=4s", "requests.rate=0.5/s", "requests.burst=null", "seed=4", "seeds=2"]
    scenario = small_scenario(changes)
    with pytest.raises(InputError, match="no requests"):
        load_requests(scenario, Path(), (4, 5))


def test_a_trace_is_one_table_and_its_random_copies_are_not(small_scenario, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"2023-11-16 18:{15 + n // 60:02d}:{n % 60:02d}.0000000,{300 + n},40" for n in range(200)]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]) + "\n")
    once = load_requests(small_scenario([f'requests={{kind: trace, path: "{path}"}}']), Path(), (1, 2))
    assert once.is_one_table and once.busiest[0] is once.busiest[1]
    assert len(once.tables[0]) == 200
    mixed = load_requests(small_scenario([f'requests={{kind: trace, path: "{path}", copies: 3}}']), Path(), (1, 2))
    assert [len(table) for table in mixed.tables] == [600, 600]
    assert not mixed.is_one_table
    np.testing.assert_array_equal(np.sort(mixed.tables[0].input_tokens), np.sort(mixed.tables[1].input_tokens))


def test_relative_traces_start_at_the_scenarios_folder(small_scenario, tmp_path):
    (tmp_path / "t.csv").write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2023-11-16 18:15:00.0000000,100,10\n2023-11-16 18:15:09.0000000,200,20\n"
    )
    found = load_requests(small_scenario(["requests={kind: trace, path: t.csv}"]), tmp_path, (1,))
    assert found.tables[0].input_tokens.tolist() == [100, 200]
