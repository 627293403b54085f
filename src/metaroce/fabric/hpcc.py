"""Read the files of the HPCC ns-3 simulator: topologies, and the paths its switches chose.

Format: alibaba-edu/High-Precision-Congestion-Control, `simulation/mix/*.txt` ("nodes switches links", the switch
numbers, then "a b rate delay error-rate" a line).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from metaroce.fabric.graph import Endpoint, Fabric, Link, Switch, assemble
from metaroce.kit import units
from metaroce.kit.errors import InputError, Problem, QuantityError

DEFAULT_BUFFER = 32_000_000  # BUFFER_SIZE 32 in the configurations that HPCC ships


def read_topology(
    text: str, name: str = "topology", *, buffer: int = DEFAULT_BUFFER, nics_per_server: int = 1
) -> Fabric:
    """Fabric from an HPCC topology file. Hosts become endpoints, in ascending order; nodes keep their number as name.

    buffer           bytes per switch (the file has none)
    nics_per_server  so many successive hosts are one server, rail by rail

    The tier of a switch is its distance to the nearest host. Raises InputError with file and line: a topology with a
    line lost would be another topology.
    """
    rows = [
        (n, line.split()) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")
    ]
    if len(rows) < 2:
        raise InputError("not an HPCC topology: two header lines are missing", where=f"{name}:1")
    nodes, switch_count, link_count = _whole(rows[0], name, 3)
    switches = _whole(rows[1], name, switch_count)
    if len(set(switches)) != switch_count or not set(switches) <= set(range(nodes)):
        raise InputError(
            f"{switch_count} different switch numbers below {nodes} expected", where=f"{name}:{rows[1][0]}"
        )
    if len(rows) - 2 != link_count:
        raise InputError(f"{link_count} links announced, {len(rows) - 2} found", where=f"{name}:{rows[0][0]}")
    hosts = [node for node in range(nodes) if node not in set(switches)]
    number = {old: new for new, old in enumerate([*hosts, *sorted(switches)])}
    links = [_link(row, name, number) for row in rows[2:]]
    tiers = _tiers(len(hosts), nodes, links)
    return assemble(
        [Endpoint(str(old), at // nics_per_server, at % nics_per_server) for at, old in enumerate(hosts)],
        [Switch(str(old), tiers[number[old]], 0, buffer) for old in sorted(switches)],
        links,
    )


@dataclass(frozen=True, slots=True)
class ReplayedPaths:
    """Node lists for `fabric.paths.replay_paths`, as far as the file could be read; position = line.

    flow     number of the flow
    sport    its UDP source port
    forward  nodes from source to destination
    back     nodes the ACKs take
    """

    flow: tuple[int, ...]
    sport: tuple[int, ...]
    forward: tuple[tuple[int, ...], ...]
    back: tuple[tuple[int, ...], ...]


def read_paths(text: str, name: str = "paths.txt") -> tuple[ReplayedPaths, list[Problem]]:
    """Paths from lines like `0 sport 10000 0-16-21-19-15 15-19-20-16-0`. Lines that are no path are reported."""
    found: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
    problems: list[Problem] = []
    for line_number, line in enumerate(text.splitlines(), 1):
        cells = line.split()
        if not cells:
            continue
        try:
            flow, word, sport, forward, back = cells
            ways = [tuple(int(node) for node in way.split("-")) for way in (forward, back)]
            if word != "sport":
                raise ValueError(word)
            found.append((int(flow), int(sport), ways[0], ways[1]))
        except ValueError:
            problems.append(Problem("not a path: FLOW sport PORT a-b-c c-b-a expected", f"{name}:{line_number}"))
    flow, sport, forward, back = zip(*found, strict=True) if found else ((), (), (), ())
    return ReplayedPaths(flow, sport, forward, back), problems


def _whole(row: tuple[int, list[str]], name: str, count: int) -> list[int]:
    number, cells = row
    try:
        values = [int(cell) for cell in cells]
    except ValueError:
        values = []
    if len(values) != count:
        raise InputError(f"{count} whole numbers expected", where=f"{name}:{number}  {' '.join(cells)[:60]}")
    return values


def _link(row: tuple[int, list[str]], name: str, number: dict[int, int]) -> Link:
    line, cells = row
    where = f"{name}:{line}  {' '.join(cells)}"
    try:
        a, b = (number[int(cell)] for cell in cells[:2])
        return Link(a, b, units.rate(cells[2]), units.time_ps(cells[3]))
    except (ValueError, KeyError, IndexError):
        raise InputError("not a link: NODE NODE RATE DELAY ERROR-RATE expected", where=where) from None
    except QuantityError as error:
        raise InputError(error.what, where=where, hint=error.hint) from None


def _tiers(hosts: int, nodes: int, links: list[Link]) -> list[int]:
    """Hops from the nearest host, by node; a switch without any way to one counts as a leaf."""
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for link in links:
        neighbours[link.a].append(link.b)
        neighbours[link.b].append(link.a)
    tier = [0] * hosts + [-1] * (nodes - hosts)
    queue = deque(range(hosts))
    while queue:
        here = queue.popleft()
        for peer in neighbours[here]:
            if tier[peer] < 0:
                tier[peer] = tier[here] + 1
                queue.append(peer)
    return [1 if t < 0 else t for t in tier]
