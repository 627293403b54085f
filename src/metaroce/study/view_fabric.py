"""Link 2 of the report: the fabric, its windows, its charts."""

from __future__ import annotations

from metaroce.kit.units import format_ps, wire_time
from metaroce.model.topology import Sized
from metaroce.model.transfers import GivenTransfers
from metaroce.report.document import Block, Callout, Chart, Section, Table, Text, table
from metaroce.study.chain import Chain
from metaroce.study.network import WindowResult
from metaroce.study.words import percent, plain, span

TIMES = {
    "transfer": "one transfer",
    "request": "slowest of a request",
    "step": "collectives of a step, all layers",
}
REACTION_PS = 2_000_000  # marked packet to the receiver, notification back: cables and switches of one leaf
COUNTS = (
    "transfers",
    "unfinished",
    "data packets",
    "ECN marks",
    "CNPs",
    "PFC pauses",
    "pause time, us",
    "drops",
    "resent packets",
    "timeouts",
    "deepest queue, bytes",
)


def section(chain: Chain) -> Section:
    """The fabric that was simulated, and what the requests met there."""
    network = chain.settled.network
    topology = chain.scenario.fabric.topology
    plan = chain.scenario.fabric
    words = [plan.law.name, "PFC" if plan.pfc.enabled else "no PFC", "ECN" if plan.ecn.enabled else "no ECN"]
    head = Text(
        f"{topology.kind}: {network.servers} servers, {network.endpoints} NIC ports, {network.switches} switches; "
        f"{', '.join(words)}."
    )
    if network.idle:
        return Section("fabric", "Fabric", (head, Callout("note", network.idle)))
    blocks: list[Block] = [head, _times(network.windows), _counts(network.windows)]
    blocks.extend(_budget(chain))
    blocks.append(Text("; ".join(_coverage(window) for window in network.windows)))
    blocks.extend(_charts(network.windows[-1]))
    return Section("fabric", "Fabric", tuple(blocks))


def _budget(chain: Chain) -> list[Block]:
    """Whether transfers keep their budget, and whether anything in the fabric could act on them."""
    transfers, figures = chain.scenario.fabric.transfers, chain.settled.network.windows[-1].figures
    if not isinstance(transfers, GivenTransfers) or "share in budget" not in figures:
        return []
    inside = figures["share in budget"]
    kept = inside.value >= transfers.budget_share
    said = f"{percent(inside.value, 4)} of the transfers end within {format_ps(transfers.budget)}"
    told: list[Block] = [Callout("ok" if kept else "bad", f"{said}; wanted {percent(transfers.budget_share)}")]
    topology = chain.scenario.fabric.topology
    sending = wire_time(transfers.largest, topology.nic_rate) if isinstance(topology, Sized) else 0
    if 0 < sending < REACTION_PS:
        told.append(Text(
            f"The largest transfer leaves its NIC in {format_ps(sending)}, before a congestion notification could come "
            "back: ECN thresholds and congestion control cannot slow single transfers down. They act on longer flows "
            "(`fabric.background`, KV caches); PFC acts on all."
        ))  # fmt: skip
    return told


def _coverage(window: WindowResult) -> str:
    part = "all of it" if window.share >= 1 else f"{percent(window.share)} of its requests, in slices around them"
    counts = f"{window.requests:,} requests, {window.transfers:,} transfers over all seeds"
    if not window.requests:
        return f"{window.window}: a sample of layers was simulated ({window.transfers:,} flows over all seeds)"
    return f"{window.window}: {part} was simulated ({counts})"


def _times(windows: tuple[WindowResult, ...]) -> Table:
    rows = []
    for window in windows:
        for what, name in TIMES.items():
            if f"{what} P50" not in window.figures:
                continue
            values = [window.figures[f"{what} {q}"] for q in ("P50", "P95", "P99", "max")]
            rows.append((window.window, name, *(value.value for value in values), span(values[2])))
        if "share in budget" in window.figures:
            value = window.figures["share in budget"]
            rows.append((window.window, "transfers within the budget [%]", None, None, None, value.value * 100, ""))
    columns = ["window", "time of", "P50 [us]", "P95 [us]", "P99 [us]", "max [us]", "P99 over seeds"]
    return table("Network time", columns, rows)


def _counts(windows: tuple[WindowResult, ...]) -> Table:
    rows = [(name, *(window.figures[name].value for window in windows)) for name in COUNTS]
    hottest = [f"{window.hottest[0][0]} {percent(window.hottest[0][1])}" for window in windows]
    rows.append(("hottest port and its use", *hottest))
    return table("What happened on the links (mean of the seeds)", ["count", *(w.window for w in windows)], rows)


def _charts(window: WindowResult) -> list[Block]:
    from metaroce.report.charts import time_series

    series, time = window.series, window.series["time_ms"]
    use = {
        "hottest port": {"x": time, "y": series["hottest_use"]},
        "mean of all ports": {"x": time, "y": series["mean_use"]},
    }
    events = {"ECN marks": {"x": time, "y": series["marks"]}, "pause time [us]": {"x": time, "y": series["paused_us"]}}
    queue = {"deepest queue": {"x": time, "y": series["deepest_queue_kb"]}}
    where = f"First seed, {window.window}."
    x = "simulated time [ms]"
    return [
        Chart(
            "Use of the links",
            lambda: time_series(use, x_title=x, y_title="share of the port's rate", share=True, step=True),
            where,
            "utilisation over time",
        ),
        Chart(
            "Marks and pauses",
            lambda: time_series(events, x_title=x, y_title="per bin", step=True),
            where,
            "ECN marks and PFC pause time over time",
        ),
        Chart(
            "Deepest queue",
            lambda: time_series(queue, x_title=x, y_title="KB", step=True),
            where,
            f"queue depth over time, at most {plain(max(series['deepest_queue_kb'], default=0.0))} KB",
        ),
    ]
