"""Json lines: exact times, named faults, no exception for any content."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.loads.jsonl_rows import JsonLines
from metaroce.loads.layout import Layout
from metaroce.loads.rows import FaultyLineError, Tally

SECONDS = JsonLines(Layout("timestamp", "input_length", "output_length"))
MILLIS = JsonLines(Layout("timestamp", "input_length", "output_length", unit="ms"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8), st.lists, max_leaves=5
)


def entry(time, asked=3, given_=4) -> bytes:
    return json.dumps({"timestamp": time, "input_length": asked, "output_length": given_, "hash_ids": [1, 2]}).encode()


@pytest.mark.parametrize(
    ("reader", "time", "ns"),
    [
        (MILLIS, 3000, 3_000_000_000),
        (SECONDS, 61.114, 61_114_000_000),
        (SECONDS, 0.1 + 0.2, 300_000_000),
        (SECONDS, "2023-11-16 00:00:00.5", 1_700_092_800_500_000_000),
        (SECONDS, 1_700_000_000, 1_700_000_000_000_000_000),
        (SECONDS, "17.5", 17_500_000_000),
    ],
)
def test_times_are_exact(reader, time, ns):
    assert reader.line_row(entry(time)) == (ns, 3, 4)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"timestamp": 1', "no JSON"),
        (b"[1, 2]", "no object"),
        (b'{"timestamp": 1, "input_length": 2}', "no output_length"),
        (entry(True), "bool is no number"),
        (entry(float("nan")), "no finite number"),
        (entry(-1), "negative time"),
        (entry(1, 0), "zero tokens"),
        (entry(1, 2.5), "no whole number"),
        (entry(1, None), "NoneType is no number"),
        (b'{"timestamp": "\xff"}', "no JSON"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_faults_are_named(line, said):
    with pytest.raises(FaultyLineError) as caught:
        SECONDS.line_row(line)
    assert said in str(caught.value)


@given(st.lists(st.tuples(JSON, JSON, JSON), max_size=5), st.binary(max_size=50))
def test_any_content_is_a_request_or_a_counted_fault(rows, tail):
    tally = Tally("f")
    block = b"\n".join(entry(*row) for row in rows) + b"\n" + tail
    arrival, inputs, outputs = SECONDS.read(block, 1, tally)
    assert len(arrival) == len(inputs) == len(outputs) == tally.lines - tally.bad
    assert all(fault.where.startswith("f:") for fault in tally.faults)
