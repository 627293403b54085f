"""Numbers and marked text read as people expect."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.report.cells import flush_right, marked, paragraphs, shown, significant
from metaroce.report.document import Column, table


@pytest.mark.parametrize(("cell", "text"), [
    (None, "–"), (True, "yes"), (False, "no"), (1234567, "1,234,567"), (-5, "-5"), ("a", "a"), ("", ""),
    (0.0, "0"), (0.5, "0.5"), (287.25, "287.2"), (1250.75, "1,251"), (99999.6, "100,000"), (0.00012345, "0.0001234"),
    (1.5e-9, "1.500e-09"), (2e20, "2.000e20"), (math.nan, "–"), (-0.25, "-0.25"), (9.9999, "10"),
    (math.inf, "infinite"), (-math.inf, "-infinite"),
])  # fmt: skip
def test_a_cell_as_text(cell, text):
    assert shown(cell, Column("x")) == text


@given(st.floats(1e-4, 1e14), st.integers(2, 8))
def test_significant_digits_keep_the_value(value, digits):
    read = float(significant(value, digits).replace(",", ""))
    assert abs(read - value) <= 0.5000001 * 10 ** (math.floor(math.log10(value)) - digits + 1)


def test_marks_are_code_and_strong_only():
    assert list(marked("a `b*c` **d** *e* `")) == [
        ("", "a "), ("code", "b*c"), ("", " "), ("strong", "d"), ("", " *e* `"),
    ]  # fmt: skip


@given(st.text())
def test_marks_lose_no_letter_of_unmarked_text(text):
    plain = text.replace("`", "").replace("*", "")
    assert "".join(piece for _, piece in marked(plain)) == plain


def test_paragraphs_are_parted_by_empty_lines():
    assert paragraphs("a\n b\n\n \n c ") == ["a b", "c"]
    assert paragraphs("  ") == []


@pytest.mark.parametrize(("cells", "right"), [
    ([1, 2.5, None], True), (["297.7 ms", "1.539 s"], True), (["-$5.76 M", "$20 M"], True), (["112", "none"], True),
    (["300 ms", 5, None], True), (["82.4 %", "–"], True), ([True, False], False), (["none", "none"], False),
    (["12,088", "1,030 / 4,253"], False), (["173.3 ms to 420 ms"], False), (["week 9"], False), ([""], False),
    (["sr-400g"], False), (["30 replicas that the objectives need"], False),
])  # fmt: skip
def test_columns_of_quantities_are_flush_right(cells, right):
    assert flush_right(table("", ["a"], [[cell] for cell in cells]), 0) is right
