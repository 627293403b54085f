"""Requests from lines of one JSON object each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from metaroce.loads.csv_rows import date_ns
from metaroce.loads.layout import DIGITS, Layout
from metaroce.loads.rows import Batch, FaultyLineError, Row, Tally, as_batch, nanoseconds, whole_tokens


@dataclass(frozen=True, slots=True)
class JsonLines:
    """How the lines of one jsonl file are read."""

    layout: Layout

    def read(self, block: bytes, first_line: int, tally: Tally) -> Batch:
        """The requests of one block of whole lines; faults go to the tally."""
        rows: list[Row] = []
        for number, line in enumerate(block.split(b"\n"), first_line):
            if not line.strip():
                continue
            tally.lines += 1
            try:
                rows.append(self.line_row(line))
            except FaultyLineError as error:
                tally.fault(str(error), number)
        return as_batch(rows)

    def line_row(self, line: bytes) -> Row:
        """The request of one line. Raises FaultyLineError."""
        entry = json_object(line)
        layout = self.layout
        missing = [name for name in (layout.time, layout.inputs, layout.outputs) if name not in entry]
        if missing:
            raise FaultyLineError(f"no {', '.join(missing)}")
        return (
            _time(entry[layout.time], layout),
            _tokens(entry[layout.inputs], layout.inputs),
            _tokens(entry[layout.outputs], layout.outputs),
        )


def json_object(line: bytes) -> dict[str, Any]:
    """The object on a line. Raises FaultyLineError."""
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise FaultyLineError(f"no JSON: {error}") from None
    if not isinstance(entry, dict):
        raise FaultyLineError("JSON, but no object")
    return cast(dict[str, Any], entry)


def _time(value: Any, layout: Layout) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31:  # the common case, exactly
        return value * 10 ** DIGITS[layout.unit]
    if isinstance(value, str) and value[4:5] == "-":
        return date_ns(value, layout.time)
    return nanoseconds(_number_text(value, layout.time), layout.time, DIGITS[layout.unit])


def _tokens(value: Any, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31:
        return value
    return whole_tokens(_number_text(value, name), name)


def _number_text(value: Any, name: str) -> str:
    """A JSON number, or text that may hold one, as text; repr keeps a float's shortest exact digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise FaultyLineError(f"{name}: {type(value).__name__} is no number")
    return value if isinstance(value, str) else repr(value)
