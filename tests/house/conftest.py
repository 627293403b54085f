"""The project's files, read once for all house rules."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    """Folder of the project."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def project(root: Path) -> dict[str, Any]:
    """`pyproject.toml`."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def modules(root: Path) -> dict[str, ast.Module]:
    """Syntax tree of every Python file, by its path from the root."""
    files = [path for top in ("src", "tests", "benchmarks", "examples") for path in sorted((root / top).rglob("*.py"))]
    return {path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in files}
