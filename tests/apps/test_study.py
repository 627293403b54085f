"""`roce study` as people call it: statuses, formats, what-if, traces with faults, interruption."""

from __future__ import annotations

import io
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


def test_json_is_the_study_as_data(scenario, capsys):
    from metaroce.model.reading import read_yaml, set_value, validate
    from metaroce.model.scenario import Scenario
    from metaroce.report.as_json import plain
    from metaroce.study.api import Options, study
    from metaroce.study.as_data import as_data

    assert call(["study", scenario, *FAST, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    document = set_value(read_yaml(Path(scenario)), "sensitivity.enabled=false")
    wanted = plain(as_data(study(validate(Scenario, document), Options(folder=Path(scenario).parent))))
    for key in wanted:
        assert printed[key] == json.loads(json.dumps(wanted[key])), key
    assert set(printed) - set(wanted) <= {"schema_version", "title"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("requests: {kind: generator, rate: -4/s}\n", ("requests", ":2")),
        ("requests: {kind: generator, rate: .nan}\n", ("not a finite", ":2")),
        ("fabric:\n  topology: {kind: rail, servers: 0}\n", ("fabric.topology", ":3")),
        ("service:\n  llm: llama-3.1-8b\n  tensor_paralel: 1\n", ("did you mean 'tensor_parallel'", ":4")),
        ("service: {llm: lama-3.1-8b}\n", ("llama-3.1-8b",)),
        ("capacity: {max_replicas: 0}\n", ("capacity.max_replicas", ":2")),
    ],
)
def test_faults_in_a_file_are_told_with_their_line(tmp_path, capsys, text, parts):
    path = tmp_path / "wrong.yaml"
    path.write_text("name: wrong\n" + text)
    assert call(["study", str(path), *FAST]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    for part in parts:
        assert part in said.err
    assert "Traceback" not in said.err


def test_a_file_that_is_not_there_and_two_sources_of_one_scenario(scenario, capsys):
    assert call(["study", "nowhere.yaml", *FAST]) == 2
    assert "nowhere.yaml" in capsys.readouterr().err
    assert call(["study", scenario, "--preset", "jitter-storm", *FAST]) == 2
    assert "a file and a preset" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [["--budget", "nan"], ["--budget", "-1"], ["--max-lead-time", "-1"], ["--seeds", "0"], ["--workers", "0"]],
)
def test_options_out_of_range(scenario, capsys, options):
    assert call(["study", scenario, *FAST, *options]) == 2
    assert options[0] in capsys.readouterr().err


def test_one_bad_line_in_a_hundred_is_read_over_and_two_are_not(scenario, tmp_path, capsys):
    just = trace(tmp_path / "just.csv", 300, bad=(50, 150, 250))
    over = trace(tmp_path / "over.csv", 300, bad=(50, 100, 150, 200, 250))
    assert call(["study", scenario, *FAST, "--trace", just]) == 0
    assert call(["study", scenario, *FAST, "--trace", over]) == 2
    assert "over.csv" in capsys.readouterr().err


def test_nothing_is_written_when_the_input_is_wrong(scenario, tmp_path):
    out = tmp_path / "report.html"
    assert call(["study", scenario, *FAST, "--set", "seeds=0", "--out", str(out)]) == 2
    assert not out.exists()


def test_a_report_is_written_when_no_count_keeps_the_promises(scenario, tmp_path, capsys):
    out = tmp_path / "report.html"
    assert call(["study", scenario, *FAST, "--set", "service.slos.0.limit=5ms", "--out", str(out)]) == 3
    assert "the floor is" in out.read_text()
    assert "the floor is" in capsys.readouterr().out


def test_the_seed_option_moves_the_dice(scenario, capsys):
    outs = []
    for seed in ("1", "1", "2"):
        assert call(["study", scenario, *FAST, "--json", "--seed", seed]) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1] != outs[2]


def test_set_can_mend_a_scenario(tmp_path, capsys):
    path = tmp_path / "small.yaml"
    path.write_text(SMALL + "fabric: {topology: {kind: rail, servers: 1}}\n")
    assert call(["study", str(path), *FAST, "--set", "fabric.topology.servers=auto"]) == 0


def test_ctrl_c_during_the_questions_is_told_beside_json(scenario, capsys, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("metaroce.study.api.sensitivity", stop)
    assert call(["study", scenario, "--quiet", "--workers", "1", "--json"]) == 130
    said = capsys.readouterr()
    assert json.loads(said.out)["money"]
    assert "interrupted" in said.err


def test_standard_input_is_read_once_and_serves_both_runs_of_a_what_if(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(SMALL))
    assert call(["study", "-", *FAST, "--set", "service.max_batch=64"]) == 0
    assert "service.max_batch" in capsys.readouterr().out
