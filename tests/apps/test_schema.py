"""`roce schema`."""

from __future__ import annotations

import json

from metaroce.model.scenario import Scenario


def test_the_schema_describes_every_field(roce):
    said = roce("schema")
    schema = json.loads(said.out)
    assert set(schema["properties"]) == set(Scenario.model_fields)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["seeds"]["description"].startswith("How many seeds")


def test_to_a_file(roce, tmp_path):
    file = tmp_path / "scenario.schema.json"
    assert roce("schema", file).out == ""
    assert json.loads(file.read_text()) == json.loads(roce("schema").out)
