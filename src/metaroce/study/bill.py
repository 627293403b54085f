"""From a GPU count and a fabric to what must be ordered, and whether racks and hall can feed it.

Strategy: every line carries its own arithmetic in words. Power of GPUs and NICs is inside the server's figure, so
their lines draw nothing; switches, optics and cables draw their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from metaroce.catalog.read import lookup, read_catalog
from metaroce.fabric.inventory import Inventory, pick_cable
from metaroce.kit.errors import Problem, ScenarioError
from metaroce.kit.units import format_rate
from metaroce.model.accelerators import Server
from metaroce.model.bill import BillPlan, RackKind, RackPlan
from metaroce.model.devices import Cable, Nic, Switch

SWITCH_CLASSES_GBPS = (6_400, 12_800, 25_600, 51_200, 102_400)  # one doubling a generation, 2016-2025


@dataclass(frozen=True, slots=True)
class BillLine:
    """One line of the bill.

    item      what it is, for people
    kind      gpu, server, nic, switch, optic, cable, fibre, rack
    name      its name in the catalog and among the prices
    why       the arithmetic behind the quantity
    power_w   nameplate power of one, W; 0 where another line carries it
    """

    item: str
    kind: str
    name: str
    quantity: int
    why: str
    power_w: float = 0.0


@dataclass(frozen=True, slots=True)
class RackFit:
    """How many servers a rack takes, and which limit says so."""

    servers_per_rack: int
    by_power: int
    by_space: int
    binds: Literal["power", "space"]
    server_racks: int
    network_racks: int
    why: str


@dataclass(frozen=True, slots=True)
class HallFit:
    """The hall's limits against the need.

    largest_gpus  most GPUs that fit, in whole servers; None = no limit was given
    binds         which limit stops growth first: power, racks, or none
    fits          False when the fleet is larger than the hall takes
    """

    needed_kw: float
    needed_racks: int
    largest_gpus: int | None
    binds: Literal["power", "racks", "none"]
    fits: bool
    why: str


@dataclass(frozen=True, slots=True)
class Bill:
    """The bill of materials.

    power_w   nameplate IT power of everything, W
    problems  what does not fit together; the lines stand all the same
    """

    lines: tuple[BillLine, ...]
    gpus: int
    servers: int
    power_w: float
    racks: RackFit
    hall: HallFit
    problems: tuple[Problem, ...] = ()

    def quantity(self, kind: str) -> int:
        """How many of one kind, over all lines."""
        return sum(line.quantity for line in self.lines if line.kind == kind)


def bill_of_materials(gpus: int, server_name: str, server: Server, inventory: Inventory, plan: BillPlan) -> Bill:
    """Everything to order for `gpus` GPUs on a fabric.

    server_name  price name of the server; `server` is its entry in the catalog
    inventory    of the fabric that joins all servers, from `fabric.inventory`
    Raises ScenarioError for no GPUs, a server that no rack can take, or a link that no cable of the catalog reaches.
    """
    if gpus < 1:
        raise ScenarioError(f"a bill for {gpus} GPUs", hint="one GPU at least")
    servers = math.ceil(gpus / server.gpus)
    compute = _compute_lines(gpus, servers, server_name, server, inventory)
    network = (*_switch_lines(inventory, plan), *_link_lines(inventory, plan))
    network_w = total_power_w(network)
    racks = fit_racks(servers, server, int(inventory.switches["count"].sum()), network_w, plan.rack)
    rack = BillLine("rack", "rack", "rack", racks.server_racks + racks.network_racks, racks.why)
    hall = fit_hall(servers, server, network_w, racks, plan.rack)
    power = servers * server.power_w + network_w
    return Bill((*compute, *network, rack), servers * server.gpus, servers, power, racks, hall,
                _problems(servers, server, inventory, hall))  # fmt: skip


def fit_racks(servers: int, server: Server, switches: int, network_w: float, plan: RackPlan) -> RackFit:
    """Racks for servers, and racks of their own for switches, under the power and height of one rack.

    Raises ScenarioError when one server is too much for a rack.
    """
    kw, units = rack_limits(plan)
    usable = units - plan.reserved_units
    by_power, by_space = math.floor(kw * 1000 / server.power_w), usable // server.rack_units
    each = min(by_power, by_space)
    if each < 1:
        short = (
            f"{server.power_w / 1000:g} kW into {kw:g} kW"
            if by_power < 1
            else f"{server.rack_units} units into {usable}"
        )
        raise ScenarioError(
            f"one {server.product} does not fit a rack: {short}", where="bill.rack", hint="choose a stronger rack kind"
        )
    binds: Literal["power", "space"] = "power" if by_power < by_space else "space"
    server_racks = math.ceil(servers / each)
    units_needed = switches * plan.switch_units
    if units_needed and usable < plan.switch_units:
        raise ScenarioError(f"a switch of {plan.switch_units} units does not fit {usable}", where="bill.rack")
    per_rack = usable // plan.switch_units
    network_racks = max(math.ceil(switches / per_rack), math.ceil(network_w / 1000 / kw)) if switches else 0
    why = (
        f"{servers:,} servers / {each} a rack = {server_racks:,} (power: {kw:g} kW / {server.power_w / 1000:g} kW ="
        f" {by_power}, space: {usable} / {server.rack_units} units = {by_space}; {binds} binds)"
        f" + {network_racks:,} for {switches:,} switches"
    )
    return RackFit(each, by_power, by_space, binds, server_racks, network_racks, why)


def fit_hall(servers: int, server: Server, network_w: float, racks: RackFit, plan: RackPlan) -> HallFit:
    """Does the fleet fit the hall, and how large could it grow?

    The network is taken to grow with the servers: each brings its share of the network's power and racks.
    """
    needed_kw = (servers * server.power_w + network_w) / 1000
    needed_racks = racks.server_racks + racks.network_racks
    limits: dict[Literal["power", "racks"], int] = {}
    told = []
    if plan.hall_kw is not None:
        each_kw = needed_kw / servers
        limits["power"] = math.floor(plan.hall_kw / each_kw + 1e-9)
        told.append(f"{plan.hall_kw:,g} kW / {each_kw:.3g} kW a server with its network = {limits['power']:,} servers")
    if plan.hall_racks is not None:
        limits["racks"] = _servers_in(plan.hall_racks, servers, racks)
        told.append(f"{plan.hall_racks:,} racks = {limits['racks']:,} servers")
    if not limits:
        return HallFit(needed_kw, needed_racks, None, "none", True, "no limit given")
    binds = min(limits, key=lambda name: limits[name])
    most = limits[binds]
    return HallFit(needed_kw, needed_racks, most * server.gpus, binds, servers <= most, "; ".join(told))


def rack_limits(plan: RackPlan) -> tuple[float, int]:
    """(kW, rack units) of one rack. Raises ScenarioError for a kind that is not in the catalog."""
    kind = lookup(RackKind, "racks", plan.kind, field="bill.rack.kind")
    return plan.kw or kind.kw, plan.units or kind.units


def cable_for(rate: int, cable_m: float, dac_reach_m: float) -> tuple[str, Cable]:
    """Catalog name and entry of the medium of a link: copper up to `dac_reach_m` where it reaches, else an optic.

    A link slower than any entry takes the next faster one; a length of 0 (unknown) takes optics.
    Raises ScenarioError when nothing in the catalog is fast or long enough.
    """
    cables = read_catalog(Cable, "cables")
    fit = min((cable.rate for cable in cables.values() if cable.rate >= rate), default=rate)
    copper = {n: c for n, c in cables.items() if c.kind == "dac" and c.rate == fit and c.reach_m >= cable_m}
    optics = {n: c for n, c in cables.items() if c.kind == "optic"}
    name = pick_cable(copper if copper and 0 < cable_m <= dac_reach_m else optics, fit, cable_m)
    return name, cables[name]


def _compute_lines(gpus: int, servers: int, name: str, server: Server, inventory: Inventory) -> tuple[BillLine, ...]:
    return (
        BillLine(
            f"GPU {server.gpu}", "gpu", server.gpu, servers * server.gpus,
            f"{gpus:,} needed, in {servers:,} whole servers x {server.gpus}",
        ),
        BillLine(
            f"server {name}", "server", name, servers,
            f"{gpus:,} GPUs / {server.gpus} a server, rounded up; power with GPUs and NICs", server.power_w,
        ),
        *_nic_lines(servers, server, inventory),
    )  # fmt: skip


def _nic_lines(servers: int, server: Server, inventory: Inventory) -> Iterator[BillLine]:
    """One line a NIC model; the fabric's ports are of one model nearly always, else each takes its share."""
    known = read_catalog(Nic, "nics")
    models = [(model or f"nic-{round(server.nic_rate / 1e9)}g", ports) for model, ports in inventory.nics.iter_rows()]
    total = sum(ports for _, ports in models)
    for model, ports in models:
        wanted = servers * server.nics * ports / total
        each = known[model].ports if model in known else 1
        why = f"{servers:,} servers x {server.nics} ports"
        if len(models) > 1:
            why += f" x {ports:,}/{total:,} of the fabric's ports"
        if each > 1:
            why += f" / {each} ports a card"
        yield BillLine(f"NIC {model}", "nic", model, math.ceil(wanted / each), why)


