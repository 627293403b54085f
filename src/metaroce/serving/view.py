"""A serving result as part of a report: objectives, where the time goes, what the replicas did."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaroce.kit.units import format_ns
from metaroce.report.document import Callout, Cell, Section, Table, Text, table
from metaroce.serving.floor import Floor
from metaroce.serving.result import ServiceResult
from metaroce.serving.slo import AvailabilityVerdict, SloVerdict


def service_section(
    runs: Sequence[ServiceResult], verdicts: Sequence[SloVerdict], availability: AvailabilityVerdict,
    floors: Sequence[Floor] = (),
) -> Section:  # fmt: skip
    """One section on the runs of one service (the same but for the seed)."""
    good = availability.met and all(one.met for one in verdicts)
    said = "The service keeps its promises." if good else "The service does not keep its promises."
    blocks = (
        Callout("ok" if good else "bad", said),
        _objectives(verdicts, floors),
        _parts(runs[0]),
        _replicas(runs[0]),
    )
    answered = f"{availability.value:.4%} of {availability.requests:,} requests were answered (promised: "
    return Section("service", "The service", (*blocks, Text(f"{answered}{availability.target:.4%}).")))


def _objectives(verdicts: Sequence[SloVerdict], floors: Sequence[Floor]) -> Table:
    lowest = {(one.metric, one.quantile): one for one in floors}
    rows: list[tuple[Cell, ...]] = []
    for one in verdicts:
        least = lowest.get((one.slo.metric, one.slo.quantile))
        name = f"P{one.slo.quantile * 100:g} {one.slo.metric}"
        interval = f"{_time(one.low)} to {_time(one.high)}"
        rows.append((
            name, _time(one.value), interval, _time(one.limit), one.met, one.certain,
            _time(least.value) if least else None, least.reason if least else None,
        ))  # fmt: skip
    columns = ["objective", "value", "95 % interval", "limit", "met", "certain", "floor", "the floor's reason"]
    note = "Floor: a request alone on its replica. No number of replicas beats it."
    return table("Objectives", columns, rows, note if floors else "")


def _parts(run: ServiceResult) -> Table:
    rows = [(name, share * 100) for name, share in run.shares().items()]
    return table("Where a request's time goes", ["part", "share [%]"], rows)


def _replicas(run: ServiceResult) -> Table:
    rows: list[tuple[Cell, ...]] = [
        ("replicas", run.replicas), ("GPUs", run.gpus), ("GPU time in engine steps [%]", run.busy_share * 100),
        ("most KV blocks in use [%]", run.kv_peak_share * 100), ("output tokens a second", run.output_tokens_per_s),
        ("GPU-seconds a request", run.gpu_seconds_per_request), ("preemptions", int(run.preemptions.sum())),
        ("rejected requests", int(run.rejected.sum())), ("unfinished requests", int(run.unfinished.sum())),
    ]  # fmt: skip
    return table("The replicas", ["what", "value"], rows)


def _time(nanoseconds: float) -> str | None:
    if math.isnan(nanoseconds):
        return None
    return format_ns(nanoseconds) if math.isfinite(nanoseconds) else "never"
