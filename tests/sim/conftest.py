"""Small fabrics, their paths, and ns-3's runs to replay."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from metaroce.fabric.graph import Endpoint, Fabric, Link, Switch, assemble
from metaroce.fabric.hpcc import read_paths, read_topology
from metaroce.fabric.paths import replay_paths
from metaroce.fabric.routes import ecmp_paths, find_routes
from metaroce.loads.flows import FlowTable, make_flows, read_flows_csv
from metaroce.model.fabric_settings import EcnSettings, LawSettings, SimSettings
from metaroce.sim.api import simulate
from metaroce.sim.result import SimResult

G = 10**9
US = 1_000_000

#: No marks, no congestion control: what is left is arithmetic.
BARE = SimSettings(mtu=1000, header=0, ack=60, ecn=EcnSettings(enabled=False), law=LawSettings(name="none"))


@dataclass(frozen=True)
class Case:
    """A fabric, flows and their paths."""

    fabric: Fabric
    flows: FlowTable
    paths: np.ndarray
    back: np.ndarray

    def run(self, settings: SimSettings = BARE, **more: object) -> SimResult:
        return simulate(self.fabric, self.flows, self.paths, self.back, settings, **more)


def star(rates: list[int], *, delay_ps: int = US, switch_ps: int = 0, nic_ps: int = 0, buffer: int = 10**8) -> Fabric:
    """One switch; endpoint i has a link of rates[i]."""
    count = len(rates)
    return assemble(
        [Endpoint(f"h{i}", server=i, delay_ps=nic_ps) for i in range(count)],
        [Switch("s", 1, switch_ps, buffer)],
        [Link(i, count, rate, delay_ps) for i, rate in enumerate(rates)],
    )


def leaf_spine(leaves: int, per_leaf: int, spines: int, *, rate: int = 100 * G, buffer: int = 10**7) -> Fabric:
    """Endpoint e hangs on leaf e // per_leaf; every leaf has one link of `rate` to every spine."""
    hosts = leaves * per_leaf
    links = [Link(e, hosts + e // per_leaf, rate, US) for e in range(hosts)]
    links += [Link(hosts + a, hosts + leaves + b, rate, US) for a in range(leaves) for b in range(spines)]
    switches = [Switch(f"s{i}", 1 if i < leaves else 2, 0, buffer) for i in range(leaves + spines)]
    return assemble([Endpoint(f"h{e}", server=e) for e in range(hosts)], switches, links)


def star_case(fabric: Fabric, src: object, dst: object, size: object, start: object = 0, **more: object) -> Case:
    """Flows through the one switch of a star."""
    flows = make_flows(src, dst, size, start, **more)
    down = fabric.port_reverse
    return Case(fabric, flows, np.stack([flows.src, down[flows.dst]], 1), np.stack([flows.dst, down[flows.src]], 1))


def routed_case(fabric: Fabric, src: object, dst: object, size: object, start: object = 0, **more: object) -> Case:
    """Flows on shortest paths, chosen by hash."""
    flows = make_flows(src, dst, size, start, **more)
    routes = find_routes(fabric)
    there, _ = ecmp_paths(fabric, routes, flows.src, flows.dst, flows.sport, 1)
    back, _ = ecmp_paths(fabric, routes, flows.dst, flows.src, flows.sport, 2)
    return Case(fabric, flows, there, back)


@pytest.fixture(scope="session")
def lab():
    """The builders above, for tests."""
    return SimpleNamespace(
        G=G, US=US, BARE=BARE, Case=Case, star=star, leaf_spine=leaf_spine, star_case=star_case, routed_case=routed_case
    )


@pytest.fixture(scope="session")
def ns3(shared):
    """`ns3("w1")`: the case, and the completion times ns-3 HPCC with DCQCN got, in ns."""
    folder = shared / "peers" / "sim"

    def load(name: str) -> tuple[Case, np.ndarray]:
        topology = "topo_ft128" if name.startswith(("w2", "w3")) else "topo_ls16"
        fabric = read_topology((folder / "inputs" / f"{topology}.txt").read_text())
        flows, problems = read_flows_csv((folder / "inputs" / f"flows_{name}.csv").read_text())
        run = folder / "ns3_hpcc" / f"{name}_dcqcn"
        ways, more = read_paths((run / "paths.txt").read_text())
        assert not problems and not more
        rows = [line.split() for line in (run / "fct.txt").read_text().splitlines()]
        by_flow = {(row[0][2:6], row[1][2:6], row[2]): int(row[6]) for row in rows}  # addresses hold the node number
        seen: dict[tuple[int, int], int] = {}
        fct = []
        for src, dst in zip(flows.src.tolist(), flows.dst.tolist(), strict=True):
            port = seen.get((src, dst), 10_000)  # ns-3 numbers the flows of a pair
            seen[src, dst] = port + 1
            fct.append(by_flow[f"{src:04x}", f"{dst:04x}", str(port)])
        case = Case(fabric, flows, replay_paths(fabric, ways.forward)[0], replay_paths(fabric, ways.back)[0])
        return case, np.array(fct)

    return load
