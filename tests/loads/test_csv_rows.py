"""Csv lines: the kernel and the plain reader agree on everything, and faults are named."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.jit import plain
from metaroce.loads import _scan
from metaroce.loads.csv_rows import CsvLines, date_ns, header_columns, times_are_dates
from metaroce.loads.layout import Layout
from metaroce.loads.rows import FaultyLineError, Tally

NUMBERS = CsvLines(("t", "i", "o"), Layout("t", "i", "o"))
DATES = CsvLines(("t", "i", "o"), Layout("t", "i", "o"), dates=True)
BURSTY = CsvLines(("x", "o", "t", "i"), Layout("t", "i", "o", unit="ms", failed_when_silent=True), delimiter=";")

CELLS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 10**9, places=4).map(str),
    st.sampled_from(["", " 12 ", "12.0", "12.50", "-3", "+3", "0", "NaN", "inf", "1e3", "abc", '"7"', '"', ".5", "5."]),
    st.sampled_from([".", "0.0", "2147483647", "2147483648", "9" * 20, "1.00000000000001", "\x0c", "1_0", "é"]),
)  # fmt: skip
MOMENTS = st.one_of(
    st.datetimes(datetime(1960, 1, 1), datetime(2300, 1, 1)).map(str),
    st.datetimes(datetime(1970, 1, 1), datetime(2261, 1, 1)).map(lambda d: d.isoformat() + "Z"),
    st.datetimes(datetime(1970, 1, 2), datetime(2261, 1, 1)).map(lambda d: f"{d}+02:00"),
    st.sampled_from(
        ["2023-11-16 18:15:46.6805900", "2023-02-29 00:00:00", "2024-02-29T00:00:00", "2023-11-16", "18:15", "12"]
    ),
)


def both(reader: CsvLines, text: str):
    block = text.encode("utf-8", "surrogatepass")
    told = [Tally("f"), Tally("f")]
    read = [reader.read_plainly(block, 2, told[0]), reader.read_fast(block, 2, told[1])]
    return read, told


def lines_of(cells, fields):
    row = st.one_of(st.tuples(*[cells] * fields), st.lists(cells, max_size=fields + 1))
    return st.lists(row, max_size=12)


@given(lines_of(CELLS, 3), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_kernel_and_plain_reader_agree_on_numbers(rows, end, closed):
    text = end.join(",".join(row) for row in rows) + (end if closed else "")
    read, told = both(NUMBERS, text)
    for first, second in zip(*read, strict=True):
        assert first.tolist() == second.tolist()
    assert told[0] == told[1]


@given(st.lists(st.tuples(MOMENTS, CELLS, CELLS), max_size=8))
def test_kernel_and_plain_reader_agree_on_dates(rows):
    read, told = both(DATES, "\n".join(",".join(row) for row in rows))
    for first, second in zip(*read, strict=True):
        assert first.tolist() == second.tolist()
    assert told[0] == told[1]


@given(lines_of(CELLS, 4))
def test_they_agree_in_other_columns_units_and_with_failed_requests(rows):
    read, told = both(BURSTY, "\n".join(";".join(row) for row in rows))
    for first, second in zip(*read, strict=True):
        assert first.tolist() == second.tolist()
    assert told[0] == told[1]


@given(st.binary(max_size=200))
def test_they_agree_on_garbage(block):
    told = [Tally("f"), Tally("f")]
    read = [NUMBERS.read_plainly(block, 2, told[0]), NUMBERS.read_fast(block, 2, told[1])]
    for first, second in zip(*read, strict=True):
        assert first.tolist() == second.tolist()
    assert told[0] == told[1]


def test_compiled_and_uncompiled_kernel_agree():
    block = b"1.5,2,3\n\n2023-11-16 18:15:46.68,4,5\nx,1,1\n7,8.0,9\n1,2\n3.25,1,1"
    text = np.frombuffer(block, np.uint8)
    results = []
    for scan in (_scan.scan_lines, plain(_scan.scan_lines)):
        out = [
            np.zeros(8, np.int64),
            np.zeros(8, np.int32),
            np.zeros(8, np.int32),
            np.zeros(8, np.uint8),
            np.zeros(9, np.int64),
        ]
        count = scan(text, 44, np.array([0, 1, 2, 3]), _scan.NUMBER, 9, *out)
        results.append([count, *(column.tolist() for column in out)])
    assert results[0] == results[1]
    assert results[0][0] == 7
    assert results[0][4][:7] == [_scan.GOOD, _scan.BLANK, _scan.ODD, _scan.ODD, _scan.GOOD, _scan.ODD, _scan.GOOD]


@given(st.datetimes(datetime(1970, 1, 1), datetime(2261, 12, 31)))
def test_dates_become_nanoseconds(moment):
    exact = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    value = date_ns(str(moment), "t")
    assert abs(value / 1e9 - exact) < 1e-5
    text = np.frombuffer(str(moment).encode(), np.uint8)
    assert plain(_scan.read_date)(text, 0, len(text)) == value


def test_all_seven_decimals_count():
    assert date_ns("2023-11-16 18:15:46.6805907", "t") % 10**9 == 680_590_700
    assert date_ns("2023-11-16 20:15:46.5+02:00", "t") == date_ns("2023-11-16T18:15:46.5Z", "t")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"1,2", "2 fields, but the header names 3"),
        (b"1,2,3,4", "4 fields"),
        (b"1,x,3", "i: 'x' is no number"),
        (b"1,nan,3", "no finite number"),
        (b"-1,2,3", "t: negative time"),
        (b"1,-2,3", "i: negative tokens"),
        (b"1,2,0", "o: zero tokens"),
        (b"1,2.5,3", "no whole number"),
        (b"1,2,3000000000", "more than 2^31 - 1"),
        (b"1700000000000,2,3", "timestamp_ms"),
        (b"1e99999999,2,3", "out of range"),
        (b"1,2,\xff\xfe", "is no number"),
    ],
)
def test_faults_are_named(line, said):
    with pytest.raises(FaultyLineError) as caught:
        NUMBERS.line_row(line)
    assert said in str(caught.value)


def test_headers_tell_their_delimiter():
    assert header_columns(b"a, b ,c\r\n") == (("a", "b", "c"), ",")
    assert header_columns(b"a;b") == (("a", "b"), ";")
    assert header_columns(b'"Request tokens"\t"x"') == (("Request tokens", "x"), "\t")


def test_one_strange_line_does_not_decide_what_a_time_is():
    rows = [b"2023-01-01 00:00:00,1,1", b"17,1,1", b"2023-01-01 00:00:01,1,1", b"short"]
    assert times_are_dates(rows, ("t", "i", "o"), "t", ",")
    assert not times_are_dates(rows[1:2], ("t", "i", "o"), "t", ",")
