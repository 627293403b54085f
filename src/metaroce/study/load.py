"""Link 1: the requests of every seed, and the part of them that the later links simulate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metaroce.kit.errors import InputError, Problem
from metaroce.kit.progress import Progress, silent
from metaroce.loads.api import read_traces, requests_of
from metaroce.loads.asked import Compared, asked_against_measured
from metaroce.loads.profile import Profile, profile
from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import peak_window
from metaroce.model.requests import GeneratedRequests, TraceRequests
from metaroce.model.scenario import Scenario

TOGETHER = 0.5  # share of requests at the instant of another that a real clock does not show


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
    scenario: Scenario, folder: Path, seeds: Sequence[int], *, strict: bool = False, progress: Progress = silent
) -> Load:
    """Read or draw the requests of every seed.

    folder  where relative paths of traces start: the scenario's
    Raises InputError for a trace that cannot be used, or a load without requests.
    """
    spec = scenario.requests
    traces, problems = read_traces(spec, folder=folder, strict=strict, progress=progress)
    if isinstance(spec, TraceRequests) and (spec.copies == 1 or spec.phase == "locked"):
        tables = (requests_of(spec, scenario.seed, traces),) * len(seeds)
    else:
        tables = tuple(requests_of(spec, seed, traces) for seed in seeds)
    for seed, table in zip(seeds, tables, strict=True):
        if not len(table):
            raise InputError(
                f"seed {seed} has no requests", where="requests", hint="raise the rate, duration or window"
            )
        if not table.rps > 0:
            raise InputError(
                "a load needs two requests at different times", where="requests",
                hint="give a longer trace or duration",
            )  # fmt: skip
    problems = [*problems, *_ticks(tables[0])]
    busiest = _busiest(tables, scenario.capacity.window)
    asked = asked_against_measured(spec, tables[0]) if isinstance(spec, GeneratedRequests) else ()
    return Load(tables, busiest, profile(tables[0]), asked, tuple(problems))


def _ticks(table: RequestTable) -> list[Problem]:
    """A remark when most requests share their instant with another: clocks of seconds make bursts that nobody sent."""
    together = float(np.mean(np.diff(table.arrival_ns) == 0)) if len(table) > 1 else 0.0
    if together < TOGETHER:
        return []
    instants = len(np.unique(table.arrival_ns))
    what = f"{len(table):,} requests share {instants:,} instants: their bursts may come from a coarse clock"
    return [Problem(what, table.source, "the count is on the careful side")]


def _busiest(tables: tuple[RequestTable, ...], width_ns: int) -> tuple[RequestTable, ...]:
    first = peak_window(tables[0], width_ns)
    return tuple(first if table is tables[0] else peak_window(table, width_ns) for table in tables)
