"""Write the reference pages from the code: `python docs/reference/make.py`.

A test compares the committed pages with what this gives; running it is how a change of the code is accepted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import _catalog  # noqa: E402
import _commands  # noqa: E402
import _formulas  # noqa: E402
import _laws  # noqa: E402
import _scenario  # noqa: E402

PAGES: dict[str, Callable[[], str]] = {
    "scenario.md": _scenario.page,
    "commands.md": _commands.page,
    "catalog.md": _catalog.page,
    "laws.md": _laws.page,
    "formulas.md": _formulas.page,
}


def pages() -> dict[str, str]:
    """Text of every page by its file name."""
    return {name: make() for name, make in PAGES.items()}


def main() -> None:
    """Write all pages beside this file."""
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
