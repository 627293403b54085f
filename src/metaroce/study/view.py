"""A study as a report: headlines first, then one section a link of the chain."""

from __future__ import annotations

from metaroce import __version__
from metaroce.kit.errors import Problem
from metaroce.kit.units import format_ns
from metaroce.report.document import Block, Callout, Chart, Figure, Figures, Report, Section, Table, Text, table
from metaroce.study import view_buy, view_fabric, view_what
from metaroce.study.api import StudyResult
from metaroce.study.as_data import as_data
from metaroce.study.capacity import Judged
from metaroce.study.chain import Chain
from metaroce.study.measured import Measured
from metaroce.study.words import dollars, percent, plain, scaled, seconds, span, span_seconds, week

INTERRUPTED = "interrupted: the chain is complete, what was asked after it is not"
METRIC_NAMES = {
    "ttft": "time to first token",
    "tpot": "time per output token",
    "e2e": "end to end",
    "network": "network",
}


def report_of(result: StudyResult) -> Report:
    """The whole study as a document; its `data` is `as_data(result)`."""
    chain = result.chain
    sections = [
        _answer(result),
        _requests(chain),
        view_fabric.section(chain),
        _service(chain),
        _capacity(chain),
        view_buy.bill_section(chain),
        view_buy.orders_section(chain),
        view_buy.money_section(chain),
        *view_what.sections(result),
    ]
    seeds = f"seeds {chain.seeds[0]} to {chain.seeds[-1]}"
    return Report(
        f"roce study: {chain.scenario.name}",
        chain.scenario.description,
        tuple(sections),
        data=as_data(result),
        footer=f"MetaRoCE {__version__}, {seeds}. Same scenario, seed and version give the same bytes.",
    )


def _answer(result: StudyResult) -> Section:
    chain, relaxed = result.chain, result.chain.settled.relaxed
    blocks: list[Block] = []
    if chain.is_feasible:
        blocks += [Callout("ok", _verdict(chain)), Figures(_headlines(chain))]
    else:
        blocks.append(Callout("bad", chain.settled.why_not))
    if relaxed is not None:
        blocks.append(Callout("note", relaxed.text(chain.settled.hardware.gpus)))
    blocks.extend(Callout("ok" if fit.keeps else "bad", fit.text) for fit in result.fits)
    if result.interrupted:
        blocks.append(Callout("warn", INTERRUPTED))
    blocks.extend(Callout("warn", _in_one_line(problem)) for problem in _problems(chain))
    return Section("answer", "Answer", tuple(blocks))


def _in_one_line(problem: Problem) -> str:
    where, hint = f" ({problem.where})" if problem.where else "", f"; {problem.hint}" if problem.hint else ""
    return f"{problem.what}{where}{hint}"


def _problems(chain: Chain) -> list[Problem]:
    found = list(chain.load.problems)
    return found + list(chain.order.bill.problems if chain.order else ())


def _verdict(chain: Chain) -> str:
    promises = ", ".join(f"{one.name} {seconds(one.value.value / 1e9)}" for one in chain.service.judged)
    return (
        f"**{plain(chain.gpus.value)} GPUs** ({_replicas(chain.settled.need.replicas)}) are the fewest that keep the "
        f"objectives: {promises}.{_doubt(chain)}"
    )


def _weeks(complete: tuple[int | None, int | None, int | None]) -> str:
    low, _, high = complete
    return "in every simulated market" if low == high else f"P10-P90: {week(low)} to {week(high)}"


def _doubt(chain: Chain) -> str:
    need = chain.settled.need
    more = [count for count in need.per_seed if need.replicas is not None and count > need.replicas]
    if not more:
        return ""
    each = chain.settled.hardware.gpus
    return f" Alone, {len(more)} of {len(need.per_seed)} seeds would ask for more, up to {max(more) * each} GPUs."


def _replicas(count: int | None) -> str:
    return "1 replica" if count == 1 else f"{count} replicas"


