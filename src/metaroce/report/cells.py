"""Numbers and marked text as people read them: the same in the terminal and on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from metaroce.report.document import Cell, Column, Table

# "297.7 ms", "-$5.76 M", "82.4 %": text that is one number with its unit
_QUANTITY = re.compile(r"[-+−]?\$? ?[-+−]?\d[\d,]*(\.\d+)?(e-?\d+)?( ?[A-Za-zµ%$/²]{1,8})?")
# what may stand among numbers in their place
_INSTEAD = frozenset({"", "none", "never", "not built", "infinite", "-infinite", "–"})
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
    """`value` with so many significant digits and no more zeros than it takes; a dash for what is no number.

    Powers of ten only where plain digits would be unreadable: below 1e-4 and from 1e15.
    """
    if math.isnan(value):
        return NONE
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if exponent < -4 or exponent >= 15:
        return f"{value:.{digits - 1}e}".replace("e+", "e")
    text = f"{round(value, digits - 1 - exponent):,.{max(digits - 1 - exponent, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_number(cell: Cell) -> bool:
    """Whether a cell is a number or a missing one, not yes/no."""
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def flush_right(table: Table, column: int) -> bool:
    """Whether a column is read by comparing numbers: each cell is one, with a unit or without, or stands for one."""
    cells = [row[column] for row in table.rows]
    if all(is_number(cell) for cell in cells):
        return True
    return any(_is_quantity(cell) for cell in cells) and all(
        is_number(cell) or _is_quantity(cell) or cell in _INSTEAD for cell in cells
    )


def _is_quantity(cell: Cell) -> bool:
    return (is_number(cell) and cell is not None) or (isinstance(cell, str) and bool(_QUANTITY.fullmatch(cell)))


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
