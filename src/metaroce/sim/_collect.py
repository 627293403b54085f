"""Turn the memory of a finished run into its result."""

from __future__ import annotations

import numpy as np

from metaroce.sim._layout import BACKLOG, BYTES, DONE, FAILED, MARKS, PAUSED, PRIORITIES, World
from metaroce.sim.result import FlowResults, Ints, PortResults, Series, SimResult, Totals


def collect(world: World, ideal: Ints, in_flight: int) -> SimResult:
    """Result of a run.

    ideal      int64[n], ps: see ideal.ideal_times
    in_flight  bytes, counted by _audit
    """
    g, flows, ports = world.total[0], world.flows, world.ports
    finish = flows["finish"].copy()
    fct = np.where(finish >= 0, finish - flows["start"], -1)
    groups = world.groups.reshape(-1, PRIORITIES)
    done, failed = int((flows["state"] == DONE).sum()), int((flows["state"] == FAILED).sum())
    return SimResult(
        flows=FlowResults(
            start_ps=flows["start"].copy(),
            finish_ps=finish,
            delivered_ps=flows["delivered"].copy(),
            fct_ps=fct,
            ideal_ps=ideal,
            slowdown=np.where(finish >= 0, fct / ideal, np.nan),
            failed=flows["state"] == FAILED,
            resent=flows["resent"].copy(),
            marks=flows["marks"].copy(),
            cnps=flows["cnps"].copy(),
            naks=flows["naks"].copy(),
            timeouts=flows["timeouts"].copy(),
            paused_ps=_flow_pauses(world),
        ),
        ports=PortResults(
            sent_bytes=ports["sent_bytes"].copy(),
            sent_packets=ports["sent_packets"].copy(),
            marks=ports["marks"].copy(),
            headroom_drops=ports["ingress_drops"].copy(),
            tail_drops=ports["egress_drops"].copy(),
            corrupted=ports["corrupted"].copy(),
            pauses_sent=ports["pauses_sent"].copy(),
            pauses_received=ports["pauses_received"].copy(),
            paused_ps=_port_pauses(world).sum(1),
            max_queue=np.maximum(ports["max_backlog"], ports["bin_backlog"]),
            max_group=groups["max_bytes"].max(1),
        ),
        series=_series(world),
        buffer_peak=world.nodes["max_used"].copy(),
        totals=Totals(
            events=int(g.events),
            packets=int(flows["top"].sum() + flows["resent"].sum()),
            packet_hops=int(ports["sent_packets"].sum()),
            end_ps=int(g.now),
            finished=done,
            failed=failed,
            unfinished=len(flows) - done - failed,
            injected_bytes=int(g.injected_bytes),
            delivered_bytes=int(g.delivered_bytes),
            dropped_bytes=int(g.dropped_bytes),
            in_flight_bytes=in_flight,
        ),
    )


def halve_bins(world: World) -> None:
    """Merge the closed bins two by two and double their width; the bin that is open stays open."""
    g, series = world.total[0], world.series
    closed, half = int(g.bin), int(g.bin) // 2
    merged = series[:, 1 : 2 * half : 2].copy()
    merged[BACKLOG] = np.maximum(merged[BACKLOG], series[BACKLOG, 0 : 2 * half : 2])
    series[:, :half] = merged
    if closed % 2:  # the open bin's first half is already closed: take its largest backlog back
        world.ports["bin_backlog"] = np.maximum(world.ports["bin_backlog"], series[BACKLOG, closed - 1])
    series[:, half:] = 0
    g.bin = half
    g.bin_width *= 2
    g.bin_end = (half + 1) * g.bin_width


def _port_pauses(world: World) -> Ints:
    """Time every priority of every port was paused: int64[P, 8], ps."""
    queues = world.queues.reshape(-1, PRIORITIES)
    paused = (world.ports["paused"][:, None] >> np.arange(PRIORITIES)) & 1
    return queues["paused_ps"] + np.where(paused == 1, world.total["now"][0] - queues["paused_at"], 0)


def _flow_pauses(world: World) -> Ints:
    flows = world.flows
    running = _port_pauses(world)[flows["src"], flows["priority"]]
    ended = (flows["state"] == DONE) | (flows["state"] == FAILED)
    return np.where(ended, flows["paused_ps"], np.where(flows["state"] == 0, 0, flows["paused_ps"] + running))


def _series(world: World) -> Series:
    bins = int(world.total["bin"][0]) + 1
    planes = world.series[:, :bins]

    def steps(plane: int) -> Ints:
        return np.diff(planes[plane], axis=0, prepend=0)

    return Series(int(world.total["bin_width"][0]), steps(BYTES), planes[BACKLOG].copy(), steps(MARKS), steps(PAUSED))
