"""What is written is read back, to the nanosecond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.loads.read import read_requests
from metaroce.loads.requests import make_requests
from metaroce.loads.write import csv_text

ROW = st.tuples(st.integers(0, 2**62), st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("write")


@given(st.lists(ROW, min_size=1, max_size=20))
def test_round_trip(folder, rows):
    columns = np.array(rows, np.int64).T
    table = make_requests(columns[0] - columns[0].min(), columns[1], columns[2])
    path = folder / "out.csv"
    path.write_text("".join(csv_text(table)))
    again, problems = read_requests(path, strict=True)
    assert problems == []
    for name in ("arrival_ns", "input_tokens", "output_tokens"):
        assert getattr(again, name).tolist() == getattr(table, name).tolist()


def test_an_empty_table_is_a_header():
    assert list(csv_text(make_requests(np.empty(0, np.int64), 1, 1))) == ["timestamp,input_tokens,output_tokens\n"]
