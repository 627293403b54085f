"""FILE, --preset and --set become one scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.apps.cli.inputs import read_scenario
from metaroce.kit.errors import InputError, ScenarioError
from metaroce.model.scenario import Scenario


def test_nothing_given_is_the_default_scenario():
    assert read_scenario(None, None) == (Scenario(), Path())


def test_a_setting_changes_one_value_and_leaves_its_neighbours():
    scenario, _ = read_scenario(None, None, ["service.max_batch=64"])
    assert scenario == Scenario().model_copy(
        update={"service": Scenario().service.model_copy(update={"max_batch": 64})}
    )  # and not the service's own defaults


def test_the_folder_of_a_file_is_where_its_paths_start(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("seeds: 2\n")
    scenario, folder = read_scenario(file, None)
    assert (scenario.seeds, folder) == (2, tmp_path)


def test_a_preset_with_a_setting():
    scenario, folder = read_scenario(None, "jitter-storm", ["seeds=3"])
    assert (scenario.name, scenario.seeds, folder) == ("jitter-storm", 3, Path())


def test_file_and_preset_together_are_refused(tmp_path):
    with pytest.raises(InputError, match="a file and a preset"):
        read_scenario(tmp_path / "a.yaml", "jitter-storm")


def test_a_wrong_setting_is_named():
    with pytest.raises(ScenarioError) as caught:
        read_scenario(None, "jitter-storm", ["fabric.ecn.kmin=soft"])
    assert "--set fabric.ecn.kmin=soft" in str(caught.value)


def test_a_service_without_a_model_is_remarked(tmp_path):
    from metaroce.apps.cli.inputs import read_document, scenario_of, unnamed_model

    half, whole = tmp_path / "half.yaml", tmp_path / "whole.yaml"
    half.write_text("service: {gpu: h200}\n")
    whole.write_text("service: {gpu: h200, llm: llama-3.1-70b, tensor_parallel: 8}\n")
    half_read, whole_read = read_document(half, None), read_document(whole, None)
    assert "llama-3.1-8b is simulated" in unnamed_model(half_read, scenario_of(half_read))
    assert unnamed_model(whole_read, scenario_of(whole_read)) == ""
