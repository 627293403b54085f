"""Link 5: from the replicas that are needed to everything that is ordered: margins, spares, bill, racks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from metaroce.catalog.read import read_catalog
from metaroce.fabric.graph import Fabric
from metaroce.fabric.inventory import inventory
from metaroce.kit.errors import ScenarioError
from metaroce.model.accelerators import Server
from metaroce.model.scenario import Scenario
from metaroce.model.topology import Sized
from metaroce.serving.hardware import Hardware
from metaroce.study.bill import Bill, BillLine, bill_of_materials, with_spares
from metaroce.study.network import build_fabric
from metaroce.study.spares import (
    ServerSpares,
    failure_table,
    installed_parts,
    leaf_groups,
    servers_for,
    spare_servers,
)


@dataclass(frozen=True, slots=True)
class Reserved:
    """Step by step from the replicas that the objectives need to the servers that are ordered.

    reserved  replicas x the margins, rounded up
    needed    servers for the replicas; servers  for the reserved ones
    spare     servers for failures, on top; product  of the three margins
    spares    the arithmetic of N+k
    """

    replicas: int
    reserved: int
    needed: int
    servers: int
    spare: int
    product: float
    ordered: int
    spares: ServerSpares

    @property
    def from_margins(self) -> int:
        """Servers that only the margins ask for."""
        return self.servers - self.needed


@dataclass(frozen=True, slots=True)
class HardwareOrder:
    """Everything that is ordered.

    lines     the bill with spare parts
    failures  one row a part: failures a year, spares (see study.spares.failure_table)
    fabric    for all ordered servers
    """

    reserved: Reserved
    bill: Bill
    lines: tuple[BillLine, ...]
    failures: pl.DataFrame
    fabric: Fabric


def servers_of(replicas: int, hardware: Hardware) -> int:
    """Whole servers that hold so many replicas."""
    return servers_for(replicas, hardware.gpus, hardware.server.gpus)


def plan_servers(scenario: Scenario, hardware: Hardware, replicas: int) -> Reserved:
    """How many servers are ordered for `replicas` replicas: the margins on the replicas, then N+k spare servers."""
    needed = servers_of(replicas, hardware)
    product = scenario.capacity.reservation.product
    reserved = math.ceil(round(replicas * product, 9))
    servers = servers_of(reserved, hardware)
    groups = leaf_groups(build_fabric(scenario, needed))
    spares = spare_servers(needed, scenario.bill.spares, groups=groups)
    return Reserved(replicas, reserved, needed, servers, spares.spares, product, servers + spares.spares, spares)


def plan_order(scenario: Scenario, hardware: Hardware, replicas: int) -> HardwareOrder:
    """Everything that is ordered for `replicas` replicas, with the fabric for all ordered servers."""
    reserved = plan_servers(scenario, hardware, replicas)
    fabric = build_fabric(scenario, reserved.ordered)
    return HardwareOrder(reserved, *_bill_with_parts(scenario, hardware, reserved.ordered, fabric), fabric)


def lines_for(scenario: Scenario, hardware: Hardware, servers: int) -> tuple[BillLine, ...]:
    """The bill of so many servers with spare parts."""
    return _bill_with_parts(scenario, hardware, servers, build_fabric(scenario, servers))[1]


def _bill_with_parts(
    scenario: Scenario, hardware: Hardware, servers: int, fabric: Fabric
) -> tuple[Bill, tuple[BillLine, ...], pl.DataFrame]:
    """The bill, its lines with spare parts, and the failures that ask for these."""
    gpus, name = servers * hardware.server.gpus, server_name(hardware)
    bill = bill_of_materials(gpus, name, hardware.server, inventory(fabric), scenario.bill)
    failures = failure_table(installed_parts(bill, scenario.bill.spares), scenario.bill.spares)
    parts = {row["part"]: row["spares"] for row in failures.iter_rows(named=True) if row["kind"] != "server"}
    return bill, with_spares(bill, parts), failures


def server_name(hardware: Hardware) -> str:
    """Catalog name of the server, for its price. Raises ScenarioError for a server written out in the scenario."""
    for name, server in read_catalog(Server, "servers").items():
        if server == hardware.server:
            return name
    raise ScenarioError(
        "a server that is not in the catalog has no price", where="service.server",
        hint="use a name from the catalog of servers",
    )  # fmt: skip


def check_ports(scenario: Scenario, hardware: Hardware) -> None:
    """Server and fabric must speak of the same ports. Raises ScenarioError."""
    topology, server = scenario.fabric.topology, hardware.server
    if not isinstance(topology, Sized):
        return
    if topology.nics_per_server != server.nics:
        raise ScenarioError(
            f"the fabric connects {topology.nics_per_server} NICs of each server, {server.product} has {server.nics}",
            where="fabric.topology.nics_per_server", hint=f"set it to {server.nics}",
        )  # fmt: skip
    if topology.nic_rate != server.nic_rate:
        raise ScenarioError(
            f"the fabric's NIC links run at {topology.nic_rate / 1e9:g}G, those of {server.product} at "
            f"{server.nic_rate / 1e9:g}G",
            where="fabric.topology.nic_rate", hint=f'set it to "{server.nic_rate / 1e9:g}G", with a NIC of that speed',
        )  # fmt: skip
