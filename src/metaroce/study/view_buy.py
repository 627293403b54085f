"""Links 5 to 7 of the report: bill, orders, money."""

from __future__ import annotations

from typing import Any

import polars as pl

from metaroce.cost.account import Entry
from metaroce.report.document import Block, Callout, Chart, Details, Section, Text, table
from metaroce.study.chain import Chain
from metaroce.study.orders import Product
from metaroce.study.spares import blast_table
from metaroce.study.words import dollars, percent, plain, week

AMPLIFICATION = (
    ("ordinary", "ordinary week"),
    ("peak_order", "peak order"),
    ("peak_over_ordinary", "peak / ordinary"),
    ("variance_ratio", "variance ratio"),
    ("cv2_ratio_total", "CV² ratio, total"),
    ("backlog_peak", "peak backlog"),
    ("fill_rate", "fill rate"),
    ("phantom_share", "phantoms"),
)
NOT_REACHED = Callout("note", "not computed: no count meets the objectives")


def bill_section(chain: Chain) -> Section:
    """Everything to order, racks, spares, failures."""
    if chain.order is None:
        return Section("bill", "Bill of materials", (NOT_REACHED,))
    order, reserved = chain.order, chain.order.reserved
    margins = chain.scenario.capacity.reservation
    steps = [
        ("replicas that the objectives need", reserved.replicas, ""),
        ("servers for them", reserved.needed, ""),
        ("spare servers (N+k)", reserved.spare, reserved.spares.why),
        (
            "servers from reservation margins",
            reserved.from_margins,
            " x ".join(f"(1+{one:g})" for one in (margins.scheduler, margins.device_plugin, margins.nic_driver))
            + f" = {reserved.product:.4g}: {reserved.reserved} replicas",
        ),
        (
            "servers ordered",
            reserved.ordered,
            f"servers for {reserved.reserved} replicas + {reserved.spare} spare",
        ),
    ]
    racks, hall = order.bill.racks, order.bill.hall
    lines = [(line.item, line.name, line.quantity, line.why) for line in order.lines]
    failures = order.failures.select("part", "installed", "per_year", "spares", "spares_worst", "source").rows()
    blast = blast_table(order.fabric, chain.scenario.bill.spares)
    columns = ["part", "count", "servers_lost", "servers_degraded", "uplink_lost", "per_year"]
    blocks: list[Block] = [
        table("From need to order", ["step", "count", "how"], steps),
        Text(
            "Margins are static. The dynamic cascade (retries, rescheduling) that can exceed them is **not built** yet."
        ),
        table("Bill of materials", ["item", "catalog name", "quantity", "how"], lines),
        Text(f"Racks: {racks.why}. Hall: {hall.why}. Nameplate IT power {order.bill.power_w / 1e3:,.0f} kW."),
        Details(
            "Failures and spare parts",
            (
                table(
                    "Failures a year",
                    ["part", "installed", "failures a year", "spares", "spares at the worst published rate", "source"],
                    failures,
                ),
                table(
                    "What one failure takes along",
                    ["part", "count", "servers lost", "servers degraded", "share of uplinks lost", "failures a year"],
                    blast.select(columns).rows(),
                ),
            ),
        ),
    ]
    return Section("bill", "Bill of materials", tuple(blocks))


def orders_section(chain: Chain) -> Section:
    """The bill on its way through the supply chains."""
    if chain.orders is None:
        return Section("orders", "Orders", (NOT_REACHED,))
    orders = chain.orders
    low, middle, high = (week(one) for one in orders.complete_week)
    gap = orders.gap_gpu_weeks
    blocks: list[Block] = [
        Text(
            f"Ordered in week {chain.scenario.orders.order_week} of the simulated market. Weeks below count from the "
            f"order. The {orders.need_gpus} GPUs that are needed stand ready in **{middle}** (P10 {low}, P90 {high}); "
            f"wanted in week {orders.wanted_week}. Missing until then: {plain(gap.value)} GPU-weeks "
            f"({plain(gap.low)} to {plain(gap.high)})."
        )
    ]
    for product in orders.products:
        picked = product.tiers.select("tier", *(column for column, _ in AMPLIFICATION)).rows()
        columns = ["tier", *(name for _, name in AMPLIFICATION)]
        note = f"{product.units} units ordered; weekly, in units of each tier. The market's own swings are included."
        blocks.append(table(f"Amplification: {product.name}", columns, picked, note))
        blocks.append(_orders_chart(product))
    blocks.append(_ready_chart(chain))
    return Section("orders", "Orders", tuple(blocks))


def _orders_chart(product: Product) -> Chart:
    from metaroce.report.charts import orders_by_tier

    tiers = {}
    for row in product.tiers.iter_rows(named=True):
        weeks = product.orders.filter(pl.col("tier") == row["tier"])
        tiers[row["tier"]] = {
            "week": weeks["week"].to_list(),
            "p10": weeks["p10"].to_list(),
            "p50": weeks["p50"].to_list(),
            "p90": weeks["p90"].to_list(),
            "ordinary": row["ordinary"] or 1.0,
        }
    return Chart(
        f"Orders by tier: {product.name}",
        lambda: orders_by_tier(tiers),
        "Median and P10-P90 over the simulated markets, as multiples of an ordinary week.",
        "orders over the weeks, one picture a tier",
    )


