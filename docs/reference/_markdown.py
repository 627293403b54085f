"""The few pieces of Markdown that the reference pages are made of."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

MADE = "<!-- made by docs/reference/make.py: edit the code, not this page -->\n"


def title(text: str, about: str) -> str:
    """Head of a page."""
    return f"# {text}\n\n{MADE}\n{about.strip()}\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; bars and line ends inside cells are escaped."""
    lines = [list(columns), ["---"] * len(columns), *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines)


def doc(thing: Any) -> str:
    """Docstring without its indentation."""
    return inspect.cleandoc(thing.__doc__ or "")


def code(text: str) -> str:
    """Text as it is."""
    return f"```text\n{text}\n```\n"


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
