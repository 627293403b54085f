"""A report as one HTML file that needs nothing else: no network, no other file, by day and by night, on paper.

Strategy: charts are inlined as Vega-Lite data and drawn by the Vega bundle, which vl-convert carries and which is
embedded once, and only when there is a chart. A content security policy in the page forbids every load.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from metaroce.report import theme
from metaroce.report.cells import flush_right, marked, paragraphs, shown
from metaroce.report.document import Block, Chart, Details, Provenance, Report, Table

_NAME, _SENTENCE = 11, 28  # letters from which on a cell is more than a word, and more than a name
_LABEL = {"ok": "OK", "warn": "Warning", "bad": "Problem", "note": "Note"}


def render(report: Report) -> str:
    """The report as the text of an HTML file (UTF-8). Same report, same bytes."""
    charts = [block for section in report.sections for block in _every(section.blocks) if isinstance(block, Chart)]
    return _environment().get_template("report.html.j2").render(
        report=report, charts=charts, number=lambda chart: 1 + next(i for i, one in enumerate(charts) if one is chart),
        sources=_sources(report), night=theme.NIGHT,
    )  # fmt: skip


@functools.cache
def _environment() -> Any:
    import jinja2
    from jinja2.filters import FILTERS

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("metaroce.report"), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
    )  # fmt: skip
    trusted = FILTERS["safe"]  # for text that was escaped here, and for our own style and script
    environment.filters.update(
        inline=lambda text: trusted(_inline(text)), script_json=lambda value: trusted(_script_json(value)),
        paragraphs=paragraphs, shown=shown, slug=slug,
    )  # fmt: skip
    environment.globals.update(
        kind=lambda block: type(block).__name__.lower(), label=_LABEL,
        raw=lambda name: trusted(environment.loader.get_source(environment, name)[0]),
        bundle=lambda: trusted(_bundle()), sides=_sides,
    )  # fmt: skip
    return environment


@functools.cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one classic script; takes about a second to put together."""
    import vl_convert

    return re.sub(r"</(script)", r"<\\/\1", vl_convert.javascript_bundle(), flags=re.IGNORECASE)


def slug(text: str) -> str:
    """A name for an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def _inline(text: str) -> str:
    pieces = ((mark, escape(piece)) for mark, piece in marked(text))
    return "".join(f"<{mark}>{piece}</{mark}>" if mark else piece for mark, piece in pieces)


def _script_json(value: Any) -> str:
    """JSON that may stand in a script element: no `<` that could close it."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _every(blocks: Sequence[Block]) -> Iterator[Block]:
    """All blocks in the order of the page, those inside details too."""
    for block in blocks:
        yield block
        if isinstance(block, Details):
            yield from _every(block.blocks)


def _sources(report: Report) -> set[str]:
    """Names that a headline number may link to."""
    blocks = (block for section in report.sections for block in _every(section.blocks))
    return {row.name for block in blocks if isinstance(block, Provenance) for row in block.rows}


def _sides(table: Table) -> list[str]:
    """How each column is set: `n` flush right, `w` sentences and `m` names that need room, else as its words need."""
    return ["n" if flush_right(table, i) else _room(table, i) for i in range(len(table.columns))]


def _room(table: Table, column: int) -> str:
    longest = max((len(row[column]) for row in table.rows if isinstance(row[column], str)), default=0)
    return "w" if longest > _SENTENCE else "m" if longest > _NAME else ""
