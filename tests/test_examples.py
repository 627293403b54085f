"""Every command that the documentation shows is run, and every example scenario is used.

A page's ```console blocks hold lines that start with `$ roce `. They run in order, in one folder that holds the
examples and the files the pages speak of. `# exit status 3` at the end of a line says what to expect; without it, 0.
Studies run on one seed, without sensitivity, in this process.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from metaroce.apps.cli.main import call

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs/how-to").glob("*.md")))
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
#: what a reader is taken to have
HIS_FILES = {"scenario.yaml": "tight-budget.yaml", "requests.csv": "requests.csv"}
SMALL = ("--quick", "--quiet", "--seeds", "1", "--workers", "1")
SHORT = ("--set", "requests.duration=1min")  # presets pull a lever of each claim, each a run of the chain
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.S | re.M)
_COMMAND = re.compile(r"^\$ roce (.*?)(?:\s+# exit status (\d+))?$", re.M)


def commands(page: Path) -> list[tuple[str, int]]:
    """(arguments, exit status) of every command of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        (arguments, int(status or 0)) for block in _BLOCK.findall(text) for arguments, status in _COMMAND.findall(block)
    ]


def small(arguments: list[str]) -> list[str]:
    """The same command with little work."""
    if arguments[:1] != ["study"]:
        return arguments
    return ["study", *SMALL, *(SHORT if "--preset" in arguments else ()), *arguments[1:]]


@pytest.fixture
def reader(tmp_path, monkeypatch) -> Path:
    """The reader's folder."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, source in HIS_FILES.items():
        shutil.copy(ROOT / "examples" / source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_of_a_page_do_what_it_says(page, reader, capsys):
    for arguments, status in commands(page):
        got = call(small(shlex.split(arguments)))
        said = capsys.readouterr()
        assert got == status, f"roce {arguments}\n{said.out[-2000:]}{said.err[-2000:]}"


@pytest.mark.parametrize("name", [path.name for path in EXAMPLES])
def test_examples_are_sound_and_shown(name, reader):
    assert call(["scenario", "check", f"examples/{name}"]) == 0
    shown = [arguments for page in PAGES for arguments, _ in commands(page)]
    assert any(f"examples/{name}" in one for one in shown)


def test_examples_are_small():
    assert len((ROOT / "examples/requests.csv").read_text().splitlines()) < 50


def test_every_page_has_commands():
    assert all(commands(page) for page in PAGES)


@pytest.mark.slow
def test_the_sample_of_the_readme_is_real(tmp_path, monkeypatch, capsys):
    """Every line that the README shows below `$ roce study` is a line of its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (sample,) = (
        one for one in _BLOCK.findall((ROOT / "README.md").read_text("utf-8")) if one.startswith("$ roce study\n")
    )
    assert call(["study", "--quiet"]) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert not [line for line in sample.splitlines()[1:] if line not in ("...", "") and line not in printed]