def _switch_lines(inventory: Inventory, plan: BillPlan) -> tuple[BillLine, ...]:
    models = read_catalog(Switch, "switches")
    lines = []
    for tier, model, count, used, most in inventory.switches.iter_rows():
        touching = inventory.links.filter((pl.col("tier_a") == tier) | (pl.col("tier_b") == tier))["rate"]
        tbps = most * max(touching, default=0) / 1e12
        power = models[model].power_w if model in models else plan.switch_w_per_tbps * tbps
        why = f"{count:,} {tier} switches, {used:,} ports in use, {most:,} on the fullest"
        lines.append(BillLine(f"{tier} switch", "switch", model or _switch_class(tbps), count, why, power))
    return tuple(lines)


def _switch_class(tbps: float) -> str:
    """Price name of the smallest generation that carries this much; the largest where none does."""
    fit = next((size for size in SWITCH_CLASSES_GBPS if 1000 * tbps <= size), SWITCH_CLASSES_GBPS[-1])
    return f"switch-{fit}g"


def _link_lines(inventory: Inventory, plan: BillPlan) -> tuple[BillLine, ...]:
    """Copper by the cable; optical links by their two transceivers and a fibre."""
    links: dict[str, list[tuple[int, str]]] = {}
    media: dict[str, Cable] = {}
    for tier_a, tier_b, rate, cable_m, count in inventory.links.iter_rows():
        name, media_of = cable_for(rate, cable_m, plan.dac_reach_m)
        media[name] = media_of
        links.setdefault(name, []).append((count, f"{count:,} {tier_a}-{tier_b} of {format_rate(rate)}, {cable_m:g} m"))
    lines, optical = [], 0
    for name, groups in links.items():
        count, why = sum(n for n, _ in groups), " + ".join(told for _, told in groups)
        if media[name].kind == "dac":
            lines.append(BillLine(f"copper cable {name}", "cable", name, count, why, media[name].power_w))
        else:
            optical += count
            lines.append(
                BillLine(f"transceiver {name}", "optic", name, 2 * count, f"2 x ({why})", media[name].power_w / 2)
            )
    if optical:
        lines.append(BillLine("fibre", "fibre", "fibre", optical, f"one for each of {optical:,} optical links"))
    return tuple(lines)


