"""The command shows both numbers and their difference, and says so when a table is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaroce.apps.cli.main import call


def test_published_points_are_shown_with_their_difference(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["checks", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["published_points"]
    assert len(points) >= 9
    for point in points:
        assert point["difference"] == pytest.approx(point["ours"] / point["claimed"] - 1)
        assert abs(point["difference"]) < 0.25  # a model that drifts further away is a finding, not a tolerance


def test_measured_collectives_beside_ours(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["checks", str(shared / "data" / "traces" / "collectives"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["collectives"]
    assert {row["operation"] for row in rows} >= {"all-reduce"}
    assert all(row["measured_us"] > 0 and row["ours_us"] > 0 for row in rows)


def test_a_folder_without_tables_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["checks", str(tmp_path)]) == 0
    assert "warning" in capsys.readouterr().out
