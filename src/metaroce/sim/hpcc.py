"""Read the files of the HPCC simulator (ns-3) and take over its settings, to replay its runs packet by packet.

Source: github.com/alibaba-edu/High-Precision-Congestion-Control, simulation/README.md and mix/*.txt (formats only).
Files are foreign input: they never raise for content, what cannot be read is reported.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaroce.fabric.graph import LEAF, Endpoint, Fabric, Link, Switch, assemble
from metaroce.kit.errors import Problem, RoceError
from metaroce.kit.units import rate, time_ps
from metaroce.model.fabric_settings import (
    BufferSettings, CnpSettings, ControlSettings, EcnSettings, LawSettings, PfcSettings, SimSettings,
)  # fmt: skip

_BUFFER = 32 * 2**20


def hpcc_settings(law: str = "dcqcn", **changes: object) -> SimSettings:
    """What ns-3 HPCC's `run.py --bw 100` simulates: 1048 B packets, per-packet ACKs, marks at dequeue, whole ns."""
    hpcc_dcqcn = {"g": 1 / 256, "rai": 20e6, "rhai": 200e6}
    settings = SimSettings(
        mtu=1000, header=48, ack=60, ack_interval=1, clock="ns",
        ecn=EcnSettings(kmin=400_000, kmax=1_600_000, pmax=0.2, at="dequeue"),
        pfc=PfcSettings(alpha=0.125, headroom=37_500, reserve=4096, xon_offset=3072, frame=64),
        buffer=BufferSettings(size=_BUFFER), control=ControlSettings(priority=0, strict="hosts"),
        cnp=CnpSettings(as_ack_flag=True),
        law=LawSettings(name=law, params=hpcc_dcqcn if law == "dcqcn" else {}, min_rate=1_000_000_000),
    )  # fmt: skip
    return settings.model_copy(update=changes)


def read_topology(text: str, name: str = "topology.txt") -> tuple[Fabric | None, list[Problem]]:
    """Fabric from `nodes switches links`, the switch numbers, then one `a b rate delay error` line per link.

    Node numbers are kept; a topology whose switches do not come after its hosts is refused.
    """
    lines = [line.split() for line in text.splitlines() if line.strip()]
    try:
        nodes, switches, links = (int(word) for word in lines[0][:3])
        given = sorted(int(word) for word in lines[1])
    except (ValueError, IndexError):
        return None, [Problem("the file does not begin with counts and switch numbers", f"{name}:1", severity="error")]
    hosts = nodes - switches
    if given != list(range(hosts, nodes)):
        return None, [
            Problem("switches must be numbered after the hosts", f"{name}:2", "renumber the nodes", severity="error")
        ]
    problems: list[Problem] = []
    found: list[Link] = []
    for number, words in enumerate(lines[2:], 3):
        try:
            found.append(Link(int(words[0]), int(words[1]), rate(words[2]), time_ps(words[3])))
        except (ValueError, IndexError, RoceError):
            problems.append(Problem("not a link: a b rate delay error", f"{name}:{number}"))
    if len(found) != links:
        problems.append(Problem(f"{links} links are announced, {len(found)} are there", f"{name}:1"))
    try:
        fabric = assemble(
            [Endpoint(f"h{n}", server=n) for n in range(hosts)],
            [Switch(f"s{n}", LEAF, buffer=_BUFFER) for n in range(hosts, nodes)],
            found,
        )
    except RoceError as error:
        return None, [*problems, Problem(error.what, error.where or name, error.hint or "", "error")]
    return fabric, problems


def read_paths(
    text: str, fabric: Fabric, name: str = "paths.txt"
) -> tuple[NDArray[np.int32], NDArray[np.int32], list[Problem]]:
    """Paths of data and ACKs from lines `flow sport PORT a-b-c c-b-a` (node numbers): two int32[n, H] for `simulate`."""
    link = {}
    for port in range(fabric.ports - 1, -1, -1):  # of parallel links, the first
        link[int(fabric.port_node[port]), int(fabric.port_peer[port])] = port
    problems: list[Problem] = []
    there: list[list[int]] = []
    back: list[list[int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            ways = [[int(node) for node in word.split("-")] for word in words[-2:]]
            ports = [[link[pair] for pair in zip(way, way[1:], strict=False)] for way in ways]
        except (ValueError, KeyError):
            problems.append(Problem("not a path through this topology", f"{name}:{number}", severity="error"))
            continue
        there.append(ports[0])
        back.append(ports[1])
    return _padded(there), _padded(back), problems


def _padded(rows: list[list[int]]) -> NDArray[np.int32]:
    table = np.full((len(rows), max((len(row) for row in rows), default=1)), -1, np.int32)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return table
