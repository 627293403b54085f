"""Flow tables are checked, sorted, and read from CSV without ever raising."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.loads.flows import join_flows, make_flows, read_flows_csv, shift_flows

ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(10, 19), st.integers(1, 2**40), st.integers(0, 2**50)), max_size=30
)


def table(rows):
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return make_flows(*columns)


@given(ROWS)
def test_flows_are_sorted_and_none_is_lost(rows):
    flows = table(rows)
    assert len(flows) == len(rows)
    assert (np.diff(flows.start_ps) >= 0).all()
    got = sorted(zip(*(c.tolist() for c in (flows.src, flows.dst, flows.size, flows.start_ps)), strict=True))
    assert got == sorted(rows)
    assert flows.total_bytes == sum(row[2] for row in rows)


@given(ROWS, ROWS)
def test_joining_keeps_all_in_order(first, second):
    both = join_flows([table(first), table(second)])
    assert len(both) == len(first) + len(second)
    assert (np.diff(both.start_ps) >= 0).all()


@given(ROWS)
def test_csv_round_trip(rows):
    rows = [(s, d, size, start % 2**40) for s, d, size, start in rows]
    text = "src,dst,size_bytes,start_ns\n" + "".join(f"{s},{d},{size},{start}\n" for s, d, size, start in rows)
    flows, problems = read_flows_csv(text)
    assert not problems
    want = sorted((s, d, size, start * 1000) for s, d, size, start in rows)
    assert sorted(zip(*(c.tolist() for c in (flows.src, flows.dst, flows.size, flows.start_ps)), strict=True)) == want


@given(st.text(max_size=200))
def test_garbage_is_reported_not_raised(text):
    flows, problems = read_flows_csv(text)
    assert len(flows) == 0
    assert problems
    assert len(read_flows_csv("src,dst,size_bytes,start_ns\n" + text)[0]) >= 0


def test_types_and_defaults():
    flows = make_flows([0, 1], [1, 2], 1000)
    kinds = [flows.src, flows.size, flows.start_ps, flows.sport, flows.priority, flows.group, flows.traffic_class]
    assert [c.dtype.name for c in kinds] == ["int32", "int64", "int64", "int32", "int8", "int32", "int8"]
    assert flows.priority.tolist() == [3, 3] and flows.group.tolist() == [-1, -1]
    assert flows.sport.tolist() == [49_152, 49_153]


def test_rows_can_be_taken_and_shifted():
    flows = make_flows([0, 1, 2], [3, 3, 3], [1, 2, 3], [30, 20, 10])
    assert flows.take(flows.size > 1).src.tolist() == [2, 1]
    assert shift_flows(flows, -10).start_ps.tolist() == [0, 10, 20]
    with pytest.raises(InputError, match="start at -1"):
        shift_flows(flows, -11)
    assert len(join_flows([])) == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"src": -1}, "negative endpoint"), ({"dst": 0}, "same source"), ({"size": 0}, "below 1 byte"),
        ({"start_ps": -1}, "negative start"), ({"sport": 70_000}, "source port"), ({"priority": 8}, "priority"),
        ({"traffic_class": 200}, "traffic class"),
    ],
)  # fmt: skip
def test_impossible_flows_are_refused(change, says):
    with pytest.raises(InputError, match=says):
        make_flows(**{"src": [0], "dst": 1, "size": 1, **change})


def test_bad_lines_are_named():
    text = "src,dst,size_bytes,start_ns\n0,1,5,0\n0,0,5,0\n1,2,x,0\n1,2\n\n2,1,9,1\n"
    flows, problems = read_flows_csv(text, "f.csv")
    assert len(flows) == 2
    assert [p.where for p in problems] == ["f.csv:3", "f.csv:4", "f.csv:5"]


@pytest.mark.parametrize(("file", "rows"), [("w1", 15), ("w2", 128), ("w3s", 937)])
def test_reference_flow_lists(shared, file, rows):
    flows, problems = read_flows_csv((shared / f"peers/sim/inputs/flows_{file}.csv").read_text())
    assert not problems and len(flows) == rows