def _headlines(chain: Chain) -> tuple[Figure, ...]:
    assert chain.order and chain.orders and chain.money and chain.alternatives
    order, money, worst = chain.order, chain.money, chain.service.judged[0] if chain.service.judged else None
    items = [
        Figure("GPUs needed", plain(chain.gpus.value), span(chain.gpus), source="GPUs needed"),
        Figure(
            "GPUs ordered",
            plain(order.bill.gpus),
            f"margins x {order.reserved.product:.3f}, spare servers: {order.reserved.spare}",
            "warn" if order.reserved.from_margins else "plain",
            source="GPUs ordered",
        ),
        Figure(
            "purchase",
            dollars(money.purchase_total.value),
            f"prices: {dollars(money.purchase_total.low)} to {dollars(money.purchase_total.high)}; "
            f"seeds: {dollars(money.purchase_by_seed.low)} to {dollars(money.purchase_by_seed.high)}",
            source="purchase",
        ),
        Figure(
            "complete",
            week(chain.orders.complete_week[1]),
            _weeks(chain.orders.complete_week),
            source="complete",
        ),
        Figure(
            "net per year",
            dollars(money.account.net.value),
            f"{dollars(money.account.net.low)} to {dollars(money.account.net.high)}",
            "good" if money.account.net.value >= 0 else "bad",
            source="net per year",
        ),
    ]
    if worst is not None:
        limit = f"limit {seconds(worst.slo.limit / 1e9)}; {span_seconds(_in_seconds(worst))}"
        items.insert(
            1,
            Figure(
                worst.name, seconds(worst.value.value / 1e9), limit, "good" if worst.met else "bad", source=worst.name
            ),
        )
    if (other := chain.alternatives.dephased) is not None:
        value = "none" if other.gpus is None else plain(other.gpus)
        items.append(Figure("GPUs if requests may wait", value, other.what, "muted"))
    return tuple(items)


def _in_seconds(one: Judged) -> Measured:
    return scaled(one.value, 1e-9)


def _requests(chain: Chain) -> Section:
    load = chain.load
    found = load.profile
    rows = [
        ("requests", found.n),
        ("duration [s]", found.duration_s),
        ("mean rate [1/s]", found.rps),
        ("CV of gaps", found.gap_cv),
        ("peak over mean, 1 s", found.at(1).peak),
        ("peak over mean, 12 s", found.at(12).peak),
        ("busiest 12 s of a minute, floating [%]", found.floating_share * 100),
        ("busiest 12 s of a minute, on the clock [%]", found.locked_share * 100),
        ("prompt tokens, median / P95", f"{found.inputs.p50:,.0f} / {found.inputs.p95:,.0f}"),
        ("answer tokens, median / P95", f"{found.outputs.p50:,.0f} / {found.outputs.p95:,.0f}"),
    ]
    blocks: list[Block] = [table("The load", ["figure", "value"], rows, f"source: {found.source}")]
    if load.asked:
        asked = [(row.name, row.asked, row.measured, row.error, row.note) for row in load.asked]
        blocks.append(
            table("Generator: asked against drawn", ["figure", "asked", "drawn", "sampling error", "note"], asked)
        )
    if load.is_one_table and len(chain.seeds) > 1:
        blocks.append(Text("All seeds share this trace: intervals show routing, network and retrieval draws only."))
    window = format_ns(chain.scenario.capacity.window)
    blocks.append(
        Text(f"The capacity search simulates the busiest {window}: {len(load.busiest[0]):,} requests a seed.")
    )
    blocks.extend(Callout("warn", _in_one_line(problem)) for problem in load.problems)
    return Section("requests", "Requests", tuple(blocks))


def _service(chain: Chain) -> Section:
    service = chain.service
    rows = []
    for metric, name in METRIC_NAMES.items():
        values = [service.quantiles[metric, q] for q in (0.5, 0.95, 0.99)]
        rows.append((name, *(seconds(value.value) for value in values), span_seconds(values[1])))
    figures = [
        ("answered [%]", service.availability.value * 100),
        ("GPU busy [%]", service.busy.value * 100),
        ("KV cache at its peak [%]", service.kv_peak.value * 100),
        ("preempted requests a run", service.preempted.value),
        ("output tokens a second", service.tokens_per_s.value),
    ]
    blocks: list[Block] = [
        Text(f"{service.replicas} replicas on {service.gpus} GPUs, {service.requests:,} requests over all seeds."),
        _objectives(chain),
        table("Latency", ["metric", "P50", "P95", "P99", "P95 over seeds"], rows),
        table("Where the time goes", ["part", "share [%]"], [(k, v.value * 100) for k, v in service.shares.items()]),
        table("The replicas", ["figure", "value"], figures),
    ]
    blocks.extend(_service_charts(chain))
    return Section("service", "Service", tuple(blocks))


