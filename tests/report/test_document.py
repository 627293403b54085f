"""Documents are plain data: built from lists, equal when their content is, and cheap to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from metaroce.report.document import Column, Text, table


def test_a_table_from_plain_lists():
    built = table("t", ["a", "wait [ms]", Column("b", digits=2)], [[1, 2.5, None]], "n")
    assert built.columns == (Column("a"), Column("wait", "ms"), Column("b", digits=2))
    assert built.rows == ((1, 2.5, None),)
    assert built == table("t", ["a", "wait [ms]", Column("b", digits=2)], [(1, 2.5, None)], "n")


def test_blocks_do_not_change():
    with pytest.raises(AttributeError):
        Text("a").text = "b"


def test_reports_load_nothing_heavy():
    """Views import documents and renderers at the top: neither may pull in charts, tables or templates."""
    heavy = ("altair", "vl_convert", "jinja2", "rich", "polars", "numpy", "numba")
    code = (
        "import sys, metaroce.report.html, metaroce.report.terminal, metaroce.report.charts, metaroce.report.picture, "
        f"metaroce.report.as_json; print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
