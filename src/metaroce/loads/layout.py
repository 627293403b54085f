"""What a trace format promises: which columns hold arrival and token counts, and in which unit the time is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["csv", "jsonl"]

#: decimal digits between a unit of time and the nanosecond
DIGITS = {"s": 9, "ms": 6, "us": 3, "ns": 0}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a reader finds a request in one line.

    time, inputs, outputs  names of the columns (csv) or keys (jsonl), as the file spells them
    unit                   unit of numeric times; csv times may also be dates, which need none
    failed_when_silent     an answer of 0 tokens is a failed request, which the format keeps: left out, no fault
    """

    time: str
    inputs: str
    outputs: str
    unit: Literal["s", "ms", "us", "ns"] = "s"
    failed_when_silent: bool = False


def pick(columns: Sequence[str], *wanted: str) -> str | None:
    """The column that carries one of the wanted names, any case, blanks and dashes as underscores; first name first."""
    known = {plain_name(column): column for column in reversed(columns)}
    return next((known[name] for name in wanted if name in known), None)


def plain_name(column: str) -> str:
    """`Request tokens` -> `request_tokens`."""
    return "_".join(column.strip().strip('"').lower().replace("-", " ").replace("_", " ").split())