def _servers_in(hall_racks: int, servers: int, racks: RackFit) -> int:
    """Most servers in so many racks, the network's racks growing with them."""
    network_per_server = racks.network_racks / servers
    low, high = 0, hall_racks * racks.servers_per_rack
    while low < high:
        middle = (low + high + 1) // 2
        need = math.ceil(middle / racks.servers_per_rack) + math.ceil(middle * network_per_server - 1e-9)
        low, high = (middle, high) if need <= hall_racks else (low, middle - 1)
    return low


def _problems(servers: int, server: Server, inventory: Inventory, hall: HallFit) -> tuple[Problem, ...]:
    found = []
    ports, endpoints = servers * server.nics, int(inventory.nics["ports"].sum())
    if endpoints < ports:
        found.append(
            Problem(
                f"the fabric has {endpoints:,} endpoints, the servers have {ports:,} NIC ports",
                "fabric",
                "build the fabric for this number of servers",
                "error",
            )
        )
    if not hall.fits:
        found.append(
            Problem(
                f"{servers * server.gpus:,} GPUs do not fit the hall: {hall.binds} ends at {hall.largest_gpus:,} GPUs",
                "bill.rack",
                f"rent the rest, or more {hall.binds}: {hall.needed_kw:,.0f} kW, {hall.needed_racks:,} racks",
                "error",
            )
        )
    return tuple(found)


def with_spares(bill: Bill, spares: Mapping[str, int], why: Mapping[str, str] | None = None) -> tuple[BillLine, ...]:
    """The bill's lines and one line for spare parts of each name, stored without power. Names as on the bill."""
    known = {line.name: line for line in bill.lines}
    added = [_spare(known, name, count, (why or {}).get(name, "spare")) for name, count in spares.items() if count]
    return (*bill.lines, *added)


def _spare(known: Mapping[str, BillLine], name: str, count: int, why: str) -> BillLine:
    kind = known[name].kind if name in known else name
    return BillLine(f"spare {name}", kind, name, count, why)


def total_power_w(lines: Iterable[BillLine]) -> float:
    """Nameplate power of all lines, W."""
    return math.fsum(line.quantity * line.power_w for line in lines)
