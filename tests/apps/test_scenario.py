"""`roce scenario init` and `roce scenario check`."""

from __future__ import annotations

import json

import pytest

from metaroce.model.reading import read_yaml, validate
from metaroce.model.scenario import Scenario
from metaroce.study.preset_files import preset_document, preset_names


def test_init_writes_what_check_accepts(roce, tmp_path):
    file = tmp_path / "my.yaml"
    written = roce("scenario", "init", file)
    assert (written.status, written.out) == (0, "")
    assert f"roce scenario check {file}" in written.err
    assert validate(Scenario, read_yaml(file)) == Scenario()
    checked = roce("scenario", "check", file)
    assert checked.status == 0
    assert checked.out.startswith("valid: office-assistant\n")


@pytest.mark.parametrize("name", preset_names())
def test_init_from_a_preset(roce, tmp_path, name):
    file = tmp_path / "my.yaml"
    assert roce("scenario", "init", file, "--preset", name, "--set", "seeds=9").status == 0
    preset = validate(Scenario, preset_document(name))
    assert validate(Scenario, read_yaml(file)) == preset.model_copy(update={"seeds": 9})


def test_init_to_stdout_is_only_the_scenario(roce):
    said = roce("scenario", "init")
    assert said.err == ""
    assert said.out.startswith("# A scenario of MetaRoCE")


def test_init_does_not_overwrite_unless_told(roce, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text("mine")
    said = roce("scenario", "init", file)
    assert said.status == 2
    assert "--force" in said.err
    assert file.read_text() == "mine"
    assert roce("scenario", "init", file, "--force").status == 0
    assert validate(Scenario, read_yaml(file)) == Scenario()


def test_check_names_the_line_and_the_right_word(roce, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text("seeds: 5\nfabric:\n  ecn:\n    kmim: 400KB\n")
    said = roce("scenario", "check", file)
    assert said.status == 2
    assert f"--> {file}:4  kmim: 400KB" in said.err
    assert "did you mean 'kmin'?" in said.err


def test_check_reads_standard_input(roce, monkeypatch):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("name: piped\n"))
    assert roce("scenario", "check", "-").out.startswith("valid: piped")


def test_check_as_json_is_the_scenario_in_full(roce):
    said = roce("scenario", "check", "--json", "--set", "fabric.ecn.kmin=100KB")
    data = json.loads(said.out)
    assert data["fabric"]["ecn"]["kmin"] == "100KB"
    assert validate(Scenario, read_document(data)).fabric.ecn.kmin == 100_000


def read_document(data):
    from metaroce.model.reading import Document

    return Document(data, "json")
