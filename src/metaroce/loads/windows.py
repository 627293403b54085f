"""Windows of a table (the busiest, the mean minute) and tables made from tables: de-phased, superposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.kit.units import NS_PER_S
from metaroce.loads.requests import RequestTable, make_requests

MINUTE = 60 * NS_PER_S


def busiest(table: RequestTable, width_ns: int) -> int:
    """Start, in ns, of the window of this width with the most requests; the first such window, opened by a request.

    0 for an empty table. Raises InputError for a width below 1 ns.
    """
    if width_ns < 1:
        raise InputError(f"a window of {width_ns} ns holds nothing", hint="give a width of at least 1 ns")
    if not len(table):
        return 0
    return int(table.arrival_ns[np.argmax(counts_ahead(table.arrival_ns, width_ns))])


def peak_window(table: RequestTable, width_ns: int = 12 * NS_PER_S) -> RequestTable:
    """The requests of the busiest window, re-based to 0."""
    start = busiest(table, width_ns)
    return table.slice(start, start + width_ns)


def mean_minute(table: RequestTable) -> RequestTable:
    """The whole minute, counted from the table's start, whose number of requests is nearest to the mean minute's.

    A table shorter than two minutes is returned whole. Ties go to the earlier minute.
    """
    minutes = table.duration_ns // MINUTE
    if minutes < 2:
        return table
    edges = np.searchsorted(table.arrival_ns, np.arange(minutes + 1) * MINUTE)
    counts = np.diff(edges)
    start = int(np.argmin(np.abs(counts - counts.mean()))) * MINUTE
    return table.slice(start, start + MINUTE)


def counts_ahead(arrival_ns: NDArray[np.int64], width_ns: int) -> NDArray[np.int64]:
    """int64[n]: requests in [arrival, arrival + width) for each arrival."""
    ahead = np.searchsorted(arrival_ns, arrival_ns + min(width_ns, 2**62), "left")
    return ahead - np.arange(len(arrival_ns))


def dephase(table: RequestTable, spread_ns: int, seed: int) -> RequestTable:
    """Every request delayed by its own uniform draw from 0..spread: what clients with random start times would send."""
    if spread_ns < 0:
        raise InputError(f"a spread of {spread_ns} ns", hint="give 0 or more")
    if spread_ns > 2**62 - table.duration_ns:
        raise InputError("the spread does not fit the range of 292 years")
    delay = stream(seed, "requests", "dephase").integers(0, spread_ns + 1, len(table))
    source = f"{table.source}, de-phased over {spread_ns / NS_PER_S:.4g} s"
    return make_requests(table.arrival_ns + delay, table.input_tokens, table.output_tokens, source=source)


def superpose(tables: Sequence[RequestTable], *, source: str = "") -> RequestTable:
    """All requests of all tables on one time axis; ties keep the order of the tables."""
    if not tables:
        return make_requests(np.empty(0, np.int64), 1, 1, source=source)
    columns = [
        np.concatenate([getattr(t, name) for t in tables]) for name in ("arrival_ns", "input_tokens", "output_tokens")
    ]
    return make_requests(*columns, source=source or " + ".join(t.source for t in tables))


def copies(table: RequestTable, count: int, phase: Literal["random", "locked"], seed: int) -> RequestTable:
    """The table laid `count` times over itself.

    locked  all copies arrive together: one customer, `count` times as large
    random  every copy but the first is turned around by its own random time: independent customers of one kind
    """
    if count < 1:
        raise InputError(f"{count} copies of a trace", hint="give 1 or more")
    if count == 1 or not len(table):
        return table
    source = f"{count} {phase} copies of {table.source}"
    if phase == "locked":
        arrival, inputs = np.repeat(table.arrival_ns, count), np.repeat(table.input_tokens, count)
        return RequestTable(arrival, inputs, np.repeat(table.output_tokens, count), source)
    period = table.duration_ns + max(table.duration_ns // len(table), 1)  # closes the circle with one mean gap
    turns = stream(seed, "requests", "copies").integers(0, period, count)
    turns[0] = 0
    turned = [(table.arrival_ns + turn) % period for turn in turns.tolist()]
    return make_requests(
        np.concatenate(turned), np.tile(table.input_tokens, count), np.tile(table.output_tokens, count), source=source
    )