def _objectives(chain: Chain) -> Table:
    rows = [
        (
            one.name,
            seconds(one.value.value / 1e9),
            span_seconds(_in_seconds(one)),
            seconds(one.slo.limit / 1e9),
            "kept" if one.met else "broken",
            seconds(one.floor_ns / 1e9),
        )
        for one in chain.service.judged
    ]
    columns = ["objective", "value", "over seeds", "limit", "verdict", "floor"]
    return table("Objectives", columns, rows, "floor: every request alone on a replica; no count of GPUs beats it")


def _service_charts(chain: Chain) -> list[Block]:
    from metaroce.report.charts import breakdown_bars, latency_distribution

    service = chain.service
    curves = {METRIC_NAMES[m]: [v * 1e3 for v in service.cdf[m]] for m in ("ttft", "e2e") if service.cdf[m]}
    slo = next((one for one in service.judged if one.slo.metric == "ttft"), None)
    limit = {"limit": slo.slo.limit / 1e6, "quantile": slo.slo.quantile} if slo else None
    parts = {f"{service.replicas} replicas": {name: value.value * 100 for name, value in service.shares.items()}}
    charts: list[Block] = []
    if curves:
        charts.append(
            Chart(
                "Latency of all requests",
                lambda: latency_distribution(curves, slo=limit, log=True),
                "Over all seeds; dashed: the objective.",
                "cumulative distribution of latencies",
            )
        )
    charts.append(
        Chart(
            "Shares of the end-to-end time",
            lambda: breakdown_bars(parts, unit="%", what="Share of the time"),
            "Retrieval, queue, network, compute and serialisation.",
            "stacked bar of shares",
        )
    )
    return charts


def _capacity(chain: Chain) -> Section:
    need = chain.settled.need
    each = chain.settled.hardware.gpus
    rows = [
        (
            point.replicas,
            point.replicas * each,
            *(seconds(one.value.value / 1e9) for one in point.judged),
            "yes" if point.met else "no",
        )
        for point in need.curve
    ]
    names = [one.name for one in need.curve[0].judged] if need.curve else []
    blocks: list[Block] = [table("Counts that were tried", ["replicas", "GPUs", *names, "keeps all"], rows)]
    rounds = [(one.number, one.servers, one.request_p99_us, one.replicas) for one in chain.settled.rounds]
    columns = ["round", "servers on the fabric", "network P99 of a request [us]", "replicas"]
    blocks.append(
        table("Rounds of fabric, service and capacity", columns, rounds, "until the count repeats, five at most")
    )
    if not chain.settled.settled:
        blocks.append(Callout("warn", "the count still moved in the last round"))
    if need.curve and need.curve[0].judged:
        blocks.append(_curve(chain))
    if chain.alternatives is not None:
        blocks.append(_beside(chain))
    return Section("capacity", "Capacity", tuple(blocks))


def _curve(chain: Chain) -> Chart:
    from metaroce.report.charts import capacity_curve

    need, each = chain.settled.need, chain.settled.hardware.gpus
    points = [
        {
            "gpus": point.replicas * each,
            "value": one.value.value / 1e6,
            "low": one.value.low / 1e6,
            "high": one.value.high / 1e6,
            "meets": one.met,
            "series": one.name,
        }
        for point in need.curve
        for one in point.judged[:1]
        if one.value.high < 1e15
    ]
    first = need.curve[0].judged[0]
    chosen = None if need.replicas is None else need.replicas * each
    return Chart(
        "Latency over the GPU count",
        lambda: capacity_curve(
            points, limit=first.slo.limit / 1e6, limit_name="objective", what=first.name, chosen=chosen
        ),
        f"{first.name} by simulation; bars: 95 % over seeds.",
        "latency falls with the number of GPUs",
    )


def _beside(chain: Chain) -> Table:
    other = chain.alternatives
    assert other is not None
    rows: list[tuple] = [("simulation, all objectives", chain.gpus.value, "")]
    rows.append(("plain formula", other.formula.count.planned, other.formula.text))
    for one in (other.dephased, other.network):
        if one is not None:
            text = (
                f"{chain.service.judged[0].name} on our count: {seconds(one.at_ours_ns / 1e9)}"
                if chain.service.judged
                else ""
            )
            rows.append((one.what, "no count meets it" if one.gpus is None else one.gpus, text))
    rows.extend((f"{percent(share)} of the load", gpus, "") for share, gpus in other.by_share[:-1])
    return table("Beside the answer", ["question", "GPUs", "how"], rows)
