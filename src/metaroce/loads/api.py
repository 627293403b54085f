"""The requests a scenario asks for, from its generator or its trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from metaroce.kit.errors import Problem
from metaroce.kit.progress import Progress, silent
from metaroce.model.requests import EmpiricalTokens, GeneratedRequests, Requests, TraceRequests

if TYPE_CHECKING:  # numpy and the readers are loaded at the first call
    from metaroce.loads.requests import RequestTable


def requests_of(
    spec: Requests, seed: int, *, folder: Path | None = None, progress: Progress = silent
) -> tuple[RequestTable, list[Problem]]:
    """The table, and the problems met in the trace files it needed.

    folder  where relative paths start (the scenario's folder); None: the current folder
    Raises InputError for a trace that cannot be read or that holds nothing in the asked window.
    """
    folder = folder or Path()
    if isinstance(spec, TraceRequests):
        return _recorded(spec, seed, folder, progress)
    return _generated(spec, seed, folder, progress)


def _recorded(spec: TraceRequests, seed: int, folder: Path, progress: Progress) -> tuple[RequestTable, list[Problem]]:
    from metaroce.kit.errors import InputError
    from metaroce.kit.units import format_ns
    from metaroce.loads.read import read_requests
    from metaroce.loads.windows import copies

    table, problems = read_requests(folder / spec.path, format=spec.format, progress=progress)
    whole = table.duration_ns
    stop = whole + 1 if spec.window is None else spec.skip + spec.window
    if spec.skip or stop <= whole:
        table = table.slice(spec.skip, stop)
    if spec.first is not None:
        table = table.first(spec.first)
    if not len(table):
        raise InputError(
            f"no request between {format_ns(spec.skip)} and {format_ns(stop)} of the trace", where=spec.path,
            hint=f"it lasts {format_ns(whole)}",
        )  # fmt: skip
    return copies(table, spec.copies, spec.phase, seed), problems


def _generated(
    spec: GeneratedRequests, seed: int, folder: Path, progress: Progress
) -> tuple[RequestTable, list[Problem]]:  # fmt: skip
    from metaroce.loads.generate import generate
    from metaroce.loads.read import read_requests

    problems: list[Problem] = []
    traces: dict[str, RequestTable] = {}
    for law in (spec.input_tokens, spec.output_tokens):
        if isinstance(law, EmpiricalTokens) and law.path not in traces:
            traces[law.path], found = read_requests(folder / law.path, format=law.format, progress=progress)
            problems.extend(found)
    progress("drawing requests", None)
    return generate(spec, seed, traces=traces), problems
