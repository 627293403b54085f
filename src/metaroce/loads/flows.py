"""Flows: who sends how many bytes to whom, and when. What the fabric simulator is fed with."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.kit.errors import InputError, Problem

_COLUMNS = {
    "src": np.int32, "dst": np.int32, "size": np.int64, "start_ps": np.int64, "sport": np.int32, "priority": np.int8,
    "group": np.int32, "traffic_class": np.int8,
}  # fmt: skip
DEFAULT_PRIORITY = 3  # the lossless priority of most RoCE set-ups (DSCP 26 -> 3)
FIRST_SPORT, SPORTS = 49_152, 16_384  # RoCEv2 source ports: 0xC000..0xFFFF (Linux, rdma_flow_label_to_udp_sport)


@dataclass(frozen=True, slots=True)
class FlowTable:
    """Flows as columns, sorted by start; n rows.

    src, dst       int32[n]  endpoint index, src != dst
    size           int64[n]  bytes, > 0
    start_ps       int64[n]  ps, >= 0, not decreasing
    sport          int32[n]  UDP source port, 0..65535: the entropy that ECMP hashes
    priority       int8[n]   0..7
    group          int32[n]  the request or operation it belongs to; -1 none
    traffic_class  int8[n]   index of the scenario's class
    """

    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    size: NDArray[np.int64]
    start_ps: NDArray[np.int64]
    sport: NDArray[np.int32]
    priority: NDArray[np.int8]
    group: NDArray[np.int32]
    traffic_class: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.src)

    @property
    def total_bytes(self) -> int:
        """Sum of the sizes."""
        return int(self.size.sum())

    def take(self, rows: ArrayLike) -> FlowTable:
        """The given rows (indices or a mask), sorted by start again."""
        return make_flows(**{name: getattr(self, name)[rows] for name in _COLUMNS})


def make_flows(
    src: ArrayLike, dst: ArrayLike, size: ArrayLike, start_ps: ArrayLike = 0, *, sport: ArrayLike | None = None,
    priority: ArrayLike = DEFAULT_PRIORITY, group: ArrayLike = -1, traffic_class: ArrayLike = 0,
) -> FlowTable:  # fmt: skip
    """FlowTable from columns or single values (which are repeated), checked and sorted by start, ties in given order.

    Without `sport` the flows get successive source ports from 49152, as drivers give successive queue pairs.
    Raises InputError for a flow to itself, a size < 1, a negative start, a port or priority out of range.
    """
    rows = len(np.atleast_1d(np.asarray(src)))
    given = {
        "src": src, "dst": dst, "size": size, "start_ps": start_ps, "priority": priority, "group": group,
        "sport": FIRST_SPORT + np.arange(rows) % SPORTS if sport is None else sport, "traffic_class": traffic_class,
    }  # fmt: skip
    wide = {name: np.broadcast_to(np.asarray(column), rows) for name, column in given.items()}
    _check(wide)
    order = np.argsort(wide["start_ps"], kind="stable")
    return FlowTable(**{name: np.ascontiguousarray(wide[name][order], dtype=kind) for name, kind in _COLUMNS.items()})


def join_flows(tables: Sequence[FlowTable]) -> FlowTable:
    """One table from several, sorted by start; ties keep the order of the tables."""
    if not tables:
        return make_flows([], [], [], [])
    return make_flows(**{name: np.concatenate([getattr(t, name) for t in tables]) for name in _COLUMNS})


def shift_flows(flows: FlowTable, by_ps: int) -> FlowTable:
    """The same flows, started `by_ps` later. Raises InputError when one would start before 0."""
    moved = flows.start_ps + by_ps
    if len(moved) and moved[0] < 0:
        raise InputError(f"a flow would start at {moved[0]} ps", hint="shift by less")
    return dataclasses.replace(flows, start_ps=moved)


def read_flows_csv(text: str, name: str = "flows.csv") -> tuple[FlowTable, list[Problem]]:
    """Flows from CSV with the columns src, dst, size_bytes, start_ns (others: sport, priority, group, traffic_class).

    Lines that cannot be read are left out and reported. Never raises for content.
    """
    lines = text.splitlines()
    header = [cell.strip() for cell in lines[0].split(",")] if lines else []
    missing = [column for column in ("src", "dst", "size_bytes", "start_ns") if column not in header]
    if missing:
        fault = Problem(f"the header has no column {', '.join(missing)}", f"{name}:1", severity="error")
        return make_flows([], [], [], []), [fault]
    rows: list[tuple[int, ...]] = []
    problems: list[Problem] = []
    wanted = ("src", "dst", "size_bytes", "start_ns", "sport", "priority", "group", "traffic_class")
    places = [header.index(column) if column in header else -1 for column in wanted]
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        defaults = (0, 0, 0, 0, FIRST_SPORT + len(rows) % SPORTS, DEFAULT_PRIORITY, -1, 0)
        row = _read_row(line.split(","), places, defaults)
        if row is None:
            problems.append(Problem("not a flow: whole numbers in range, size >= 1, src != dst", f"{name}:{number}"))
        else:
            rows.append(row)
    columns = np.array(rows, np.int64).reshape(-1, len(wanted)).T
    table = make_flows(
        columns[0], columns[1], columns[2], columns[3] * 1000, sport=columns[4], priority=columns[5], group=columns[6],
        traffic_class=columns[7],
    )  # fmt: skip
    return table, problems


def _read_row(cells: list[str], places: list[int], defaults: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        row = tuple(int(cells[at]) if at >= 0 else default for at, default in zip(places, defaults, strict=True))
    except (ValueError, IndexError):
        return None
    src, dst, size, start, sport, priority, group, traffic_class = row
    top = 2**31 - 1
    fits = (
        src != dst and 0 <= src <= top and 0 <= dst <= top and 0 < size < 2**62 and 0 <= start < 2**63 // 1000
        and 0 <= sport <= 65_535 and 0 <= priority <= 7 and -1 <= group <= top and 0 <= traffic_class <= 127
    )  # fmt: skip
    return row if fits else None


def _check(columns: dict[str, NDArray[np.generic]]) -> None:
    tests = (
        ("a negative endpoint", (columns["src"] < 0) | (columns["dst"] < 0)),
        ("the same source and destination", columns["src"] == columns["dst"]),
        ("a size below 1 byte", columns["size"] < 1),
        ("a negative start", columns["start_ps"] < 0),
        ("a source port outside 0..65535", (columns["sport"] < 0) | (columns["sport"] > 65_535)),
        ("a priority outside 0..7", (columns["priority"] < 0) | (columns["priority"] > 7)),
        ("a traffic class outside 0..127", (columns["traffic_class"] < 0) | (columns["traffic_class"] > 127)),
    )
    for fault, rows in tests:
        if rows.any():
            raise InputError(f"a flow has {fault}", where=f"flow {int(np.argmax(rows))}")
