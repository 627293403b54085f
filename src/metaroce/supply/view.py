"""A run of a supply chain as part of a report: who amplifies, when it arrives."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from metaroce.report.document import Callout, Chart, Section, Table, Text, table
from metaroce.supply.delivery import Delivery, delivery
from metaroce.supply.result import SupplyResult


def supply_section(result: SupplyResult, *, product: str = "units") -> Section:
    """One section on one product. `product`: what the customer end counts, in the plural."""
    told = delivery(result)
    blocks = (_arrival(result, told, product), _tiers(result.tiers), _orders(result), _service(told, product))
    note = Text("Ratios are those of weekly orders; longer periods show smaller ones (Chen and Lee 2012).")
    return Section("supply", "Orders and deliveries", (*blocks, note))


def _arrival(result: SupplyResult, told: Delivery, product: str) -> Callout:
    extra = result.extra.sum()
    if not extra:
        return Callout("note", "Nothing beyond ordinary demand was ordered.")
    placed = int(np.flatnonzero(result.extra)[0])
    low, middle, high = (float(np.quantile(told.complete_week, q, method="higher")) for q in (0.1, 0.5, 0.9))
    if math.isinf(high):
        missing = f"{(told.weekly['gap_p90'][-1]):,.4g} of them may be missing"
        return Callout(
            "bad", f"{extra:,.5g} {product} ordered in week {placed} are not all there at the end; {missing}."
        )
    weeks = f"{middle - placed:.0f} weeks (P10 {low - placed:.0f}, P90 {high - placed:.0f})"
    return Callout("ok", f"{extra:,.5g} {product} ordered in week {placed} are all in service after {weeks}.")


def _tiers(tiers: pl.DataFrame) -> Table:
    columns = {
        "tier": "tier", "ordinary": "ordinary [a week]", "peak_order": "largest order", "peak_week": "in week",
        "peak_over_ordinary": "times ordinary", "variance_ratio": "bullwhip", "variance_ratio_total": "bullwhip, total",
        "fill_rate": "fill rate", "backlog_peak": "largest backlog", "phantom_share": "phantom share",
    }  # fmt: skip
    note = (
        "Bullwhip: variance of a tier's orders over that of the orders it receives; total: over that of end demand. "
        "Phantom: ordered beyond need."
    )
    return table("The tiers", list(columns.values()), tiers.select(*columns).rows(), note)


def _orders(result: SupplyResult) -> Chart:
    def make():
        from metaroce.report.chart_series import orders_by_tier

        placed = result.weekly.filter(pl.col("quantity") == "order")
        ordinary = zip(result.tiers["tier"], result.tiers["ordinary"], strict=True)
        tiers = {
            name: placed.filter(pl.col("tier") == name).select("week", "p10", "p50", "p90").to_dict(as_series=False)
            | {"ordinary": usual}
            for name, usual in ordinary
            if usual > 0
        }
        return orders_by_tier(tiers)

    worst = result.tiers.sort("peak_over_ordinary", nulls_last=True, descending=True).row(0, named=True)
    alt = f"Orders swing most at {worst['tier']}"
    return Chart("Orders by week", make, "Median and P10-P90 over the simulated courses.", alt)


def _service(told: Delivery, product: str) -> Chart:
    def make():
        from metaroce.report.chart_series import time_series

        weekly = told.weekly.to_dict(as_series=False)
        week = weekly["week"]
        there = {
            "x": week,
            "y": weekly["in_service_p50"],
            "low": weekly["in_service_p10"],
            "high": weekly["in_service_p90"],
        }
        needed = {"x": week, "y": weekly["need"]}
        return time_series({"ordered": needed, "in service": there}, x_title="week", y_title=product)

    missing = float(told.gap_unit_weeks.mean())
    caption = f"Between them lie {missing:,.4g} {product} x weeks."
    return Chart(
        "The extra order and what of it is in service", make, caption, "Two rising lines, ordered before in service"
    )
