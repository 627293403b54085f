"""The terminal page fits any width, has no colours when piped, and keeps every number."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from metaroce.report.document import Callout, Column, Provenance, Report, Section, Source, Table, Text, table
from metaroce.report.terminal import render


def _page(*blocks):
    return Report("T", "", (Section("s", "S", blocks),))


@pytest.mark.parametrize("width", [20, 32, 48, 60, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(sample, width):
    assert max(cell_len(line) for line in render(sample, width=width).splitlines()) <= width


def test_no_escape_sequences_when_piped(sample):
    assert "\x1b" not in render(sample, width=80)
    assert "\x1b[" in render(sample, width=80, colour=True)


@pytest.mark.parametrize("colour", [False, True])
def test_colours_change_no_letter(sample, colour):
    bare = re.sub(r"\x1b\[[0-9;]*m", "", render(sample, width=80, colour=colour))
    assert [line.rstrip() for line in bare.splitlines()] == render(sample, width=80).splitlines()


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_numbers_are_whole_at_any_width(sample, width):
    text = render(sample, width=width)
    for number in ("48,211", "1,251", "287.2", "187.5", "25,603", "120"):
        assert number in text


@pytest.mark.parametrize("width", [20, 40, 60, 100])
def test_no_column_gets_lost(width):
    columns = [f"c{i}" for i in range(8)]
    text = render(_page(table("", columns, [[f"w{i}" for i in range(8)], list(range(100, 108))])), width=width)
    assert all(f"c{i}" in text and f"w{i}" in text and str(100 + i) in text for i in range(8))


@pytest.mark.parametrize("width", [60, 70, 84, 90, 100, 120])
def test_long_headings_over_short_numbers_are_wrapped_not_cut(width):
    names = ["tier", "ordinary week", "peak order", "peak / ordinary", "variance ratio", "CV² ratio, total", "backlog"]
    text = render(_page(table("", names, [["foundry", 768.2, 1265, 1.647, 4.557, 0.0052, 189.6]])), width=width)
    assert "foundry" in text
    words = [word for name in names for word in name.split()]
    assert [word for word in words if word not in text] == []


def test_no_blank_lines_around_a_table():
    text = render(_page(table("t", ["a"], [[1]], "n")), width=60)
    assert text.splitlines()[-4:] == ["a", "─", "1", "n"]


def test_folded_blocks_are_left_out(sample):
    text = render(sample)
    assert "How the headline numbers" not in text
    assert "Settings of the simulation" not in text


def test_a_section_of_folds_only_has_no_heading():
    text = render(_page(Provenance("how", (Source("a", "1", "1"),))))
    assert "S" not in text


def test_markup_of_rich_is_only_text():
    page = _page(Text("[red]a[/red] :smile:"), Callout("warn", "[b]"), table("[x]", ["[y]"], [["[z]"]]))
    text = render(page)
    assert all(piece in text for piece in ("[red]a[/red] :smile:", "[b]", "[x]", "[y]", "[z]"))


def test_callouts_say_what_they_are():
    text = render(_page(*(Callout(kind, "it") for kind in ("ok", "warn", "bad", "note"))))
    assert [line.split()[0] for line in text.splitlines() if line.endswith(" it")] == [
        "ok:",
        "warning:",
        "problem:",
        "note:",
    ]


def test_a_table_without_rows_says_so():
    assert "(no rows)" in render(_page(Table("t", (Column("a"),), ())))


def test_records_carry_their_units():
    text = render(_page(table("", ["wait [ms]", "a", "b", "c", "d", "e"], [[1.5, None, 2, 3, 4, 5]])), width=22)
    assert "1.5 ms" in text
