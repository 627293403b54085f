"""Request traces of any known format -> RequestTable, streaming, with the faults that were met.

Strategy: the format is told from the first lines; blocks of whole lines become batches of columns (16 bytes a
request), so that memory holds the result and one block, whatever the file's size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np

from metaroce.kit.errors import InputError, Problem
from metaroce.kit.progress import Progress, silent
from metaroce.loads import azure, burstgpt, mooncake, plain, qwen, servegen
from metaroce.loads.csv_rows import SMALL, CsvLines, header_columns, times_are_dates
from metaroce.loads.jsonl_rows import JsonLines, json_object
from metaroce.loads.layout import Kind, Layout
from metaroce.loads.lines import DamagedError, line_blocks
from metaroce.loads.requests import RequestTable
from metaroce.loads.rows import Batch, FaultyLineError, Tally

#: most specific first: auto takes the first that knows the columns
FORMATS: dict[str, ModuleType] = {
    "azure": azure, "burstgpt": burstgpt, "qwen": qwen, "mooncake": mooncake, "servegen": servegen, "plain": plain,
}  # fmt: skip
MOST_BAD = 0.01  # share of lines that may be unreadable
_LOOK = 20  # lines that decide what a file is


@dataclass(frozen=True, slots=True)
class _Recognised:
    format: str
    lines: CsvLines | JsonLines
    skip: int  # lines before the first request


def read_requests(
    path: Path | str,
    *,
    format: Literal["auto", "azure", "burstgpt", "mooncake", "qwen", "servegen", "plain"] = "auto",  # noqa: A002
    strict: bool = False,
    progress: Progress = silent,
) -> tuple[RequestTable, list[Problem]]:
    """Read a trace, plain or packed with gzip or zstd.

    format  see FORMATS; auto decides by the content
    strict  raise for the first line that cannot be read
    returns the requests, sorted, the first at 0 ns; and what was wrong: unreadable lines (the first five named),
    failed requests left out, times out of order, a damaged archive
    Raises InputError when the file is missing, empty, of no known format, holds no request, or more than 1 % of its
    lines cannot be read.
    """
    path = Path(path)
    tally = Tally(str(path))
    problems: list[Problem] = []
    batches: list[Batch] = []
    blocks = line_blocks(path, progress)
    first = _first_block(blocks, path)
    known = _recognise(first, path, format)
    number = 1 + known.skip
    try:
        for block in itertools.chain([first], blocks):
            body = block if block is not first else _below(first, known.skip)
            batches.append(known.lines.read(body, number, tally))
            number += body.count(b"\n")
            _check(tally, strict=strict, final=False)
    except DamagedError as error:
        if strict:
            raise
        problems.append(Problem(error.what, str(path), "the requests before the damage are used", "error"))
    _check(tally, strict=strict, final=True)
    table, order = _assemble(batches, f"{known.format} trace {path.name}")
    progress(f"reading {path.name}", 1.0)
    return table, [*_told(tally), *problems, *([Problem(order, str(path))] if order else [])]


def _first_block(blocks: Iterator[bytes], path: Path) -> bytes:
    try:
        first = next(blocks, b"")
    except DamagedError as error:
        raise InputError(error.what, where=str(path), hint="fetch the file again") from None
    if not first.removeprefix(b"\xef\xbb\xbf").strip():
        raise InputError("the file is empty", where=str(path), hint=_formats_hint())
    return first


def _recognise(first: bytes, path: Path, wanted: str) -> _Recognised:
    if wanted != "auto" and wanted not in FORMATS:
        raise InputError(f"{wanted!r} is no trace format", where=str(path), hint=f"known: auto, {', '.join(FORMATS)}")
    sample = first[: 1 << 16].split(b"\n")[: _LOOK + 1]
    offset = next((at for at, line in enumerate(sample) if line.strip(b"\xef\xbb\xbf \t\r")), 0)
    head = sample[offset].removeprefix(b"\xef\xbb\xbf")
    if b"\x00" in head:
        raise InputError("binary data, not a request trace", where=str(path), hint=_formats_hint())
    if head.lstrip().startswith((b"{", b"[")):
        return _recognise_jsonl(sample[offset:], path, wanted)
    try:
        columns, delimiter = header_columns(head)
    except FaultyLineError:
        columns, delimiter = (head[:60].decode("utf-8", "replace"),), ","
    name, layout = _layout(columns, "csv", path, wanted)
    dates = times_are_dates(sample[offset + 1 :], columns, layout.time, delimiter)
    lines = CsvLines(columns, layout, delimiter, dates, fast=len(first) >= SMALL)
    return _Recognised(name, lines, offset + 1)


def _below(block: bytes, lines: int) -> bytes:
    """The block without its first lines."""
    at = 0
    for _ in range(lines):
        at = block.find(b"\n", at) + 1 or len(block)
    return block[at:]


def _recognise_jsonl(sample: list[bytes], path: Path, wanted: str) -> _Recognised:
    fault = ""
    for line in sample:
        try:
            keys = tuple(json_object(line.removeprefix(b"\xef\xbb\xbf")))
        except FaultyLineError as error:
            fault = fault or str(error)
            continue
        name, layout = _layout(keys, "jsonl", path, wanted)
        return _Recognised(name, JsonLines(layout), 0)
    raise InputError(f"looks like JSON lines, but none can be read ({fault})", where=f"{path}:1", hint=_formats_hint())


def _layout(columns: tuple[str, ...], kind: Kind, path: Path, wanted: str) -> tuple[str, Layout]:
    names = FORMATS if wanted == "auto" else (wanted,)
    for name in names:
        layout: Layout | None = FORMATS[name].layout(columns, kind)
        if layout:
            return name, layout
    found = ", ".join(repr(column[:30]) for column in columns[:12]) or "none"
    what = "no known trace format" if wanted == "auto" else f"not in {wanted} format ({FORMATS[wanted].COLUMNS})"
    raise InputError(f"{what}; columns found: {found}", where=f"{path}:1", hint=_formats_hint())


def _formats_hint() -> str:
    return "known formats: " + "; ".join(f"{name}: {module.COLUMNS}" for name, module in FORMATS.items())


def _check(tally: Tally, *, strict: bool, final: bool) -> None:
    """Raise when too many lines are bad, or any in strict mode; when nothing was good in the end or at the start."""
    good = tally.lines - tally.bad - tally.failed
    first = tally.faults[0] if tally.faults else None
    if final and not tally.lines:
        raise InputError("a header, but no request below it", where=tally.name, hint="one line a request")
    if first is None:
        if final and not good:
            raise InputError(f"all {tally.failed:,} requests are marked as failed", where=tally.name)
        return
    if strict:
        raise InputError(first.what, where=first.where, hint="without --strict, up to 1 % of such lines are left out")
    if not good or (final and tally.bad > MOST_BAD * tally.lines):
        raise InputError(
            f"{tally.bad:,} of {tally.lines:,} lines are no requests, more than 1 %; the first: {first.what}",
            where=first.where, hint="check the format; repair or remove these lines",
        )  # fmt: skip


def _told(tally: Tally) -> list[Problem]:
    told = list(tally.faults)
    if tally.bad > len(told):
        told.append(Problem(f"{tally.bad - len(told):,} more lines cannot be read", tally.name))
    if tally.bad:
        told.append(Problem(f"{tally.bad:,} of {tally.lines:,} lines left out", tally.name))
    if tally.failed:
        what = f"{tally.failed:,} of {tally.lines:,} requests failed (0 tokens) and are left out"
        told.append(Problem(what, tally.name))
    return told


def _assemble(batches: list[Batch], source: str) -> tuple[RequestTable, str]:
    """One table from the batches, sorted and re-based; and what to say when they were out of order."""
    arrival = np.concatenate([batch[0] for batch in batches])
    inputs = np.concatenate([batch[1] for batch in batches])
    outputs = np.concatenate([batch[2] for batch in batches])
    batches.clear()
    back = int(np.count_nonzero(arrival[1:] < arrival[:-1]))
    if back:
        order = np.argsort(arrival, kind="stable")
        arrival, inputs, outputs = arrival[order], inputs[order], outputs[order]
    arrival -= arrival[0]
    said = f"times step back {back:,} times; the requests were sorted" if back else ""
    return RequestTable(arrival, inputs, outputs, source), said
