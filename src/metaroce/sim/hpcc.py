"""The settings of the HPCC simulator (ns-3), to replay its runs packet by packet.

Topologies and paths of that simulator are read by `fabric.hpcc`.
"""

from __future__ import annotations

from metaroce.model.fabric_settings import (
    BufferSettings,
    CnpSettings,
    ControlSettings,
    EcnSettings,
    LawSettings,
    PfcSettings,
    SimSettings,
)

_DCQCN = {"g": 1 / 256, "initial_alpha": 1.0, "byte_counter": 0.0, "additive_rate": 20e6, "hyper_rate": 200e6}


def hpcc_settings(law: str = "dcqcn") -> SimSettings:
    """What `run.py --bw 100` of alibaba-edu/High-Precision-Congestion-Control simulates, at 100 Gbit/s.

    1048-byte packets, an ACK for each, acknowledgements first in the hosts only, marks as packets leave, every ACK of a
    marked packet counts as a CNP, times on the wire cut to whole ns.
    """
    return SimSettings(
        mtu=1000,
        header=48,
        ack=60,
        ack_interval=1,
        clock="ns",
        ecn=EcnSettings(kmin=400_000, kmax=1_600_000, pmax=0.2, at="dequeue"),
        pfc=PfcSettings(alpha=0.125, headroom=37_500, reserve=4096, xon_offset=3072, frame=64),
        buffer=BufferSettings(size=32 * 2**20),
        control=ControlSettings(priority=0, strict="hosts"),
        cnp=CnpSettings(as_ack_flag=True),
        law=LawSettings(name=law, params=_DCQCN if law == "dcqcn" else {}, min_rate=1_000_000_000),
    )
