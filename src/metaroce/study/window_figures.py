"""What is kept of one simulated window: counts, series for the charts, the hottest ports."""

from __future__ import annotations

import numpy as np

from metaroce.fabric.graph import Fabric
from metaroce.kit.units import PS_PER_S
from metaroce.loads.flows import FlowTable
from metaroce.sim.result import SimResult

HOTTEST = 5


def counts_of(result: SimResult, flows: FlowTable) -> dict[str, float]:
    """Plain counts of one window, by the names the report uses."""
    ports, totals = result.ports, result.totals
    return {
        "transfers": float(len(flows)),
        "unfinished": float(totals.failed + totals.unfinished),
        "data packets": float(totals.packets),
        "ECN marks": float(ports.marks.sum()),
        "CNPs": float(result.flows.cnps.sum()),
        "PFC pauses": float(ports.pauses_sent.sum()),
        "pause time, us": float(ports.paused_ps.sum()) / 1e6,
        "drops": float(ports.headroom_drops.sum() + ports.tail_drops.sum() + ports.corrupted.sum()),
        "resent packets": float(result.flows.resent.sum()),
        "timeouts": float(result.flows.timeouts.sum()),
        "deepest queue, bytes": float(ports.max_queue.max(initial=0)),
        "packet hops": float(totals.packet_hops),
    }


def series_of(result: SimResult, fabric: Fabric, span_ps: int) -> dict[str, list[float]]:
    """Utilisation (mean and hottest port), marks, pause share and deepest queue over the joined slices."""
    series = result.series
    bins = max(1, min(len(series.sent_bytes), -(-span_ps // series.bin_ps)))
    room = fabric.port_rate / 8 * (series.bin_ps / PS_PER_S)
    used = series.sent_bytes[:bins] / room
    return {
        "time_ms": (series.start_ps[:bins] / 1e9).tolist(),
        "mean_use": used.mean(axis=1).tolist(),
        "hottest_use": used.max(axis=1).tolist(),
        "marks": series.marks[:bins].sum(axis=1).astype(float).tolist(),
        "paused_us": (series.paused_ps[:bins].sum(axis=1) / 1e6).tolist(),
        "deepest_queue_kb": (series.max_queue[:bins].max(axis=1) / 1e3).tolist(),
    }


def hottest_ports(result: SimResult, fabric: Fabric, span_ps: int) -> tuple[tuple[str, float], ...]:
    """(port, utilisation) of the busiest ports, busiest first."""
    use = result.ports.sent_bytes / (fabric.port_rate / 8 * max(1, span_ps) / PS_PER_S)
    return tuple((fabric.port_name(int(port)), float(use[port])) for port in np.argsort(-use, kind="stable")[:HOTTEST])