def _ready_chart(chain: Chain) -> Chart:
    from metaroce.report.charts import time_series

    assert chain.orders is not None
    ready = chain.orders.ready.head(60)
    line = {
        "x": ready["week"].to_list(),
        "y": ready["p50"].to_list(),
        "low": ready["p10"].to_list(),
        "high": ready["p90"].to_list(),
    }
    need = {"needed": float(chain.orders.need_gpus)}
    return Chart(
        "Delivered against needed",
        lambda: time_series(
            {"GPUs ready": line}, x_title="weeks after the order", y_title="GPUs", levels=need, step=True
        ),
        "Servers and switches must both be there. Median and P10-P90.",
        "delivered GPUs by week",
    )


def money_section(chain: Chain) -> Section:
    """Prices, owning and renting, the two columns."""
    if chain.money is None:
        return Section("money", "Money", (NOT_REACHED,))
    money, account = chain.money, chain.money.account
    entries = [("gain", one) for one in account.gains] + [("cost", one) for one in account.costs]
    rows = [(side, one.name, one.value, one.low, one.high, one.formula) for side, one in entries]
    rows += [
        (name, "sum", one.value, one.low, one.high, one.formula)
        for name, one in (("gain", account.gain), ("cost", account.cost), ("net", account.net))
    ]
    prices = {factor.name: factor for line in (*money.purchase, *money.yearly) for factor in line.factors}
    used = [(f.name, f.value, f.low, f.high, f.unit, f.source) for f in [*prices.values(), money.rent_hour]]
    interval = percent(account.interval)
    split = money.split
    blocks: list[Block] = [
        Text(
            f"Purchase {dollars(money.purchase_total.value)} ({dollars(money.purchase_total.low)} to "
            f"{dollars(money.purchase_total.high)} over the price ranges; {dollars(money.purchase_by_seed.low)} to "
            f"{dollars(money.purchase_by_seed.high)} for the counts that single seeds ask for); owning costs "
            f"{dollars(money.yearly_total.value)} a year, "
            f"{dollars(money.gpu_hour.value)} a GPU-hour against {dollars(money.rent_hour.value)} rented."
        ),
        table(
            "Technical gain | cost | net, a year",
            ["column", "line", "USD", "low", "high", "how"],
            rows,
            f"low and high: central {interval} of {account.draws:,} draws over the price ranges",
        ),
        *_not_countable(chain),
        _account_chart(chain),
        Text(
            f"Owned base and rented burst over a working day: {split.formula}. Cheapest: own {split.own}, rent up to "
            f"{max(0, split.peak - split.own)} more ({percent(split.rented_share)} of the GPU-hours): "
            f"{dollars(split.cost)} an hour; owning the peak {dollars(split.cost_own_peak)}, "
            f"renting all {dollars(split.cost_rent_all)}."
        ),
        _load_chart(chain),
        Details(
            "Prices used, all assumptions until quoted",
            (
                table("Prices", ["name", "value", "low", "high", "unit", "source and date"], used),
                table(
                    "Bill at these prices",
                    ["line", "USD", "how"],
                    [(one.name, one.value, one.formula) for one in money.purchase],
                ),
                table(
                    "A year of owning",
                    ["line", "USD", "how"],
                    [(one.name, one.value, one.formula) for one in money.yearly],
                ),
            ),
        ),
    ]
    return Section("money", "Money", tuple(blocks))


def _load_chart(chain: Chain) -> Chart:
    from metaroce.report.charts import load_curve

    assert chain.alternatives is not None and chain.money is not None
    by_hour, own = list(chain.alternatives.by_hour), chain.money.split.own
    return Chart(
        "A working day: owned and rented",
        lambda: load_curve(by_hour, own),
        "GPUs that each hour needs; the cheapest split between owned and rented.",
        f"GPUs by hour of the day; the cheapest split owns {own} of them",
    )


def _not_countable(chain: Chain) -> list[Block]:
    network = chain.alternatives.network if chain.alternatives else None
    if network is None or network.gpus is not None:
        return []
    return [
        Text(
            f"Against {network.what}: a gain that cannot be counted in GPUs, since no count meets the objectives there."
        )
    ]


def _account_chart(chain: Chain) -> Chart:
    from metaroce.report.charts import account_bars

    assert chain.money is not None
    account = chain.money.account

    def bar(one: Entry) -> dict[str, Any]:
        return {"name": one.name, "value": one.value, "low": one.low, "high": one.high}

    gains, costs = [bar(one) for one in account.gains if one.value], [bar(one) for one in account.costs if one.value]
    return Chart(
        "The two columns",
        lambda: account_bars(gains, costs, bar(account.net)),
        "Bars: most likely prices; whiskers: price ranges.",
        "gains to the right, costs to the left, and the net",
    )
