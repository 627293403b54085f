"""Imports go down only, and every room stands on a floor."""

from __future__ import annotations

import ast

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_imports_go_down_only(root, monkeypatch, capsys):
    monkeypatch.chdir(root)
    status = lint_imports(config_filename=str(root / "pyproject.toml"), no_cache=True)
    if status != EXIT_STATUS_SUCCESS:
        pytest.fail(capsys.readouterr().out)


def test_every_room_stands_on_a_floor(root, project):
    (contract,) = project["tool"]["importlinter"]["contracts"]
    floors = {room.strip() for floor in contract["layers"] for room in floor.split("|")}
    rooms = {path.parent.name for path in (root / "src/metaroce").glob("*/__init__.py")}
    assert rooms == floors


def test_imports_are_written_from_the_top(modules):
    """`from . import x` hides from the reader which floor it comes from."""
    relative = [
        f"{path}:{node.lineno}"
        for path, tree in modules.items()
        for node in ast.walk(tree)
        if path.startswith("src/") and isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not relative
