"""Simulate flows on a fabric, packet by packet.

Strategy: everything is checked and laid out here; the compiled loop runs in slices of at least 20 ms, between which
memory grows, time series are thinned out, progress is told and Ctrl-C is heard. Slices do not change the result.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.fabric.graph import Fabric
from metaroce.kit.errors import InputError
from metaroce.kit.progress import Progress, silent
from metaroce.kit.units import PS_PER_S, format_seconds
from metaroce.loads.flows import FlowTable
from metaroce.model.fabric_settings import SimSettings
from metaroce.sim.ideal import ideal_times
from metaroce.sim.result import SimResult

_SLICE = 1 << 20  # events: 50 to 200 ms


def simulate(
    fabric: Fabric, flows: FlowTable, paths: NDArray[np.int32], reverse_paths: NDArray[np.int32],
    settings: SimSettings | None = None, *, headroom: ArrayLike | None = None, seed: int = 0,
    progress: Progress = silent,
) -> SimResult:  # fmt: skip
    """Run the flows until all have finished or failed, or until `settings.until`.

    flows          n rows, sorted by start
    paths          int32[n, H]   ports from the source's uplink to the one that reaches the destination, padded with -1
    reverse_paths  int32[n, H']  the same for the acknowledgements
    headroom       int64[P], bytes per lossless priority for what comes through each port; None: as the settings say
    seed           of the marking probabilities and bit errors; same seed, same bytes
    progress       called between slices with the simulated time and the share of bytes acknowledged

    Raises InputError for paths that do not lead from source to destination, buffers smaller than the headroom they must
    hold, and unknown laws or parameters.
    """
    from metaroce.congestion.compiled import hook_table
    from metaroce.sim import _build
    from metaroce.sim._audit import bytes_in_flight
    from metaroce.sim._collect import collect
    from metaroce.sim._run import run

    settings = settings or SimSettings()
    check_paths(fabric, flows.src, flows.dst, paths, "paths")
    check_paths(fabric, flows.dst, flows.src, reverse_paths, "reverse_paths")
    laws = _build.laws_of(settings)
    world = _build.build_world(
        fabric, flows, paths, reverse_paths, settings, headroom=_build.headroom_bytes(fabric, settings, headroom),
        seed=seed, laws=laws,
    )  # fmt: skip
    hooks, world.total[0].hooks = hook_table(_build.law_slots(laws))
    with warnings.catch_warnings():  # typed function pointers are what numba calls experimental
        warnings.filterwarnings("ignore", message="First-class function type feature is experimental")
        world = _slices(world, hooks, run, flows.total_bytes, progress)
        in_flight = int(bytes_in_flight(world))
    return collect(world, ideal_times(fabric, flows, paths, reverse_paths, settings), in_flight)


def _slices(world: Any, hooks: Any, run: Any, wanted_bytes: int, progress: Progress) -> Any:
    """Run to the end in slices; returns the world, which may have grown."""
    from metaroce.sim._build import grown
    from metaroce.sim._collect import halve_bins
    from metaroce.sim._layout import BINS, END, FULL
    from metaroce.sim._run import write_bin

    g = world.total[0]
    while True:
        why = run(world, hooks, int(g.events) + _SLICE)
        if why == END:
            write_bin(world, g)
            progress(f"simulated {format_seconds(g.now / PS_PER_S)}", 1.0)
            return world
        if why == FULL:
            world = grown(world)
            g = world.total[0]
        elif why == BINS:
            halve_bins(world)
        else:
            share = float(g.acked_bytes) / wanted_bytes if wanted_bytes else None
            progress(f"simulated {format_seconds(g.now / PS_PER_S)}", share)


def check_paths(
    fabric: Fabric, src: NDArray[np.int32], dst: NDArray[np.int32], paths: NDArray[np.int32], name: str
) -> None:
    """Raises InputError unless every row leads from its source's uplink, link by link, to its destination."""
    if paths.ndim != 2 or len(paths) != len(src):
        raise InputError(f"{name} has shape {paths.shape} for {len(src)} flows", where=name, hint="one row per flow")
    if not len(src):
        return
    on = paths >= 0
    port = np.where(on, paths, 0)
    if (paths >= fabric.ports).any():
        raise InputError(f"{name} names a port outside 0..{fabric.ports - 1}", where=name)
    last = on.sum(1) - 1
    rows = np.arange(len(src))
    joined = (fabric.port_peer[port[:, :-1]] == fabric.port_node[port[:, 1:]]) | ~on[:, 1:]
    padded = (on[:, :-1] | ~on[:, 1:]).all(1)
    good = joined.all(1) & padded & (last >= 0) & (fabric.port_node[port[:, 0]] == src)
    good &= fabric.port_peer[port[rows, last]] == dst
    if not good.all():
        flow = int(np.argmin(good))
        raise InputError(
            f"the path of flow {flow} does not lead from endpoint {src[flow]} to {dst[flow]} link by link",
            where=f"{name}[{flow}] = {paths[flow].tolist()}",
            hint="list the ports from the source's uplink to the one that reaches the destination, then -1",
        )
