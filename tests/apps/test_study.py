"""`roce study` as people call it: statuses, formats, what-if, traces with faults, interruption."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metaroce.apps.cli.main import call

SMALL = """
name: small
seeds: 2
requests: {kind: generator, rate: 4/s, duration: 2min, burst: {share: 60 %, window: 20s, peak: null}}
service:
  llm: llama-3.1-70b
  tensor_parallel: 8
  slos: [{metric: ttft, quantile: 0.95, limit: 600ms}]
capacity: {window: 2min}
orders: {paths: 10}
money: {draws: 100}
"""
FAST = ["--quick", "--quiet", "--workers", "1"]


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return str(path)


def trace(path: Path, rows: int, bad: tuple[int, ...] = ()) -> str:
    """A trace of one request a second with unreadable lines after the given rows."""
    lines = ["TIMESTAMP,ContextTokens,GeneratedTokens"]
    for row in range(rows):
        lines.append(f"2023-11-16 18:{15 + row // 60:02d}:{row % 60:02d}.0000000,{300 + row},40")
        if row in bad:
            lines.append("2023-11-16 18:17:29.0000000,abc,9")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_text_json_and_page_tell_the_same(scenario, tmp_path, capsys):
    page, numbers = tmp_path / "report.html", tmp_path / "report.json"
    assert call(["study", scenario, *FAST, "--out", str(page)]) == 0
    text = capsys.readouterr().out
    assert call(["study", scenario, *FAST, "--json", "--out", str(numbers)]) == 0
    printed = capsys.readouterr().out
    assert printed == numbers.read_text()
    gpus = json.loads(printed)["capacity"]["gpus"]["value"]
    assert f"{gpus:g} GPUs" in text
    html = page.read_text()
    assert not re.findall(r'(?:src|href)="https?:', html)
    assert f"{gpus:g} GPUs" in html


def test_what_if_shows_before_and_after(scenario, capsys):
    assert call(["study", scenario, *FAST, "--set", "service.step_overhead=6ms"]) == 0
    out = capsys.readouterr().out
    assert "before | after | change" in out
    assert "service.step_overhead" in out


def test_two_scenarios_side_by_side(scenario, tmp_path, capsys):
    other = tmp_path / "other.yaml"
    other.write_text(SMALL.replace("rate: 4/s", "rate: 8/s"))
    assert call(["study", "--compare", scenario, str(other), *FAST, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert ["requests.rate", "4.0", "8.0"] in data["inputs"]
    gpus = next(row for row in data["links"] if row["name"] == "GPUs needed")
    assert gpus["after"] > gpus["before"]


@pytest.mark.parametrize(
    ("extra", "status", "part"),
    [
        (["--set", "service.slos.0.limit=5ms"], 3, "the floor is"),
        (["--budget", "1000"], 3, "too few for one replica"),
        (["--max-lead-time", "0"], 3, "0 weeks after the order"),
        (["--set", "requests.rate=-3/s"], 2, "--set requests.rate=-3/s"),
        (["--set", "fabric.topology.servers=0"], 2, "fabric.topology"),
        (["--set", "requests.rate=.nan"], 2, "not a finite"),
        (["--set", "service.slo=1"], 2, "did you mean 'slos'"),
        (["--trace", "nowhere.csv"], 2, "no such file"),
        (["--out", "no/such/folder/r.html"], 2, "the folder does not exist"),
    ],
)
def test_statuses(scenario, capsys, extra, status, part):
    assert call(["study", scenario, *FAST, *extra]) == status
    said = capsys.readouterr()
    assert part in said.out + said.err
    assert "Traceback" not in said.err


def test_a_bad_line_in_the_middle_is_named_and_skipped(scenario, tmp_path, capsys):
    path = trace(tmp_path / "t.csv", 300, bad=(150,))
    assert call(["study", scenario, *FAST, "--trace", path]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "warning: ContextTokens: 'abc' is no number" in out
    assert "t.csv:153" in out.replace(" ", "")
    assert call(["study", scenario, *FAST, "--trace", path, "--json"]) == 0
    said = capsys.readouterr()
    assert "t.csv:153" in said.err
    assert json.loads(said.out)["requests"]["problems"]
    assert call(["study", scenario, *FAST, "--trace", path, "--strict"]) == 2
    many = trace(tmp_path / "many.csv", 300, bad=tuple(range(0, 300, 20)))
    assert call(["study", scenario, *FAST, "--trace", many]) == 2


def test_ctrl_c_ends_with_a_word(scenario, tmp_path):
    command = [sys.executable, "-m", "metaroce.apps.cli", "study", scenario, "--workers", "1", "--seeds", "100"]
    log = tmp_path / "stderr.txt"
    with log.open("w") as stderr:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
        while "requests" not in log.read_text() and child.poll() is None:  # it is at work from here on
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=120) == 130
    said = log.read_text()
    assert "interrupted" in said
    assert "Traceback" not in said
