"""How long a flow takes alone: the closed form that slowdowns are measured against.

Strategy: packets of equal size cross a line of store-and-forward links one slowest serialisation apart (max-plus), so
only the first, the last but one and the last packet need to be followed, and the last two acknowledgements.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.units import PS_PER_S
from metaroce.loads.flows import FlowTable
from metaroce.model.fabric_settings import SimSettings

Ints = NDArray[np.int64]


def ideal_times(fabric: Fabric, flows: FlowTable, paths: Ints, reverse_paths: Ints, settings: SimSettings) -> Ints:
    """Time from the start of each flow to its last acknowledgement in an otherwise empty fabric.

    paths, reverse_paths   int32[n, H], padded with -1
    returns                int64[n], ps

    Exact for a sender that is limited by its port alone.
    """
    packets = -(-flows.size // settings.mtu)
    last = (flows.size - (packets - 1) * settings.mtu + settings.header).astype(np.int64)
    before, end = _line(fabric, paths, settings.mtu + settings.header, last, packets, settings)
    ack_before = (packets >= 2) & ((packets - 1) % settings.ack_interval == 0)
    return _acks(fabric, reverse_paths, np.where(ack_before, before, -(2**62)), end, settings)


def base_round_trips(fabric: Fabric, paths: Ints, reverse_paths: Ints, settings: SimSettings) -> Ints:
    """Round trip of one full packet and its ACK in an empty fabric: int64[n], ps."""
    full = np.full(len(paths), settings.mtu + settings.header, np.int64)
    _, end = _line(fabric, paths, settings.mtu + settings.header, full, np.ones(len(paths), np.int64), settings)
    return _acks(fabric, reverse_paths, np.full(len(paths), -(2**62)), end, settings)


def _line(
    fabric: Fabric, paths: Ints, full: int, last: Ints, packets: Ints, settings: SimSettings
) -> tuple[Ints, Ints]:
    """Arrival of the last but one and of the last data packet at the destination."""
    first = np.zeros(len(paths), np.int64)  # the first packet reaches the queue of this hop
    slowest = np.zeros(len(paths), np.int64)
    done = np.zeros(len(paths), np.int64)  # the last packet, if it is not the first, reaches it
    before = np.zeros(len(paths), np.int64)
    for hop in range(paths.shape[1]):
        on, port = paths[:, hop] >= 0, np.maximum(paths[:, hop], 0)
        delay = latency(fabric)[port]
        whole, rest = serialisation(fabric, settings, port, full), serialisation(fabric, settings, port, last)
        slowest = np.where(on, np.maximum(slowest, whole), slowest)
        free = first + whole + (packets - 2) * slowest  # the last but one has left this port
        done = np.where(on, np.where(packets > 1, np.maximum(done, free), done) + rest + delay, done)
        before = np.where(on, free + delay, before)
        first = np.where(on, first + whole + delay, first)
    return before, done


def _acks(fabric: Fabric, reverse_paths: Ints, before: Ints, end: Ints, settings: SimSettings) -> Ints:
    """Arrival of the last acknowledgement, which may wait for the one before it."""
    for hop in range(reverse_paths.shape[1]):
        on, port = reverse_paths[:, hop] >= 0, np.maximum(reverse_paths[:, hop], 0)
        time = serialisation(fabric, settings, port, np.full(len(end), settings.ack, np.int64))
        left = before + time
        end = np.where(on, np.maximum(end, left) + time + latency(fabric)[port], end)
        before = np.where(on, left + latency(fabric)[port], before)
    return end


def latency(fabric: Fabric) -> Ints:
    """Propagation of every port and processing at its far end: int64[P], ps."""
    return fabric.port_delay_ps + fabric.node_delay_ps[fabric.port_peer]


def serialisation(fabric: Fabric, settings: SimSettings, port: Ints, size: Ints | int) -> Ints:
    """Time of `size` bytes on each port, in the chosen clock: int64[n], ps."""
    time = np.asarray(size, np.int64) * (8 * PS_PER_S) // fabric.port_rate[port]
    return time - time % 1000 if settings.clock == "ns" else time
