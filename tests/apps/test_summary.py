"""The summary tells what a scenario says; unknown names and absent traces are found before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.apps.cli.inputs import read_scenario
from metaroce.apps.cli.summary import check_names, summary
from metaroce.kit.errors import ScenarioError


@pytest.mark.parametrize("setting", [
    "service.gpu=h101", "service.llm=lama", "fabric.topology.nic=connectx77", "fabric.topology.switch=tomahawk",
    "fabric.topology.spine_switch=tomahawk", "bill.rack.kind=shed", "service.tensor_parallel=16",
    "requests={kind: trace, path: absent.csv}", "requests.input_tokens={kind: empirical, path: absent.csv}",
])  # fmt: skip
def test_names_that_lead_nowhere_are_found(setting):
    scenario, _ = read_scenario(None, None, [setting])
    with pytest.raises(ScenarioError) as caught:
        check_names(scenario, Path())
    field = str(caught.value.where)
    assert setting.partition("=")[0].startswith(field) or field.startswith(setting.partition("=")[0])
    assert caught.value.hint


def test_a_trace_beside_the_scenario_is_found(tmp_path):
    (tmp_path / "trace.csv").write_text("x")
    scenario, _ = read_scenario(None, None, ["requests={kind: trace, path: trace.csv}"])
    check_names(scenario, tmp_path)
    assert "trace trace.csv" in summary(scenario)


def test_the_summary_says_what_was_set():
    scenario, _ = read_scenario(None, None, ["service.gpu=h200", "requests.rate=7/s", "fabric.ecn.enabled=false"])
    text = summary(scenario)
    for words in ("H200", "7/s for 10 min", "no ECN", "P95 ttft <= 300 ms", "foundry (10 weeks)"):
        assert words in text


def test_the_model_s_own_transfers():
    scenario, _ = read_scenario(None, None, ["fabric.transfers={kind: model}"])
    assert "from the model" in summary(scenario)
