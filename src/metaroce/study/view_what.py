"""What else a study says: what moves the answer, how it compares with claims, and where each number comes from."""

from __future__ import annotations

from metaroce.report.document import Block, Chart, Provenance, Section, Source, Table, Text, table
from metaroce.study.api import StudyResult
from metaroce.study.chain import Chain
from metaroce.study.claims import Compared
from metaroce.study.sensitivity import Answer, Moved
from metaroce.study.words import dollars, plain, seconds, span, week

HOW_WHY = "Why: inputs whose change alone brings ours nearest to the claim, each re-run with the same random numbers."


def sections(result: StudyResult) -> list[Section]:
    """The sections that this study has."""
    found = []
    if result.moved:
        found.append(_sensitivity(result))
    if result.claims:
        found.append(Section("claims", "Claimed | ours | why", (_claims(result.claims), Text(HOW_WHY))))
    if result.chain.is_feasible:
        found.append(Section("sources", "Where the numbers come from", (_sources(result.chain),)))
    return found


def _sensitivity(result: StudyResult) -> Section:
    step = f"{result.chain.scenario.sensitivity.step:.0%}"
    rows = [(row.label, *_ends(row, "gpus"), *_ends(row, "yearly"), *_ends(row, "slo_ms")) for row in result.moved]
    first = result.chain.service.judged[0].name if result.chain.service.judged else "objective"
    columns = ["input", "GPUs -", "GPUs +", "a year - [M$]", "a year + [M$]", f"{first} - [ms]", f"{first} + [ms]"]
    note = f"-, +: the input {step} lower, higher; {first} on the base run's GPU count"
    blocks: list[Block] = [table("One input at a time", columns, rows, note)]
    shown = [
        row for row in result.moved if row.down and row.up and row.down.gpus is not None and row.up.gpus is not None
    ]
    if shown:
        blocks.insert(0, _tornado(result.chain, shown, step))
    return Section("sensitivity", "What moves the answer", tuple(blocks))


def _ends(row: Moved, name: str) -> tuple[float | str | None, float | str | None]:
    low, high = (_end(one, name) for one in (row.down, row.up))
    return low, high


def _end(answer: Answer | None, name: str) -> float | str | None:
    if answer is None:
        return None
    value = getattr(answer, name)
    if value is None:
        return "none" if name == "gpus" else None
    return value / 1e6 if name == "yearly" else value


def _tornado(chain: Chain, rows: list[Moved], step: str) -> Chart:
    from metaroce.report.charts import tornado

    swings = [
        {
            "name": row.label,
            "at_low": row.down.gpus,
            "at_high": row.up.gpus,
            "low_label": f"-{step}",
            "high_label": f"+{step}",
        }
        for row in rows
        if row.down and row.up
    ]
    return Chart(
        "GPUs needed when one input moves",
        lambda: tornado(swings, base=chain.gpus.value, unit="", what="GPUs needed"),
        f"Each input alone by {step}; the chain is re-run.",
        "tornado of GPU counts",
    )


def _claims(rows: tuple[Compared, ...]) -> Table:
    told = []
    for row in rows:
        ours = "not built" if not row.built else "none" if row.ours is None else plain(row.ours)
        why = "; ".join(f"{one.label}: {plain(one.value or 0.0)}" for one in row.why)
        if row.tried and not why:
            why = "none of the inputs tried comes nearer"
        told.append((f"{row.name} [{row.unit}]", plain(row.claimed), ours, why, row.note))
    return table("Claims of the report", ["claim", "claimed", "ours", "why", "note"], told)


def _sources(chain: Chain) -> Provenance:
    assert chain.order and chain.orders and chain.money
    need, order, money = chain.settled.need, chain.order, chain.money
    reserved = order.reserved
    spec = chain.scenario
    rows = [
        Source(
            "GPUs needed",
            plain(chain.gpus.value),
            "smallest count whose simulated requests, all seeds together, keep every objective",
            f"requests.*, service.*, network times of link 2; {need.replicas} x {chain.settled.hardware.gpus}",
            f"seeds alone ask for {span(chain.gpus) or 'the same'}",
        ),
        *(
            Source(
                one.name,
                seconds(one.value.value / 1e9),
                "quantile of all measured requests; unserved ones count as infinite",
                f"service.slos, {chain.service.requests:,} requests",
                "serving simulator",
            )
            for one in chain.service.judged
        ),
        Source(
            "GPUs ordered",
            plain(order.bill.gpus),
            f"servers for {reserved.replicas} x {reserved.product:.4g} = {reserved.reserved} replicas, "
            f"+ {reserved.spare} spare, x {chain.settled.hardware.server.gpus} GPUs",
            "capacity.reservation, bill.spares, service.server",
            reserved.spares.why,
        ),
        Source(
            "purchase",
            dollars(money.purchase_total.value),
            "sum of quantity x price over the bill",
            "bill lines, money.prices",
            "prices of the catalog: assumptions with date and range",
        ),
        Source(
            "complete",
            week(chain.orders.complete_week[1]),
            "first week in which servers and switches for the needed GPUs have arrived, median market",
            f"orders.servers, orders.switches, order of week {spec.orders.order_week}, {spec.orders.paths} markets",
            "supply-chain simulator",
        ),
        Source(
            "net per year",
            dollars(money.account.net.value),
            "gains - costs of the two-column account",
            "; ".join(one.formula for one in (*money.account.gains, *money.account.costs)),
            "cost formulas",
        ),
    ]
    return Provenance("Headline numbers", tuple(rows))
