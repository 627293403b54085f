"""Documents as data: what a report says, without how it looks. Renderers turn it into a terminal page, JSON or HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Cell = str | int | float | bool | None
Tone = Literal["plain", "good", "bad", "warn", "muted"]


@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs, parted by empty lines; `code` and **strong** are marked as in Markdown, and nothing else."""

    text: str


@dataclass(frozen=True, slots=True)
class Callout:
    """A sentence that must not be overlooked; marks as in `Text`."""

    kind: Literal["ok", "warn", "bad", "note"]
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """A table column. Numbers are right-aligned; `digits` are significant ones."""

    name: str
    unit: str = ""
    digits: int = 4


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; a cell None is shown as a dash. `tones` colours rows (one a row) where given."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    tones: tuple[Tone, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One headline number. `interval` is text such as "17 to 21 over seeds"; `tone` says how to read it.

    source  name of the `Source` that tells how the number came about; HTML links to it
    """

    label: str
    value: str
    interval: str = ""
    tone: Tone = "plain"
    note: str = ""
    unit: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """Headline numbers side by side."""

    items: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: `make` builds its Vega-Lite specification when a renderer wants it (charts load slowly).

    alt  what the picture shows, in words, for those who cannot see it
    """

    title: str
    make: Callable[[], Mapping[str, Any]]
    caption: str = ""
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where one number comes from."""

    name: str
    value: str
    formula: str
    inputs: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Numbers traced to formulas and inputs; folded away in HTML."""

    title: str
    rows: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that are folded away in HTML and left out of the terminal page."""

    summary: str
    blocks: tuple[Block, ...]


Block = Text | Callout | Table | Figures | Chart | Provenance | Details


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part. `key` names it in links and JSON."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole document.

    data  the same results as plain numbers for JSON; renderers for people do not show it
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    footer: str = ""


def table(title: str, columns: Sequence[str | Column], rows: Sequence[Sequence[Cell]], note: str = "") -> Table:
    """A table from plain lists; a column "wait [ms]" is a name with its unit."""
    return Table(title, tuple(_column(one) for one in columns), tuple(tuple(row) for row in rows), note)


def _column(given: str | Column) -> Column:
    if isinstance(given, Column):
        return given
    name, bracket, unit = given.partition(" [")
    return Column(name, unit.removesuffix("]")) if bracket else Column(given)
