"""The requests a scenario asks for: its trace files read once, then a table for each seed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from metaroce.kit.errors import InputError, Problem
from metaroce.kit.progress import Progress, silent
from metaroce.kit.units import INT64_MAX, format_ns
from metaroce.model.requests import EmpiricalTokens, GeneratedRequests, Requests, TraceRequests

if TYPE_CHECKING:  # numpy and the readers are loaded at the first call
    from metaroce.loads.requests import RequestTable


def read_traces(
    spec: Requests, *, folder: Path | None = None, strict: bool = False, progress: Progress = silent
) -> tuple[dict[str, RequestTable], list[Problem]]:
    """Every trace file that `spec` names, by the path written there; the trace of a `trace` is cut as it asks.

    folder  where relative paths start (the scenario's folder); None: the current folder
    Raises InputError for a file that cannot be used, or a cut that holds nothing.
    """
    from metaroce.loads.read import read_requests

    folder = folder or Path()
    sources = (spec,) if isinstance(spec, TraceRequests) else (spec.input_tokens, spec.output_tokens)
    traces: dict[str, RequestTable] = {}
    problems: list[Problem] = []
    for source in sources:
        if isinstance(source, TraceRequests | EmpiricalTokens) and source.path not in traces:
            table, found = read_requests(folder / source.path, format=source.format, strict=strict, progress=progress)
            traces[source.path] = _cut(table, source) if isinstance(source, TraceRequests) else table
            problems.extend(found)
    return traces, problems


def requests_of(spec: Requests, seed: int, traces: Mapping[str, RequestTable]) -> RequestTable:
    """The table of one seed; `traces` as `read_traces` gave them. A trace without copies is the same for all seeds."""
    if isinstance(spec, GeneratedRequests):
        from metaroce.loads.generate import generate

        return generate(spec, seed, traces=traces)
    from metaroce.loads.windows import copies

    return copies(traces[spec.path], spec.copies, spec.phase, seed)


def _cut(table: RequestTable, spec: TraceRequests) -> RequestTable:
    whole = table.duration_ns
    stop = whole + 1 if spec.window is None else min(spec.skip + spec.window, INT64_MAX)
    if spec.skip or stop <= whole:
        table = table.slice(spec.skip, stop)
    if spec.first is not None:
        table = table.first(spec.first)
    if not len(table):
        what = f"no request between {format_ns(spec.skip)} and {format_ns(stop)} of the trace"
        raise InputError(what, where=spec.path, hint=f"it lasts {format_ns(whole)}")
    return table
