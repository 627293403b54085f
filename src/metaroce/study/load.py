"""Link 1: the requests of every seed, and the part of them that the later links simulate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from metaroce.kit.errors import InputError, Problem
from metaroce.kit.progress import Progress, silent
from metaroce.loads.asked import Compared, asked_against_measured
from metaroce.loads.generate import generate
from metaroce.loads.profile import Profile, profile
from metaroce.loads.read import read_requests
from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import copies, peak_window
from metaroce.model.requests import EmpiricalTokens, GeneratedRequests, TraceRequests
from metaroce.model.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Load:
    """The requests.

    tables    one a seed; a trace without random copies is the same for all seeds
    busiest   the busiest `capacity.window` of each, for the capacity search
    profile   figures of the first seed's table
    asked     asked | measured, for generators
    problems  what was wrong in a trace
    """

    tables: tuple[RequestTable, ...]
    busiest: tuple[RequestTable, ...]
    profile: Profile
    asked: tuple[Compared, ...]
    problems: tuple[Problem, ...]

    @property
    def is_one_table(self) -> bool:
        """Whether all seeds share one table, so that intervals show the service's and the fabric's draws alone."""
        return all(table is self.tables[0] for table in self.tables)


def load_requests(
    scenario: Scenario, folder: Path, seeds: Iterable[int], *, strict: bool = False, progress: Progress = silent
) -> Load:
    """Read or draw the requests of every seed.

    folder  where relative paths of traces start: the scenario's
    Raises InputError for a trace that cannot be used, or a load without requests.
    """
    spec, problems = scenario.requests, []
    if isinstance(spec, TraceRequests):
        whole, problems = read_requests(folder / spec.path, format=spec.format, strict=strict, progress=progress)
        tables = _copied(_cut(whole, spec), spec, tuple(seeds))
    else:
        traces = {}
        for tokens in (spec.input_tokens, spec.output_tokens):
            if isinstance(tokens, EmpiricalTokens) and tokens.path not in traces:
                traces[tokens.path], found = read_requests(
                    folder / tokens.path, format=tokens.format, strict=strict, progress=progress
                )
                problems.extend(found)
        tables = tuple(generate(spec, seed, traces=traces) for seed in seeds)
    if not len(tables[0]):
        raise InputError("the scenario has no requests", where="requests", hint="raise its rate, duration or window")
    busiest = _busiest(tables, scenario.capacity.window)
    asked = asked_against_measured(spec, tables[0]) if isinstance(spec, GeneratedRequests) else ()
    return Load(tables, busiest, profile(tables[0]), asked, tuple(problems))


def _busiest(tables: tuple[RequestTable, ...], width_ns: int) -> tuple[RequestTable, ...]:
    first = peak_window(tables[0], width_ns)
    return tuple(first if table is tables[0] else peak_window(table, width_ns) for table in tables)


def _cut(table: RequestTable, spec: TraceRequests) -> RequestTable:
    if spec.skip or spec.window is not None:
        stop = table.duration_ns + 1 if spec.window is None else spec.skip + spec.window
        table = table.slice(spec.skip, stop)
    return table if spec.first is None else table.first(spec.first)


def _copied(table: RequestTable, spec: TraceRequests, seeds: tuple[int, ...]) -> tuple[RequestTable, ...]:
    if spec.copies == 1 or spec.phase == "locked":
        table = copies(table, spec.copies, "locked", 0)
        return tuple(table for _ in seeds)
    return tuple(copies(table, spec.copies, spec.phase, seed) for seed in seeds)
