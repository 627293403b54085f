"""What is imported is declared, and what is declared is imported."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from importlib.metadata import packages_distributions

_OURS = {"metaroce", "benchmarks", "tests"}


def test_what_the_package_imports_is_declared(project, modules):
    declared = _names(project["project"]["dependencies"])
    undeclared = {
        name: places for name, places in _imported(modules, "src/").items() if not _distributions(name) & declared
    }
    assert not undeclared


def test_what_is_declared_is_imported(project, modules):
    used = {one for name in _imported(modules, "src/") for one in _distributions(name)}
    assert _names(project["project"]["dependencies"]) - used == set()


def test_what_the_tests_import_is_declared(project, modules):
    declared = _names([*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["test"]])
    imported = _imported(modules, "tests/")
    assert not {name: places for name, places in imported.items() if not _distributions(name) & declared}


def test_every_dependency_has_both_ends_of_its_range(project):
    extras = project["project"]["optional-dependencies"]
    asked = [*project["project"]["dependencies"], *extras["test"], *extras["lint"]]
    assert not [one for one in asked if not re.search(r">=[\d.]+,<\d", one)]


def _imported(modules: dict[str, ast.Module], start: str) -> dict[str, list[str]]:
    """Top-level names of third-party imports -> the files that have them."""
    found: dict[str, list[str]] = {}
    for path, tree in modules.items():
        if path.startswith(start):
            names = {name.partition(".")[0] for node in ast.walk(tree) for name in _modules_of(node)}
            for name in names - _OURS - set(sys.stdlib_module_names):
                found.setdefault(name, []).append(path)
    return found


def _modules_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


def _distributions(name: str) -> set[str]:
    """Normalised names of the installed distributions that bring a top-level module; itself when none is installed."""
    return {_normal(one) for one in packages_distributions().get(name, [name])}


def _names(requirements: Iterable[str]) -> set[str]:
    return {_normal(re.split(r"[^A-Za-z0-9._-]", one, maxsplit=1)[0]) for one in requirements}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
