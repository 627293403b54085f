"""Charts over time: what the fabric did, and what a chain of suppliers ordered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from metaroce.report import theme
from metaroce.report.chart_parts import colour, level

Spec = dict[str, Any]
_ALIKE = 5.0  # peaks that still share an axis


class Line(TypedDict, total=False):
    """One line: `x` and `y` of equal length; `low` and `high`, where given, are drawn as a band around it."""

    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


class TierOrders(TypedDict, total=False):
    """Orders of one tier by week: median and P10-P90 over the simulated courses; `ordinary` is a usual week's order."""

    week: Sequence[int]
    p10: Sequence[float]
    p50: Sequence[float]
    p90: Sequence[float]
    ordinary: float


def time_series(
    lines: Mapping[str, Line], *, x_title: str, y_title: str, levels: Mapping[str, float] | None = None,
    share: bool = False, step: bool = False,
) -> Spec:  # fmt: skip
    """Lines with bands over time: utilisation, queues, marks, pauses.

    levels  name -> height of a dashed line: a threshold, a capacity
    share   the y values are shares of one and are shown in per cent
    step    values hold until the next point
    Raises ValueError when lengths differ.
    """
    import altair as alt

    rows = [row for name, line in lines.items() for row in _points(name, line)]
    names = list(lines)
    form = ".1~%" if share else ",.4~r"
    hue = colour(names, line=True)
    data = alt.Chart(alt.Data(values=rows))
    x = alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False, zero=False))
    y = alt.Y("y:Q", title=None, axis=alt.Axis(format="~%") if share else alt.Axis())
    shape = "step-after" if step else "linear"
    told = [alt.Tooltip("series:N", title=" "), alt.Tooltip("x:Q", title=x_title, format=",.4~r"),
            alt.Tooltip("y:Q", title=y_title, format=form)]  # fmt: skip
    layers = [
        data.mark_line(interpolate=shape).encode(x=x, y=y, color=hue),
        data.mark_point(size=60, opacity=0).encode(x=x, y=y, tooltip=told),
    ]
    if any("low" in line for line in lines.values()):
        band = data.transform_filter("isValid(datum.low)").mark_area(opacity=0.18, interpolate=shape)
        layers.append(band.encode(x=x, y="low:Q", y2="high:Q", color=hue))
    for name, height in (levels or {}).items():
        layers += level(height, name)
    return theme.finished(alt.layer(*layers).properties(width="container", height=220), y_title)


def orders_by_tier(tiers: Mapping[str, TierOrders], *, unit: str = "orders, times an ordinary week") -> Spec:
    """Orders of every tier of a supply chain over the weeks, one small picture a tier on the same axes.

    Tiers count in their own units (servers, chips, wafers), so each is shown as a multiple of its ordinary week: what
    grows from picture to picture is the bullwhip. Where one tier's peak is more than five times another's (a one-off
    order at the customer end), each picture has its own axis. Raises ValueError when an ordinary week has no orders.
    """
    import altair as alt

    rows = [row for name, tier in tiers.items() for row in _multiples(name, tier)]
    data = alt.Chart()
    x = alt.X("week:Q", title="week", scale=alt.Scale(nice=False, zero=False))
    # nice by the ticks: each picture ends in a tick, so that the names above stand level
    y = alt.Y("p50:Q", title=None, scale=alt.Scale(nice=4), axis=alt.Axis(format=",.3~g", tickCount=4))
    told = [
        alt.Tooltip("tier:N", title=" "), alt.Tooltip("week:Q"),
        alt.Tooltip("orders:Q", title="orders", format=",.4~r"),
        alt.Tooltip("p50:Q", title="times ordinary", format=".3~g"), alt.Tooltip("p10:Q", title="P10", format=".3~g"),
        alt.Tooltip("p90:Q", title="P90", format=".3~g"),
    ]  # fmt: skip
    one = alt.Chart(alt.Data(values=[{"y": 1.0}])).mark_rule(color=theme.SOFT, strokeDash=[2, 3]).encode(y="y:Q")
    layers = alt.layer(
        data.mark_area(opacity=0.22, color=theme.BLUE).encode(x=x, y="p10:Q", y2="p90:Q"),
        one,
        data.mark_line(color=theme.BLUE).encode(x=x, y=y),
        data.mark_point(size=50, opacity=0).encode(x=x, y=y, tooltip=told),
        data=alt.Data(values=rows),
    ).properties(width=300, height=120)
    facet = alt.Facet("tier:N", sort=list(tiers), title=None, header=alt.Header(labelAnchor="start"))
    peaks = [max((row["p90"] for row in rows if row["tier"] == name), default=1.0) for name in tiers]
    alike = max(peaks, default=1.0) <= _ALIKE * min(peaks, default=1.0)
    # flush: names of pictures stand level, whatever their axes need
    chart = layers.facet(facet=facet, columns=2).properties(usermeta={"columns": 2}, bounds="flush", spacing=44)
    chart = chart.resolve_scale(y="shared" if alike else "independent")
    return theme.finished(chart, unit)


def load_curve(gpus_by_hour: Sequence[float], own: float, *, x_title: str = "hour of the day") -> Spec:
    """GPUs that each hour needs, parted at the height of what is owned: below it owned, above it rented.

    gpus_by_hour  GPUs of hour 0, 1, 2, ... of a day, or of any other row of equal periods
    own           GPUs owned
    """
    import altair as alt

    parts = ("owned and used", "rented")
    rows = [
        {"hour": hour, "end": hour + 1, "part": part, "low": low, "high": high, "gpus": high - low, "need": need}
        for hour, need in enumerate(gpus_by_hour)
        for part, low, high in ((parts[0], 0.0, min(need, own)), (parts[1], own, max(need, own)))
        if high > low
    ]
    bars = alt.Chart(alt.Data(values=rows)).mark_rect(stroke=theme.PAPER, strokeWidth=1).encode(
        x=alt.X("hour:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(tickMinStep=1)),
        x2="end:Q", y=alt.Y("low:Q", title=None), y2="high:Q", color=colour(parts, "part"),
        tooltip=[
            alt.Tooltip("hour:Q", title=x_title), alt.Tooltip("part:N", title=" "),
            alt.Tooltip("gpus:Q", title="GPUs of it", format=",.4~r"),
            alt.Tooltip("need:Q", title="GPUs needed", format=",.4~r"),
        ],
    )  # fmt: skip
    line = level(own, f"own {own:,.4g}", left=True)
    return theme.finished(alt.layer(bars, *line).properties(width="container", height=220), "GPUs")


def _points(name: str, line: Line) -> list[dict[str, Any]]:
    low, high = line.get("low"), line.get("high")
    columns = [line["x"], line["y"], *([low, high] if low is not None and high is not None else [])]
    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"{name}: x, y and band differ in length")
    keys = ("x", "y", "low", "high")
    return [{"series": name, **dict(zip(keys, values, strict=False))} for values in zip(*columns, strict=True)]


def _multiples(name: str, tier: TierOrders) -> list[dict[str, Any]]:
    base = tier["ordinary"]
    if not base > 0:
        raise ValueError(f"{name}: an ordinary week has no orders to compare with")
    return [
        {"tier": name, "week": week, "orders": mid, "p10": low / base, "p50": mid / base, "p90": high / base}
        for week, low, mid, high in zip(tier["week"], tier["p10"], tier["p50"], tier["p90"], strict=True)
    ]
