"""All charts of the reports by name; each builder takes plain lists and dicts and returns a Vega-Lite specification."""

from metaroce.report.chart_bars import account_bars, breakdown_bars, compare_bars, tornado
from metaroce.report.chart_latency import capacity_curve, latency_distribution
from metaroce.report.chart_series import load_curve, orders_by_tier, time_series

__all__ = [
    "account_bars", "breakdown_bars", "capacity_curve", "compare_bars", "latency_distribution", "load_curve",
    "orders_by_tier", "time_series", "tornado",
]  # fmt: skip
