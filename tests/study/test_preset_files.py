"""Presets are found as package data, and a wrong name is answered with the right one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from metaroce.kit.errors import InputError
from metaroce.model.reading import validate
from metaroce.model.scenario import Scenario
from metaroce.study.preset_files import preset_document, preset_names


def test_names_are_sorted_and_there():
    assert preset_names() == tuple(sorted(preset_names()))
    assert {"enterprise-rollout", "jitter-storm", "sla-tightening"} <= set(preset_names())


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_a_scenario_with_its_own_name(name):
    document = preset_document(name)
    assert validate(Scenario, document).name == name
    assert document.where(["name"]).startswith(f"preset {name}:")


@pytest.mark.parametrize(("wrong", "hint"), [("jiter-storm", "did you mean jitter-storm?"), ("zzz", "there are ")])
def test_a_wrong_name_is_answered(wrong, hint):
    with pytest.raises(InputError) as caught:
        preset_document(wrong)
    assert hint in str(caught.value)


def test_listing_presets_loads_no_numpy():
    code = "import sys, metaroce.study.preset_files as p; p.preset_names(); print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
