"""Numbers and marked text as people read them: the same in the terminal and on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from metaroce.report.document import Cell, Column

_MARK = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*")
NONE = "–"


def shown(cell: Cell, column: Column) -> str:
    """A table cell as text: `12,345`, floats with the column's significant digits, yes/no, a dash for None."""
    if cell is None:
        return NONE
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return significant(cell, column.digits)
    return cell


def significant(value: float, digits: int = 4) -> str:
    """`value` with so many significant digits and no more zeros than it takes; a dash when it is not finite.

    Powers of ten only where plain digits would be unreadable: below 1e-4 and from 1e15.
    """
    if not math.isfinite(value):
        return NONE
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if exponent < -4 or exponent >= 15:
        return f"{value:.{digits - 1}e}".replace("e+", "e")
    text = f"{round(value, digits - 1 - exponent):,.{max(digits - 1 - exponent, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_number(cell: Cell) -> bool:
    """Whether a cell is set flush right: numbers and missing numbers, not yes/no."""
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def marked(text: str) -> Iterator[tuple[str, str]]:
    """Pieces of a text with their mark: ("", "plain"), ("code", ...), ("strong", ...)."""
    at = 0
    for match in _MARK.finditer(text):
        if match.start() > at:
            yield "", text[at : match.start()]
        yield ("code", match[1]) if match[1] is not None else ("strong", match[2])
        at = match.end()
    if at < len(text):
        yield "", text[at:]


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text; line breaks inside one are blanks."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]
