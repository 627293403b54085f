"""The reference pages say what the code says. To accept a change: `python docs/reference/make.py`."""

from __future__ import annotations

import importlib.util

import pytest

NAMES = ("scenario.md", "commands.md", "catalog.md", "laws.md", "formulas.md")


@pytest.fixture(scope="module")
def folder(root):
    return root / "docs/reference"


@pytest.fixture(scope="module")
def made(folder):
    spec = importlib.util.spec_from_file_location("reference", folder / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_what_the_code_gives(folder, made, name):
    committed = (folder / name).read_text(encoding="utf-8")
    if committed != made[name]:
        pytest.fail(f"docs/reference/{name} is old: run `python docs/reference/make.py` and look at the difference")


def test_every_page_is_made_and_every_made_page_is_known(folder, made):
    assert set(made) == set(NAMES) == {path.name for path in folder.glob("*.md")}


def test_every_field_of_a_scenario_is_explained(made):
    """A field without a docstring has an empty last cell. `kind` and what it chooses explain each other."""
    fields = [line for line in made["scenario.md"].splitlines() if line.startswith("| `")]
    assert len(fields) > 200
    assert not [line for line in fields if line.endswith("|  |") and not line.startswith("| `kind`")]
