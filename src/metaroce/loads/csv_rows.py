"""Requests from csv lines: the kernel reads what is plainly written, one careful function the rest."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from metaroce.kit.units import INT64_MAX
from metaroce.loads.layout import DIGITS, Layout
from metaroce.loads.rows import Batch, FaultyLineError, Row, Tally, as_batch, nanoseconds, whole_tokens

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"[.,](\d+)")
SMALL = 4 << 20  # bytes; a file below this is read plainly before numba has loaded


@dataclass(frozen=True, slots=True)
class CsvLines:
    """How the lines of one csv file are read.

    columns  names in the header, in order
    layout   which of them hold the request
    dates    times are written as dates, not as numbers
    fast     use the kernel
    """

    columns: tuple[str, ...]
    layout: Layout
    delimiter: str = ","
    dates: bool = False
    fast: bool = True

    @property
    def places(self) -> tuple[int, int, int]:
        """Positions of time, inputs and outputs."""
        wanted = (self.layout.time, self.layout.inputs, self.layout.outputs)
        first, second, third = (self.columns.index(name) for name in wanted)
        return first, second, third

    def read(self, block: bytes, first_line: int, tally: Tally) -> Batch:
        """The requests of one block of whole lines; faults go to the tally."""
        return (self.read_fast if self.fast else self.read_plainly)(block, first_line, tally)

    def read_plainly(self, block: bytes, first_line: int, tally: Tally) -> Batch:
        """Line by line, without the kernel; cut at newlines only, as the kernel does (splitlines knows form feeds)."""
        rows = [
            row
            for number, line in enumerate(block.split(b"\n"), first_line)
            if line.strip(b" \t\r") and (row := self._try_line(line, number, tally)) is not None
        ]
        return as_batch(rows)

    def read_fast(self, block: bytes, first_line: int, tally: Tally) -> Batch:
        """With the kernel; lines it leaves are read one by one and put in their place."""
        from metaroce.loads._scan import BLANK, DATE, GOOD, NUMBER, ODD, scan_lines

        text = np.frombuffer(block, np.uint8)
        room = int(np.count_nonzero(text == 10)) + 1
        arrival, inputs, outputs = np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int32)
        status, begins = np.empty(room, np.uint8), np.empty(room + 1, np.int64)
        columns = np.array([*self.places, len(self.columns)], np.int64)
        count = scan_lines(
            text, ord(self.delimiter), columns, DATE if self.dates else NUMBER, DIGITS[self.layout.unit],
            arrival, inputs, outputs, status, begins,
        )  # fmt: skip
        state = status[:count]
        tally.lines += int(np.count_nonzero(state == GOOD))
        for at in np.flatnonzero(state == ODD).tolist():
            row = self._try_line(block[begins[at] : begins[at + 1]], first_line + at, tally)
            if row is None:
                state[at] = BLANK
            else:
                arrival[at], inputs[at], outputs[at] = row
                state[at] = GOOD
        good = state == GOOD
        return arrival[:count][good], inputs[:count][good], outputs[:count][good]

    def line_row(self, line: bytes) -> Row | None:
        """The request of one line, or None for one the trace marks as failed. Raises FaultyLineError."""
        text = line.decode("utf-8", errors="replace").strip("\r\n")
        fields = _fields(text, self.delimiter)
        if len(fields) != len(self.columns):
            raise FaultyLineError(f"{len(fields)} fields, but the header names {len(self.columns)}")
        time, inputs, outputs = (fields[place] for place in self.places)
        layout = self.layout
        when = date_ns(time, layout.time) if self.dates else nanoseconds(time, layout.time, DIGITS[layout.unit])
        asked = whole_tokens(inputs, layout.inputs, least=0 if layout.failed_when_silent else 1)
        given = whole_tokens(outputs, layout.outputs, least=0 if layout.failed_when_silent else 1)
        return (when, asked, given) if asked and given else None

    def _try_line(self, line: bytes, number: int, tally: Tally) -> Row | None:
        tally.lines += 1
        try:
            row = self.line_row(line)
        except FaultyLineError as error:
            tally.fault(str(error), number)
            return None
        tally.failed += row is None
        return row


def header_columns(line: bytes) -> tuple[tuple[str, ...], str]:
    """Names in a header line and the delimiter, which is the most frequent of `,;` tab `|`."""
    text = line.decode("utf-8", errors="replace").strip("\r\n")
    delimiter = max(",;\t|", key=text.count)
    return tuple(name.strip() for name in _fields(text, delimiter)), delimiter


def times_are_dates(lines: Sequence[bytes], columns: Sequence[str], time: str, delimiter: str) -> bool:
    """Whether most of these lines write their time as a date."""
    votes = 0
    for line in lines:
        try:
            fields = _fields(line.decode("utf-8", errors="replace"), delimiter)
        except FaultyLineError:
            continue
        if len(fields) == len(columns):
            votes += 1 if re.match(r"\s*\d{4}-\d", fields[list(columns).index(time)]) else -1
    return votes > 0


def date_ns(text: str, name: str) -> int:
    """ns since 1970 of an ISO date; without an offset it is UTC. Raises FaultyLineError."""
    text = text.strip()
    fraction = _FRACTION.search(text)
    digits = fraction.group(1) if fraction else ""
    try:
        moment = datetime.fromisoformat(_FRACTION.sub("", text, count=1))
    except ValueError:
        raise FaultyLineError(f"{name}: {text[:40]!r} is no date like 2023-11-16 18:15:46.68") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = (moment - _EPOCH) // timedelta(seconds=1)
    value = seconds * 10**9 + nanoseconds(f"0.{digits}" if digits else "0", name, 9)
    if not 0 <= value <= INT64_MAX:
        raise FaultyLineError(f"{name}: {text[:40]!r} is not between 1970 and 2262")
    return value


def _fields(text: str, delimiter: str) -> list[str]:
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter), [""])
    except csv.Error as error:
        raise FaultyLineError(f"quotes that do not close: {error}") from None
