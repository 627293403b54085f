"""PFC headroom: bytes that still arrive on a port after it has asked its peer to pause.

Five answers to one question, from physics to what vendors ship: the cable alone (a floor no chip can beat), the shape
of 802.1Qbb with every part named, its estimate with the slowest response the standard allows, the model behind SONiC's
tables for NVIDIA switches, and a fit to Broadcom tables. For one 400G link of 5 m they span 38 KB to 393 KB.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from metaroce.kit.errors import InputError

KIB = 1024
LIGHT_M_PER_S = 1.98e8  # in copper and fibre: IEEE 802.1Qbb annex O; 5.05 ns/m
G = 1_000_000_000

#: Longest response to a pause in quanta of 512 bit times, by rate (IEEE 802.3, as tabulated in sonic-swss
#: `cfgmgr/buffer_headroom_mellanox.lua`).
RESPONSE_QUANTA = {
    G // 10: 1, 1 * G: 2, 10 * G: 67, 25 * G: 80, 40 * G: 118, 50 * G: 147, 100 * G: 394, 200 * G: 453, 400 * G: 905,
    800 * G: 905,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Headroom:
    """Headroom and its parts, bytes, before the factor.

    cable      in flight on the cable, there and back
    response   sent until the peer reacts to the pause
    frames     one frame just begun on each side
    interface  in PHY and MAC
    factor     how much more memory than bytes is used, since packets fill whole cells
    """

    cable: float
    response: float
    frames: float
    interface: float
    factor: float = 1.0

    @property
    def total(self) -> int:
        """Bytes to reserve."""
        return round(self.factor * (self.cable + self.response + self.frames + self.interface))


def cable_bytes(rate: int, length_m: float) -> float:
    """Bytes in flight on a cable, round trip: no headroom below this can be lossless.

    Source: 802.1Qbb annex O, 2 * L / (1.98e8 m/s) * S. 100 m at 400G: 50505 B.
    """
    return 2 * length_m / LIGHT_M_PER_S * rate / 8


def response_quanta(rate: int) -> int:
    """Quanta of 512 bit times a peer may take to react, for the rate or the next tabulated one above it.

    Raises InputError above 800G.
    """
    for tabulated, quanta in RESPONSE_QUANTA.items():
        if rate <= tabulated:
            return quanta
    raise InputError(f"no response time is tabulated above 800G ({rate} bit/s)", hint="give the response in bytes")


def response_bytes(rate: int) -> int:
    """Bytes that arrive during the longest response: quanta * 64."""
    return response_quanta(rate) * 64


def general(
    rate: int, length_m: float, *, response: float, sender_mtu: int, own_mtu: int, interface: float, factor: float = 1.0
) -> Headroom:
    """Headroom in the general shape, all parts given in bytes.

    Source: IEEE 802.1Qbb annex O: H >= k * (2 tau S + response * S + MTU_tx + MTU_rx + PHY/MAC).
    """
    return Headroom(cable_bytes(rate, length_m), response, sender_mtu + own_mtu, interface, factor)


def estimate(rate: int, length_m: float, *, lossless_mtu: int = 4096, port_mtu: int = 9216) -> Headroom:
    """Headroom with the longest response that 802.3 allows and perfect cell fill.

    Not a bound: chips whose peers answer faster publish less, chips with poor cell fill more.
    """
    return general(
        rate, length_m, response=response_bytes(rate), sender_mtu=port_mtu, own_mtu=lossless_mtu, interface=0.8 * KIB
    )


@dataclass(frozen=True, slots=True)
class MellanoxModel:
    """What the NVIDIA headroom model of SONiC takes besides rate and cable.

    cell            bytes: Spectrum 96, Spectrum-2/3 144, Spectrum-4/5 192, Spectrum-6 256
    lossless_mtu    bytes, of the lossless traffic
    port_mtu        bytes
    small_percent   share of 64-byte packets, 0..100
    peer            bytes until the peer reacts; None = 802.3 response quanta
    tile            True for Spectrum-4/5: 120 ns between tiles
    whole_cells     True: the worst cell fill is rounded up to whole cells (current script), False: older script
    quanta_800g     response quanta at 800G
    """

    cell: int
    lossless_mtu: int = 1024
    port_mtu: int = 9216
    small_percent: int = 100
    peer: float | None = None
    tile: bool = False
    whole_cells: bool = True
    quanta_800g: int = RESPONSE_QUANTA[800 * G]


OLDER = 3.8 * KIB  # bytes until the peer reacts, as older SONiC scripts had it for every rate
#: Sets that reproduce published tables to the byte (134 rows of six tables; which inputs NVIDIA used is inferred).
MELLANOX = {
    "spectrum": MellanoxModel(96, peer=OLDER, whole_cells=False),
    "spectrum-2": MellanoxModel(144, peer=OLDER, whole_cells=False),
    "spectrum-3": MellanoxModel(144, peer=OLDER, whole_cells=False),
    "spectrum-4": MellanoxModel(192, tile=True),
    "spectrum-5": MellanoxModel(192, lossless_mtu=4096, small_percent=50, tile=True),
    "spectrum-6": MellanoxModel(256, lossless_mtu=4096, small_percent=50, quanta_800g=1810),
}


def mellanox(model: MellanoxModel, rate: int, length_m: float) -> int:
    """xoff of a lossless priority group on an NVIDIA switch, bytes, in whole KiB.

    Source: sonic-swss `cfgmgr/buffer_headroom_mellanox.lua`, re-derived; its packet share is kept as the script has it.
    """
    quanta = model.quanta_800g if rate == 800 * G else response_quanta(rate)
    peer = quanta * 64 if model.peer is None else model.peer
    tile = rate / G * 120 / 8 if model.tile else 0.0
    propagation = model.port_mtu + cable_bytes(rate, length_m) + 0.8 * KIB + peer + tile
    fill = model.cell / 64 if model.cell > 128 else 2 * model.cell / (1 + model.cell)
    worst = math.ceil(fill) if model.whole_cells else fill
    small = model.small_percent
    share = 100 * 64 / ((small * 64 + (100 - small) * model.lossless_mtu) / 100)
    occupancy = (100 - share + share * worst) / 100
    return math.ceil((model.lossless_mtu + propagation * occupancy) / KIB) * KIB


def broadcom(
    rate: int, length_m: float, *, factor: float = 3.0, fixed: float = 21_500, response_s: float = 2.12e-6
) -> Headroom:
    """xoff in the shape that Broadcom tables follow; the defaults are our fit to Tomahawk 5 (within 2 %).

    factor      worst cell fill: 3.0 Tomahawk 4/5, 1.49 Tomahawk 6, 1.31 Tomahawk 3, 1.26 Tomahawk 2, 2.78 Tomahawk
    fixed       bytes
    response_s  seconds until the peer reacts
    """
    return Headroom(cable_bytes(rate, length_m), response_s * rate / 8, fixed, 0.0, factor)


def mlx5_receive_buffer(rate: int, length_m: float, mtu: int) -> int:
    """xoff of a lossless receive buffer on an NVIDIA NIC, bytes.

    Source: Linux `drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c`:
    (301 + 2.16 * metres) * Gbit/s + 2.72 * MTU, with 40G at least.
    """
    return round((301 + 2.16 * length_m) * max(rate / G, 40) + 2.72 * mtu)
