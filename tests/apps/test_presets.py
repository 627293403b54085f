"""`roce presets`."""

from __future__ import annotations

import json

from metaroce.study.preset_files import preset_document, preset_names


def test_every_preset_is_listed_with_its_description(roce):
    said = roce("presets")
    assert said.status == 0
    flat = " ".join(said.out.split())
    for name in preset_names():
        assert f"{name} {preset_document(name).data['description']}" in flat
    assert max(len(line) for line in said.out.splitlines()) <= 110


def test_as_json(roce):
    rows = json.loads(roce("presets", "--json").out)
    assert [row["name"] for row in rows] == list(preset_names())
    assert all(row["description"] for row in rows)
