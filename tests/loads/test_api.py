"""From a scenario's noun to its table: generated, or cut and copied from a trace."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.kit.units import NS_PER_S
from metaroce.loads.api import read_traces, requests_of
from metaroce.loads.generate import generate
from metaroce.model.requests import EmpiricalTokens, GeneratedRequests, TraceRequests


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{second},{second + 1},5\n" for second in range(200))
    (tmp_path / "trace.csv").write_text("t,i,o\n" + rows + "bad,1,1\n")
    return tmp_path


def table_of(spec, seed, folder=None):
    traces, problems = read_traces(spec, folder=folder)
    return requests_of(spec, seed, traces), problems


def test_a_generator_is_drawn():
    spec = GeneratedRequests(rate=20, duration="1min")
    table, problems = table_of(spec, 3)
    assert problems == []
    assert table.arrival_ns.tobytes() == generate(spec, 3).arrival_ns.tobytes()


def test_empirical_lengths_come_from_the_scenarios_folder_with_their_problems(folder):
    law = EmpiricalTokens(path="trace.csv")
    spec = GeneratedRequests(rate=20, duration="1min", input_tokens=law, output_tokens=law)
    table, problems = table_of(spec, 3, folder)
    assert set(table.output_tokens.tolist()) == {5}
    assert [problem.what for problem in problems][-1] == "1 of 201 lines left out"


def test_a_trace_is_cut_in_time_then_in_number_then_copied(folder):
    spec = TraceRequests(path="trace.csv", skip="10s", window="50s", first=30, copies=2, phase="locked")
    table, problems = table_of(spec, 1, folder)
    assert len(problems) == 2
    assert table.input_tokens.tolist() == np.repeat(np.arange(11, 41), 2).tolist()
    assert table.duration_ns == 29 * NS_PER_S
    assert len(table_of(TraceRequests(path="trace.csv", skip="150s"), 1, folder)[0]) == 50


def test_a_trace_without_copies_is_one_table_for_all_seeds(folder):
    spec = TraceRequests(path="trace.csv")
    traces, _ = read_traces(spec, folder=folder)
    assert requests_of(spec, 1, traces) is requests_of(spec, 2, traces)
    assert len(requests_of(spec, 1, traces)) == 200


def test_a_cut_beyond_the_end_is_an_error(folder):
    with pytest.raises(InputError) as caught:
        read_traces(TraceRequests(path="trace.csv", skip="1h"), folder=folder)
    assert "no request between 60 min" in caught.value.what
    assert "3.317 min" in (caught.value.hint or "")
    with pytest.raises(InputError):
        read_traces(TraceRequests(path="other.csv"), folder=folder)
    with pytest.raises(InputError):
        read_traces(TraceRequests(path="trace.csv"), folder=folder, strict=True)


def test_importing_the_api_loads_neither_numpy_nor_numba():
    code = "import sys, metaroce.loads.api; print([m for m in ('numpy', 'numba', 'polars') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
