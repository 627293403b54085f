"""Kernels made ready ahead of their use: compiled in a worker while the parent still searches."""

from __future__ import annotations

from metaroce.fabric.graph import Endpoint, Link, Switch, assemble
from metaroce.fabric.routes import ecmp_paths, find_routes
from metaroce.loads.flows import make_flows
from metaroce.model.fabric_settings import SimSettings
from metaroce.model.supply import Pulse, SupplyChain


def prepare_fabric() -> None:
    """One flow over one switch: whatever the fabric link calls is compiled after it."""
    from metaroce.sim.api import simulate

    fabric = assemble([Endpoint("a"), Endpoint("b", 1)], [Switch("s", buffer=10**7)],
                      [Link(0, 2, 10**11, 10**6), Link(1, 2, 10**11, 10**6)])  # fmt: skip
    flows = make_flows([0], [1], [10_000])
    routes = find_routes(fabric)
    paths, _ = ecmp_paths(fabric, routes, flows.src, flows.dst, flows.sport, 0)
    back, _ = ecmp_paths(fabric, routes, flows.dst, flows.src, flows.sport, 0)
    simulate(fabric, flows, paths, back, SimSettings())


def prepare_orders() -> None:
    """One course of one market: whatever the order link calls is compiled after it."""
    from metaroce.supply.api import run

    run(SupplyChain(), Pulse(extra=1), paths=1)
