"""Two studies side by side: every link before | after | change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metaroce.report.document import Report, Section, Table, table
from metaroce.study.api import StudyResult
from metaroce.study.chain import Chain
from metaroce.study.words import plain, scaled, span_seconds


@dataclass(frozen=True, slots=True)
class Row:
    """One number of one link; None where a study did not reach it."""

    link: str
    name: str
    unit: str
    before: float | None
    after: float | None
    note: str = ""

    @property
    def change(self) -> str:
        """`+12 (+5.2 %)`."""
        if self.before is None or self.after is None:
            return "-"
        difference = self.after - self.before
        if difference == 0:
            return "same"
        share = f" ({difference / abs(self.before):+.1%})" if self.before else ""
        return f"{'+' if difference > 0 else '-'}{plain(abs(difference))}{share}"


def comparison(before: StudyResult, after: StudyResult) -> tuple[Row, ...]:
    """The numbers of every link, in the order of the chain."""
    rows = []
    for link, name, unit, read in _numbers(before.chain, after.chain):
        rows.append(Row(link, name, unit, read(before.chain), read(after.chain)))
    return tuple(row for row in rows if row.before is not None or row.after is not None)


def report_of_comparison(before: StudyResult, after: StudyResult) -> Report:
    """The comparison as a document."""
    names = before.chain.scenario.name, after.chain.scenario.name
    data = {"before": names[0], "after": names[1], "inputs": changed_inputs(before, after),
            "links": comparison(before, after)}  # fmt: skip
    title = f"roce study: {names[0]} against {names[1]}" if names[0] != names[1] else f"roce study: {names[0]}, changed"
    return Report(title, "before | after | change", comparison_sections(before, after), data=data)


def comparison_sections(before: StudyResult, after: StudyResult) -> tuple[Section, ...]:
    """What differs, what follows link by link, and whether it is more than the dice."""
    return (
        Section("inputs", "What differs in the scenarios", (_inputs(changed_inputs(before, after)),)),
        Section("links", "The chain: before | after | change", (_table(comparison(before, after)),)),
        Section("spread", "Is the change more than the dice?", (_spread(before, after),)),
    )


def changed_inputs(before: StudyResult, after: StudyResult) -> list[tuple[str, str, str]]:
    """(key, before, after) of every scenario value that differs."""
    first, second = (_flat(one.chain.scenario.model_dump(mode="json")) for one in (before, after))
    keys = dict.fromkeys([*first, *second])
    return [(key, first.get(key, "-"), second.get(key, "-")) for key in keys if first.get(key) != second.get(key)]


def _flat(value: object, path: str = "") -> dict[str, str]:
    if isinstance(value, dict):
        return {
            k: v for key, part in value.items() for k, v in _flat(part, f"{path}.{key}" if path else str(key)).items()
        }
    if isinstance(value, list | tuple):
        return {k: v for n, part in enumerate(value) for k, v in _flat(part, f"{path}.{n}").items()}
    return {path: str(value)}


def _inputs(changed: list[tuple[str, str, str]]) -> Table:
    return table("Inputs", ["key", "before", "after"], changed, "" if changed else "the scenarios are the same")


def _table(rows: tuple[Row, ...]) -> Table:
    told = [(row.link, row.name, row.before, row.after, row.change) for row in rows]
    return table("Every link", ["link", "number", "before", "after", "change"], told)


def _spread(before: StudyResult, after: StudyResult) -> Table:
    rows = []
    for one, other in zip(before.chain.service.judged, after.chain.service.judged, strict=False):
        apart = one.value.high < other.value.low or other.value.high < one.value.low
        spans = (span_seconds(scaled(value, 1e-9)) for value in (one.value, other.value))
        rows.append((one.name, *spans, "yes" if apart else "no"))
    return table("Intervals over seeds", ["objective", "before", "after", "intervals apart"], rows)


def _numbers(before: Chain, after: Chain) -> list[tuple[str, str, str, Callable[[Chain], float | None]]]:
    windows = [one.window for one in before.settled.network.windows or after.settled.network.windows]
    found: list[tuple[str, str, str, Callable[[Chain], float | None]]] = [
        ("requests", "mean rate [1/s]", "1/s", lambda c: c.load.profile.rps),
        ("requests", "peak over mean, 12 s", "", lambda c: c.load.profile.at(12).peak),
        ("fabric", "switches", "", lambda c: float(c.settled.network.switches)),
    ]
    found += [
        ("fabric", f"{window}: {figure}", "us" if "P99" in figure else "", _figure(number, figure))
        for number, window in enumerate(windows)
        for figure in ("request P99", "ECN marks", "PFC pauses", "drops")
    ]
    found += [
        ("service", f"{metric.upper()} P{q * 100:g} [ms]", "ms", _quantile(metric, q))
        for metric in ("ttft", "tpot", "e2e")
        for q in (0.5, 0.95, 0.99)
    ]
    found += [
        ("capacity", "GPUs needed", "GPUs", lambda c: c.gpus.value if c.is_feasible else None),
        ("bill", "GPUs ordered", "GPUs", lambda c: float(c.order.bill.gpus) if c.order else None),
        ("bill", "switches", "", lambda c: float(c.order.bill.quantity("switch")) if c.order else None),
        ("bill", "IT power [kW]", "kW", lambda c: c.order.bill.power_w / 1e3 if c.order else None),
        ("orders", "complete, median week", "weeks", _complete_week),
        ("orders", "GPU-weeks short", "GPU-weeks", lambda c: c.orders.gap_gpu_weeks.value if c.orders else None),
        ("money", "purchase [USD]", "USD", lambda c: c.money.purchase_total.value if c.money else None),
        ("money", "owning a year [USD]", "USD", lambda c: c.money.yearly_total.value if c.money else None),
        ("money", "net a year [USD]", "USD", lambda c: c.money.account.net.value if c.money else None),
    ]
    return found


def _figure(window: int, name: str) -> Callable[[Chain], float | None]:
    def read(chain: Chain) -> float | None:
        windows = chain.settled.network.windows
        found = windows[window].figures.get(name) if window < len(windows) else None
        return None if found is None else found.value

    return read


def _quantile(metric: str, q: float) -> Callable[[Chain], float | None]:
    return lambda chain: chain.service.quantiles[metric, q].value * 1e3


def _complete_week(chain: Chain) -> float | None:
    week = chain.orders.complete_week[1] if chain.orders else None
    return None if week is None else float(week)
