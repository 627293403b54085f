"""Lay out the memory of a run from fabric, flows, paths and settings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.congestion.compiled import SLOTS
from metaroce.congestion.laws import PARAMETERS, Law, find_law, parameters
from metaroce.congestion.state import CLASS, NEVER, STATE
from metaroce.fabric.graph import Fabric
from metaroce.kit.errors import InputError
from metaroce.kit.rng import kernel_seed
from metaroce.kit.units import PS_PER_S, format_size
from metaroce.loads.flows import FlowTable
from metaroce.model.fabric_settings import LawSettings, SimSettings
from metaroce.sim._layout import BUCKETS, FLOW, GLOBAL, GROUP, NODE, PACKET, PORT, PRIORITIES, QUEUE, START, World
from metaroce.sim.ideal import base_round_trips, latency, serialisation

_CELLS = 2_000_000  # bins x ports: 64 MB of series at most


def build_world(
    fabric: Fabric, flows: FlowTable, paths: NDArray[np.int32], reverse_paths: NDArray[np.int32], settings: SimSettings,
    *, headroom: NDArray[np.int64], seed: int, laws: list[LawSettings],
) -> World:  # fmt: skip
    """A World ready to run. See `_layout.World` for the shapes; `laws` come from `laws_of`."""
    slots = 2 * fabric.ports + len(flows)
    world = World(
        total=_records(1, GLOBAL),
        ports=_ports(fabric, settings, headroom),
        queues=_filled(PRIORITIES * fabric.ports, QUEUE, first=-1, ring_first=-1),
        groups=_records(PRIORITIES * fabric.ports, GROUP),
        nodes=_nodes(fabric, settings, headroom),
        flows=_flows(flows, settings, laws),
        states=_states(fabric, flows, base_round_trips(fabric, paths, reverse_paths, settings), settings),
        classes=_records(fabric.endpoints * _classes(flows), CLASS),
        params=_params(laws),
        packets=free_chain(_records(max(1024, 4 * fabric.ports), PACKET)),
        forward=np.ascontiguousarray(paths, np.int32).ravel(),
        backward=np.ascontiguousarray(reverse_paths, np.int32).ravel(),
        slot_at=np.zeros(slots, np.int64),
        slot_next=np.full(slots, -1, np.int32),
        buckets=np.full(2 * BUCKETS, -1, np.int32),
        occupied=np.zeros(BUCKETS // 32, np.int64),
        heap_at=np.zeros(1024 + 4 * len(flows), np.int64),
        heap_what=np.zeros(1024 + 4 * len(flows), np.int64),
        series=np.zeros((4, int(np.clip(_CELLS // fabric.ports, 16, 512)), fabric.ports), np.int64),
    )
    _totals(world, fabric, settings, seed, paths.shape[1], reverse_paths.shape[1])
    return world


def laws_of(settings: SimSettings) -> list[LawSettings]:
    """The different laws of a run: the general one first. Raises ScenarioError for more than four."""
    laws = [settings.law]
    laws += [law for law in settings.class_laws.values() if law not in laws]
    different = [law for place, law in enumerate(laws) if law not in laws[:place]]
    if len(different) > SLOTS:
        raise InputError(
            f"{len(different)} different congestion control laws", where="class_laws", hint=f"at most {SLOTS}"
        )
    return different


def law_slots(laws: list[LawSettings]) -> list[Law]:
    """The laws themselves, in order. Raises ScenarioError for an unknown name."""
    return [find_law(law.name) for law in laws]


def auto_headroom(fabric: Fabric, settings: SimSettings) -> NDArray[np.int64]:
    """The most that can arrive through each port after its group is full: int64[P], bytes.

    What leaves the peer while the pause waits for a packet on the wire, is sent, travels and takes effect, what is on
    the way by then, and two packets: the one that fills the group and the one that is being sent when the pause acts.
    """
    ports = np.arange(fabric.ports)
    packet = settings.mtu + settings.header
    back = fabric.port_reverse
    largest = max(packet, settings.ack, settings.pfc.frame)
    reaction = (
        serialisation(fabric, settings, back, largest + settings.pfc.frame)
        + fabric.port_delay_ps[back]
        + settings.pfc.delay
        + latency(fabric)[ports]
    )
    # times cut to whole ns make links faster than their rate, most so for the smallest packets
    smallest = serialisation(fabric, settings, ports, min(settings.ack, settings.header + 1))
    slack = 1 + 1000 / np.maximum(smallest, 1) if settings.clock == "ns" else 1.0
    moving = np.ceil(reaction * fabric.port_rate / (8 * PS_PER_S) * slack)
    return (moving + 2 * packet).astype(np.int64)


def headroom_bytes(fabric: Fabric, settings: SimSettings, given: ArrayLike | None) -> NDArray[np.int64]:
    """Headroom per port into a switch, int64[P]: what the caller gives, else what the settings say; 0 at endpoints."""
    if given is not None:
        amount = np.broadcast_to(np.asarray(given, np.int64), fabric.ports).copy()
    elif settings.pfc.headroom == "auto":
        amount = auto_headroom(fabric, settings)
    else:
        amount = np.full(fabric.ports, settings.pfc.headroom, np.int64)
    amount[fabric.port_peer < fabric.endpoints] = 0
    return amount if settings.pfc.enabled else np.zeros(fabric.ports, np.int64)


def free_chain(packets: NDArray[np.void], start: int = 0) -> NDArray[np.void]:
    """Chain the packets from `start` on as free ones."""
    packets["next"][start:-1] = np.arange(start + 1, len(packets))
    packets["next"][-1] = -1
    return packets


def _records(rows: int, kind: np.dtype[np.void]) -> NDArray[np.void]:
    return np.zeros(rows, kind).view(np.recarray)  # attribute access also where nothing is compiled


def _filled(rows: int, kind: np.dtype[np.void], **columns: ArrayLike) -> NDArray[np.void]:
    table = _records(rows, kind)
    for name, column in columns.items():
        table[name] = column
    return table


def _classes(flows: FlowTable) -> int:
    return int(flows.traffic_class.max(initial=0)) + 1


def _ports(fabric: Fabric, settings: SimSettings, headroom: NDArray[np.int64]) -> NDArray[np.void]:
    whole = (8 * PS_PER_S) % fabric.port_rate == 0
    ecn = settings.ecn
    scale = fabric.port_rate / ecn.reference_rate if ecn.reference_rate else np.ones(fabric.ports)
    return _filled(
        fabric.ports, PORT, byte_ps=np.where(whole, 8 * PS_PER_S // fabric.port_rate, 0), latency=latency(fabric),
        rate=fabric.port_rate, propagation=fabric.port_delay_ps, node=fabric.port_node, peer=fabric.port_peer,
        reverse=fabric.port_reverse, headroom=headroom, first=-1, kmin=np.rint(ecn.kmin * scale),
        kmax=np.rint(ecn.kmax * scale),
    )  # fmt: skip


def _nodes(fabric: Fabric, settings: SimSettings, headroom: NDArray[np.int64]) -> NDArray[np.void]:
    size = fabric.node_buffer.astype(np.int64)
    if settings.buffer.size is not None:
        size = np.where(np.arange(fabric.nodes) < fabric.endpoints, 0, settings.buffer.size)
    lossless = len(set(settings.lossless)) if settings.pfc.enabled else 0
    kept = np.zeros(fabric.nodes, np.int64)
    np.add.at(kept, fabric.port_peer, lossless * (headroom + settings.pfc.reserve))
    pool = np.where(np.arange(fabric.nodes) < fabric.endpoints, 0, size - kept)
    for node in np.nonzero((pool <= 0) & (np.arange(fabric.nodes) >= fabric.endpoints))[0]:
        raise InputError(
            f"its buffer of {format_size(size[node])} does not hold {format_size(kept[node])} of headroom and reserves",
            where=f"switch {fabric.node_name[node]}",
            hint="give buffer.size, fewer lossless priorities, or less headroom",
        )
    return _filled(fabric.nodes, NODE, pool=pool)


def _flows(flows: FlowTable, settings: SimSettings, laws: list[LawSettings]) -> NDArray[np.void]:
    packets = -(-flows.size // settings.mtu)
    if len(flows) and packets.max() >= 2**31:
        raise InputError("a flow has more than 2^31 packets", where=f"flow {int(np.argmax(packets))}", hint="split it")
    law = [laws.index(settings.class_laws.get(int(c), settings.law)) for c in range(128)]
    return _filled(
        len(flows), FLOW, packets=packets, last_payload=flows.size - (packets - 1) * settings.mtu, timer_at=NEVER,
        src=flows.src, dst=flows.dst, priority=flows.priority, start=flows.start_ps, finish=-1, delivered=-1,
        law=np.array(law)[flows.traffic_class], row=flows.src * _classes(flows) + flows.traffic_class,
    )  # fmt: skip


def _states(
    fabric: Fabric, flows: FlowTable, round_trips: NDArray[np.int64], settings: SimSettings
) -> NDArray[np.void]:
    line = fabric.port_rate[flows.src]
    floor = np.array([settings.class_laws.get(c, settings.law).min_rate for c in range(128)])[flows.traffic_class]
    return _filled(
        len(flows), STATE, rate=line, line=line, floor=np.minimum(floor, line), base_rtt=round_trips, at0=NEVER,
        at1=NEVER, at2=NEVER, at3=NEVER,
    )  # fmt: skip


def _params(laws: list[LawSettings]) -> NDArray[np.float64]:
    table = np.zeros((len(laws), PARAMETERS))
    for row, law in zip(table, laws, strict=True):
        values = parameters(find_law(law.name), law.params)
        row[: len(values)] = values
    return table


def _totals(world: World, fabric: Fabric, settings: SimSettings, seed: int, hops: int, back_hops: int) -> None:
    g, ports = world.total[0], np.arange(fabric.ports)
    lossless = sum(1 << p for p in set(settings.lossless)) if settings.pfc.enabled else 0
    strict = 1 << settings.control.priority
    values = {
        "woken": -1, "live": len(world.flows), "flows": len(world.flows), "free": len(world.packets),
        "bin_end": settings.bin, "bin_width": settings.bin, "endpoints": fabric.endpoints, "ports": fabric.ports,
        "hops": hops, "back_hops": back_hops, "until": NEVER - 1 if settings.until is None else settings.until,
        "mtu": settings.mtu, "header": settings.header, "ack": settings.ack, "ack_interval": settings.ack_interval,
        "timeout": settings.timeout, "retries": settings.retries, "lossless": lossless, "alpha": settings.pfc.alpha,
        "lossy_alpha": settings.buffer.lossy_alpha, "reserve": settings.pfc.reserve,
        "xon_offset": settings.pfc.xon_offset, "pause_frame": settings.pfc.frame, "pause_delay": settings.pfc.delay,
        "mark_at": {"dequeue": 0, "enqueue": 1}[settings.ecn.at] if settings.ecn.enabled else -1,
        "pmax": settings.ecn.pmax, "control": settings.control.priority,
        "host_strict": 0 if settings.control.strict == "nowhere" else strict,
        "switch_strict": strict if settings.control.strict == "everywhere" else 0,
        "cnp_flag": settings.cnp.as_ack_flag, "cnp_interval": settings.cnp.interval, "cnp_delay": settings.cnp.delay,
        "whole_ns": settings.clock == "ns", "corruption": settings.corruption, "random": kernel_seed(seed, "fabric"),
    }  # fmt: skip
    for name, value in values.items():
        setattr(g, name, value)
    span = int((latency(fabric) + serialisation(fabric, settings, ports, settings.mtu + settings.header)).max())
    g.shift = max(0, (span // BUCKETS).bit_length())
    if len(world.flows):
        world.heap_at[0], world.heap_what[0], g.heap_size = world.flows["start"][0], START, 1


def grown(world: World) -> World:
    """The same world with twice the packets and twice the heap."""
    size = len(world.packets)
    packets = free_chain(_records(2 * size, PACKET), size)
    packets[:size] = world.packets
    g = world.total[0]
    packets["next"][-1] = g.free_first
    g.free_first = size
    g.free += size
    more = np.zeros_like(world.heap_at)
    return world._replace(
        packets=packets,
        heap_at=np.concatenate([world.heap_at, more]),
        heap_what=np.concatenate([world.heap_what, more]),
    )
