"""A study on one screen: the answer, one line a link of the chain, what moves it, what is claimed."""

from __future__ import annotations

from collections.abc import Iterator

from metaroce.report.document import Block, Callout, Report, Section, Text, table
from metaroce.study.api import StudyResult
from metaroce.study.chain import Chain
from metaroce.study.words import dollars, percent, plain, scaled, seconds, span, span_seconds, week

MOST_LEVERS = 6


def summary_of(report: Report, result: StudyResult) -> Report:
    """The terminal page: `report` is the whole one, of which the answer and the tables of what-if are kept."""
    kept = {section.key: section for section in report.sections}
    sections = [kept["answer"], Section("chain", "The chain, link by link", tuple(_chain(result.chain)))]
    if "sensitivity" in kept:
        rows = [
            (row.label, *((one.gpus if one.gpus is not None else "none") if one else "-" for one in (row.down, row.up)))
            for row in result.moved[:MOST_LEVERS]
        ]
        step = f"{result.chain.scenario.sensitivity.step:.0%}"
        columns = ["input", f"GPUs at -{step}", f"GPUs at +{step}"]
        sections.append(Section("sensitivity", "What moves the answer", (table("", columns, rows),)))
    sections.extend(kept[key] for key in ("claims", "inputs", "links", "spread") if key in kept)
    more = Section(
        "more", "More", (Text("Everything, with charts and sources: `--out report.html`; as text: `--full`."),)
    )
    return Report(report.title, report.subtitle, (*sections, more), report.data, report.footer)


def _chain(chain: Chain) -> Iterator[Block]:
    yield table("", ["link", "result", "over seeds or prices"], [*_rows(chain)])
    if chain.is_feasible:
        yield Callout("note", "margins are static; the dynamic cascade is not built yet")


def _rows(chain: Chain) -> Iterator[tuple[str, str, str]]:
    load, network = chain.load.profile, chain.settled.network
    yield (
        "requests",
        f"{plain(load.rps)}/s, peak {plain(load.at(12).peak, 3)} x the mean over 12 s",
        f"{percent(load.locked_share)} in the best 12 s of the minute",
    )
    if network.idle:
        yield "fabric", network.idle, ""
    for window in network.windows:
        for what, name in (("request", "a request's transfers take"), ("step", "a step's collectives take")):
            if (found := window.figures.get(f"{what} P99")) is not None:
                text = f"{window.window}: {name} {plain(found.value)} us at P99"
                yield "fabric", text, f"{span(found)} us"
    for one in chain.service.judged:
        kept = "kept" if one.met else "broken"
        value = f"{one.name} {seconds(one.value.value / 1e9)}, limit {seconds(one.slo.limit / 1e9)}: {kept}"
        if not chain.is_feasible:
            value += f" (on {chain.service.replicas} replicas)"
        yield "service", value, span_seconds(scaled(one.value, 1e-9))
    if chain.alternatives is not None:
        yield "capacity", f"{plain(chain.gpus.value)} GPUs, fabric and count settled", span(chain.gpus)
        other = chain.alternatives
        yield "", f"plain formula {other.formula.count.planned} GPUs", other.formula.text
        for one in (other.dephased, other.network):
            if one is not None:
                yield "", f"{one.what}: {'no count meets it' if one.gpus is None else f'{one.gpus} GPUs'}", ""
    yield from _bought(chain)


def _bought(chain: Chain) -> Iterator[tuple[str, str, str]]:
    order, orders, money = chain.order, chain.orders, chain.money
    if order is None or orders is None or money is None:
        yield "bill, orders, money", "not computed: no count meets the objectives", ""
        return
    reserved = order.reserved
    bought = f"{order.bill.gpus} GPUs, {order.bill.servers} servers, {order.bill.quantity('switch')} switches"
    yield (
        "bill",
        bought,
        f"{reserved.replicas} replicas x {reserved.product:.3f} = {reserved.reserved}, spare servers: {reserved.spare}",
    )
    low, middle, high = (week(one) for one in orders.complete_week)
    spread = f"{low} to {high}" if low != high else "the same in every simulated market"
    yield "orders", f"needed GPUs complete in {middle} after the order", spread
    for product in orders.products:
        peaks = [plain(value, 3) for value in product.tiers["peak_over_ordinary"].to_list() if value is not None]
        yield "", f"{product.name}: peak order over an ordinary week, tier by tier", " -> ".join(peaks)
    total = money.purchase_total
    yield "money", f"purchase {dollars(total.value)}", f"{dollars(total.low)} to {dollars(total.high)}"
    account = money.account
    net = f"{dollars(account.net.low)} to {dollars(account.net.high)}"
    columns = f"gain {dollars(account.gain.value)}, cost {dollars(account.cost.value)}"
    yield "", f"a year: {columns}, net {dollars(account.net.value)}", net
