"""Amplification and service of every tier, from the moments that the kernel adds up.

A tier's *own* ratio compares what it orders with what is ordered from it; the *cumulative* one with the end
customer's demand. Both count in end products, so that servers, chips and wafers compare. The literature's bullwhip is
the ratio of variances; field reports speak of peaks. We give both, under their own names, and say the period: weeks.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metaroce.supply import columns as c
from metaroce.supply.plan import Plan

F = NDArray[np.float64]


def tier_table(names: tuple[str, ...], plan: Plan, moments: F, weeks: int) -> pl.DataFrame:
    """One row per tier from moments float64[K + 1, 16, N] over `weeks` counted weeks.

    ordinary                  units per week in quiet times
    variance_ratio            variance of orders over variance of incoming orders; `_se`: its standard error
    variance_ratio_total      the same over the variance of end demand; `_se`
    cv2_ratio, cv2_ratio_total  the same with squared coefficients of variation
    peak_ratio                largest order over largest incoming order of a path, mean over paths
    peak_ratio_total          largest order over largest end demand
    peak_over_ordinary        largest order over ordinary volume: what field reports call amplification
    peak_order, peak_week     largest order in own units, mean over paths; its median week
    backlog_peak              largest backlog in own units, mean over paths
    net_stock_ratio           variance of (stock - backlog) over variance of end demand, both in end products
    fill_rate                 share of incoming orders shipped in the week they arrived
    phantom_share             share of the units ordered that were beyond need
    cancelled_share           share of the units ordered that were taken back
    Ratios of nothing to nothing (no demand, no variance) are null.
    """
    end = moments[-1]
    end_variance = _variance(end, c.ORDER_1, c.ORDER_2, weeks, plan.base_demand)
    end_mean = plan.base_demand + end[c.ORDER_1] / weeks
    rows = [_tier_row(k, plan, moments[k], (end, end_variance, end_mean), weeks) for k in range(len(names))]
    table = pl.DataFrame(rows, infer_schema_length=None).insert_column(0, pl.Series("tier", names))
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _tier_row(k: int, plan: Plan, m: F, end: tuple[F, F, F], weeks: int) -> dict[str, float]:
    end_moments, end_variance, end_mean = end
    usual = plan.tiers.volume[k] / plan.weeks.end_units[0, k]
    placed, asked = (_variance(m, *pair, weeks, usual) for pair in ((c.ORDER_1, c.ORDER_2), (c.ASKED_1, c.ASKED_2)))
    placed_mean, asked_mean = usual + m[c.ORDER_1] / weeks, usual + m[c.ASKED_1] / weeks
    net = _variance(m, c.NET_1, c.NET_2, weeks, plan.tiers.volume[k]) / plan.weeks.end_units[0, k] ** 2
    own, own_se = _ratio(placed, asked)
    total, total_se = _ratio(placed, end_variance)
    scale = _over(placed_mean.mean(), 1.0) ** 2
    return {
        "ordinary": float(plan.tiers.volume[k]),
        "variance_ratio": own, "variance_ratio_se": own_se,
        "variance_ratio_total": total, "variance_ratio_total_se": total_se,
        "cv2_ratio": own * _over(asked_mean.mean() ** 2, scale),
        "cv2_ratio_total": total * _over(end_mean.mean() ** 2, scale),
        "peak_ratio": _ratio(m[c.ORDER_PEAK], m[c.ASKED_PEAK])[0],
        "peak_ratio_total": _ratio(m[c.ORDER_PEAK], end_moments[c.ORDER_PEAK])[0],
        "peak_over_ordinary": _over(m[c.ORDER_PEAK].mean(), usual),
        "peak_order": float(m[c.ORDER_PEAK_UNITS].mean()), "peak_week": float(np.median(m[c.ORDER_PEAK_WEEK])),
        "backlog_peak": float(m[c.BACKLOG_PEAK].mean()),
        "net_stock_ratio": _ratio(net, end_variance)[0],
        "fill_rate": 1 - _over(m[c.SHORT].sum(), m[c.ASKED].sum()),
        "phantom_share": _over(m[c.PHANTOMS].sum(), m[c.ORDERED].sum()),
        "cancelled_share": _over(m[c.CANCELS].sum(), m[c.ORDERED].sum()),
    }  # fmt: skip


def _variance(m: F, first: int, second: int, weeks: int, usual: float) -> F:
    """Variance over the weeks of every path, float64[N]; what is no more than rounding of the usual level is zero."""
    variance = m[second] / weeks - (m[first] / weeks) ** 2
    return np.where(variance > (1e-9 * usual) ** 2, variance, 0.0)


def _ratio(above: F, below: F) -> tuple[float, float]:
    """Ratio of the means over paths and its standard error (delta method); NaN where there is nothing to compare."""
    ratio = _over(above.mean(), below.mean())
    if above.size < 2 or not np.isfinite(ratio):
        return ratio, float("nan")
    error = np.std(above - ratio * below, ddof=1) / np.sqrt(above.size)
    return ratio, _over(error, below.mean())


def _over(above: float, below: float) -> float:
    return float(above / below) if below else float("nan")


def band_table(names: tuple[str, ...], quantities: tuple[str, ...], values: F) -> pl.DataFrame:
    """tier, week, quantity, mean, p10, p50, p90 from float64[T, K, C, N]; columns of C as in `quantities`."""
    weeks, tiers, count, _ = values.shape
    low, middle, high = bands(values)
    return _long(names, quantities, weeks, tiers, count).with_columns(
        mean=pl.Series(values.mean(axis=3).ravel()), p10=pl.Series(low.ravel()),
        p50=pl.Series(middle.ravel()), p90=pl.Series(high.ravel()),
    )  # fmt: skip


def mean_table(names: tuple[str, ...], quantities: tuple[str, ...], means: F) -> pl.DataFrame:
    """tier, week, quantity, mean from float64[T, K, C]."""
    return _long(names, quantities, *means.shape).with_columns(mean=pl.Series(means.ravel()))


def bands(values: F) -> tuple[F, F, F]:
    """P10, P50 and P90 over the last axis, interpolated as numpy does. Sorting whole rows is eight times as fast."""
    ordered = np.sort(values, axis=-1)

    def at(share: float) -> F:
        place = share * (ordered.shape[-1] - 1)
        below = int(place)
        above = min(below + 1, ordered.shape[-1] - 1)
        return ordered[..., below] + (ordered[..., above] - ordered[..., below]) * (place - below)

    return at(0.1), at(0.5), at(0.9)


def delivery_table(demand: F, delivered: F) -> pl.DataFrame:
    """The `deliveries` of SupplyResult from float64[T, N] each."""
    by_week, total = bands(delivered), bands(delivered.cumsum(axis=0))
    return pl.DataFrame({
        "week": np.arange(demand.shape[0]), "demand": demand.mean(axis=1), "delivered": delivered.mean(axis=1),
        "delivered_p10": by_week[0], "delivered_p50": by_week[1], "delivered_p90": by_week[2],
        "total_p10": total[0], "total_p50": total[1], "total_p90": total[2],
    })  # fmt: skip


def _long(names: tuple[str, ...], quantities: tuple[str, ...], weeks: int, tiers: int, count: int) -> pl.DataFrame:
    week, tier, quantity = np.indices((weeks, tiers, count)).reshape(3, -1)
    return pl.DataFrame({
        "tier": pl.Series(np.array(names)[tier].tolist()), "week": week,
        "quantity": pl.Series(np.array(quantities)[quantity].tolist()),
    })  # fmt: skip
