"""A report as text for a terminal: rich tables where they fit, one record under the other where they do not."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from metaroce.report.cells import NONE, flush_right, is_number, marked, paragraphs, shown
from metaroce.report.document import (
    Block,
    Callout,
    Chart,
    Details,
    Figures,
    Provenance,
    Report,
    Section,
    Table,
    Text,
    Tone,
)  # fmt: skip

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text as Styled

_LABEL = {"ok": ("ok", "green"), "warn": ("warning", "yellow"), "bad": ("problem", "red"), "note": ("note", "cyan")}
_TONE: dict[Tone, str] = {"plain": "", "good": "green", "bad": "red", "warn": "yellow", "muted": "dim"}
_TEXT_NEEDS = 14  # a column of words is readable from here on
_TEXT_LINE = 100  # longest line of running text
_BETWEEN = 3  # blanks between columns


def render(report: Report, *, width: int = 100, colour: bool = False) -> str:
    """The report as text lines of at most `width` characters; escape sequences only with `colour`."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out, width=max(width, 20), force_terminal=colour, no_color=not colour, highlight=False, emoji=False,
        color_system="standard" if colour else None, legacy_windows=False,
    )  # fmt: skip
    _heading(console, report.title, "bold")
    if report.subtitle:
        console.print(_styled(report.subtitle, "dim"), width=min(console.width, _TEXT_LINE))
    for section in report.sections:
        _section(console, section)
    if report.footer:
        console.print()
        console.print(_styled(report.footer, "dim"), width=min(console.width, _TEXT_LINE))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _heading(console: Console, title: str, style: str) -> None:
    from rich.text import Text as Styled

    console.print(Styled(title, style=style))


def _section(console: Console, section: Section) -> None:
    blocks = [block for block in section.blocks if not isinstance(block, Details | Provenance)]
    if not blocks:
        return
    from rich.rule import Rule

    console.print()
    console.print(Rule(_styled(section.title, "bold"), align="left", style="dim"))
    for position, block in enumerate(blocks):
        if position:
            console.print()
        _block(console, block)


def _block(console: Console, block: Block) -> None:
    line = min(console.width, _TEXT_LINE)
    match block:
        case Text(text):
            for position, paragraph in enumerate(paragraphs(text)):
                if position:
                    console.print()
                console.print(_styled(paragraph), width=line)
        case Callout(kind, text):
            label, colour = _LABEL[kind]
            console.print(_beside(f"{label}: ", f"bold {colour}", _styled(" ".join(text.split()))), width=line)
        case Figures():
            console.print(_figures(block, console.width))
        case Table():
            _table(console, block)
        case Chart(title, _, caption, alt):
            console.print(_beside("chart: ", "bold blue", _styled(f"{title}. {alt or caption}".strip())), width=line)
        case _:  # folded blocks stay in the HTML page
            pass


def _beside(label: str, style: str, text: Styled) -> RenderableType:
    """A label with the text hanging to its right."""
    from rich.table import Table as Grid
    from rich.text import Text as Styled

    grid = Grid.grid()
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Styled(label, style=style), text)
    return grid


def _figures(block: Figures, width: int) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text as Styled

    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(max_width=max(width * 2 // 5, 12))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(style="dim")
    for one in block.items:
        value = Styled(f"{one.value} {one.unit}".strip(), style=f"bold {_TONE[one.tone]}".strip())
        grid.add_row(one.label, value, "; ".join(part for part in (one.interval, one.note) if part))
    return grid


def _table(console: Console, block: Table) -> None:
    if block.title:
        console.print(_styled(block.title, "bold"))
    if not block.rows:
        console.print(_styled("(no rows)", "dim"))
    else:
        widths = _widths(block, console.width)
        if widths:
            console.print(_grid(block, widths))
        else:
            _records(console, block)
    if block.note:
        console.print(_styled(" ".join(block.note.split()), "dim"), width=min(console.width, _TEXT_LINE))


def _widths(block: Table, width: int) -> list[int]:
    """Characters of each column: numbers whole, words at least `_TEXT_NEEDS`; none when the table would be torn."""
    from rich.cells import cell_len

    least, wanted = [], []
    for i, column in enumerate(block.columns):
        cells = [cell_len(shown(row[i], column)) for row in block.rows]
        words = [cell_len(word) for word in (*column.name.split(), column.unit)]
        body = max(cells) if flush_right(block, i) else min(max(cells), _TEXT_NEEDS)
        least.append(max(body, *(min(word, _TEXT_NEEDS) for word in words), 1))
        wanted.append(max(least[-1], *cells, cell_len(column.name)))
    spare = width - _BETWEEN * (len(least) - 1) - sum(least)
    if spare < 0:
        return []
    modest = sorted(range(len(least)), key=lambda i: wanted[i] - least[i])
    for left, i in zip(range(len(modest), 0, -1), modest, strict=True):  # who wants little gets it, the rest share
        more = min(wanted[i] - least[i], spare // left)
        least[i] += more
        spare -= more
    return least


def _grid(block: Table, widths: list[int]) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid

    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold", border_style="dim")
    for i, (column, width) in enumerate(zip(block.columns, widths, strict=True)):
        title = _styled(column.name)
        if column.unit:
            title.append(f"\n{column.unit}", style="dim")
        side = "right" if flush_right(block, i) else "left"
        grid.add_column(title, justify=side, width=width, vertical="top", overflow="fold")
    for position, row in enumerate(block.rows):
        style = _TONE[block.tones[position]] if position < len(block.tones) else ""
        cells = (_styled(shown(cell, column)) for cell, column in zip(row, block.columns, strict=True))
        grid.add_row(*cells, style=style)
    return grid


def _records(console: Console, block: Table) -> None:
    """Each row as lines `name  value`: for tables wider than the terminal."""
    from rich.table import Table as Grid

    for position, row in enumerate(block.rows):
        grid = Grid.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="dim", max_width=max(console.width // 2, 10))
        grid.add_column(overflow="fold")
        for cell, column in zip(row, block.columns, strict=True):
            text = shown(cell, column)
            unit = f" {column.unit}" if column.unit and is_number(cell) and text != NONE else ""
            grid.add_row(column.name, _styled(text + unit))
        if position:
            console.print()
        console.print(grid)


def _styled(text: str, style: str = "") -> Styled:
    """Text with its marks as styles; nothing in it is taken for rich's own markup."""
    from rich.text import Text as Styled

    whole = Styled(style=style)
    for mark, piece in marked(text):
        whole.append(piece, style={"code": "cyan", "strong": "bold"}.get(mark, ""))
    return whole
