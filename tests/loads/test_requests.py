"""The request table: what it holds, how it is cut, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.loads.requests import RequestTable, make_requests


def test_rows_are_sorted_with_ties_in_given_order():
    table = make_requests([5, 1, 5, 0], [10, 20, 30, 40], [1, 2, 3, 4], source="made")
    assert table.arrival_ns.tolist() == [0, 1, 5, 5]
    assert table.input_tokens.tolist() == [40, 20, 10, 30]
    assert table.output_tokens.tolist() == [4, 2, 1, 3]
    assert (table.arrival_ns.dtype, table.input_tokens.dtype, table.output_tokens.dtype) == (
        np.int64,
        np.int32,
        np.int32,
    )
    assert len(table) == 4
    assert table.duration_ns == 5


def test_single_counts_are_repeated():
    table = make_requests([0, 1, 2], 100, 7)
    assert table.input_tokens.tolist() == [100] * 3
    assert table.output_tokens.tolist() == [7] * 3


def test_rate_is_from_first_to_last_arrival():
    assert make_requests([10**9, 2 * 10**9, 3 * 10**9], 1, 1).rps == 1.5
    assert make_requests([7, 7], 1, 1).rps == 0
    assert make_requests(np.empty(0, np.int64), 1, 1).rps == 0


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (([-1], [1], [1]), "arrives at -1 ns"),
        (([0], [0], [1]), "fewer than 1"),
        (([0], [1], [2**31]), "more than 2^31 - 1"),
        (([0, 1], [1, 2, 3], [1, 2]), "unequal lengths"),
    ],
)
def test_impossible_columns_are_refused(columns, said):
    with pytest.raises(InputError) as caught:
        make_requests(*columns)
    assert said in caught.value.what


@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(0, 1000), st.integers(0, 1000))
def test_slices_partition_a_table(arrivals, first, second):
    table = make_requests(arrivals, 1, 1)
    low, high = sorted((first, second))
    parts = [table.slice(0, low), table.slice(low, high), table.slice(high, 2000)]
    assert sum(len(part) for part in parts) == len(table)
    back = np.concatenate([part.arrival_ns + start for part, start in zip(parts, (0, low, high), strict=True)])
    assert back.tolist() == table.arrival_ns.tolist()


def test_a_slice_starts_at_zero_or_later_and_may_be_empty():
    table = make_requests([0, 10], 1, 1)
    assert len(table.slice(5, 3)) == 0
    with pytest.raises(InputError):
        table.slice(-1, 3)


def test_first_keeps_the_beginning():
    assert make_requests([0, 10, 20], [1, 2, 3], 1).first(2).input_tokens.tolist() == [1, 2]


def test_an_empty_table_lasts_no_time():
    empty = RequestTable(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    assert empty.duration_ns == 0
    assert len(empty.first(3)) == 0
