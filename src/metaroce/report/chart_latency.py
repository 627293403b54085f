"""Charts of latency: how it is distributed, and how it falls with the number of GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from metaroce.report import theme
from metaroce.report.chart_parts import DASHED, colour, level, upright

Spec = dict[str, Any]
_MANY = 60  # points from which on steps are too small to mean anything


class Limit(TypedDict, total=False):
    """A promise: `quantile` of the requests at or below `limit` (in the chart's unit); `name` as it is written."""

    limit: float
    quantile: float
    name: str


class CurvePoint(TypedDict, total=False):
    """Latency at one number of GPUs; `low` and `high` over seeds, `series` when several promises share the chart."""

    gpus: int
    value: float
    low: float
    high: float
    meets: bool
    series: str


def latency_distribution(
    samples: Mapping[str, Iterable[float]], *, unit: str = "ms", slo: Limit | None = None, log: bool = False,
    what: str = "Latency",
) -> Spec:  # fmt: skip
    """Share of requests at or below each latency, one line a series, with the promise as a cross of two lines.

    samples  name -> latencies in `unit`, in any order; values that are not finite (never answered) count as slower
             than everything shown
    log      logarithmic time axis, for tails that reach far
    """
    import altair as alt

    rows = [row for name, values in samples.items() for row in _cumulative(name, values, log)]
    x = alt.X(
        "latency:Q", title=f"{what} [{unit}]",
        scale=alt.Scale(type="log", nice=False) if log else alt.Scale(zero=True, nice=True),
        axis=alt.Axis(format=",~r", **({"values": _round_numbers(row["latency"] for row in rows)} if log else {})),
    )  # fmt: skip
    y = alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    shape = "linear" if len(rows) > _MANY * len(samples) else "step-after"
    lines = alt.Chart(alt.Data(values=rows)).mark_line(interpolate=shape).encode(
        x=x, y=y, color=colour(list(samples), line=True, raised=slo is not None),
        tooltip=[
            alt.Tooltip("series:N", title=" "), alt.Tooltip("latency:Q", title=f"{what} [{unit}]", format=",.4~r"),
            alt.Tooltip("share:Q", title="Share at or below", format=".2%"),
        ],
    )  # fmt: skip
    layers = [lines, *(_cross(slo, unit) if slo else [])]
    told = "Share of requests" if rows else "Share of requests: none was answered"
    return theme.finished(alt.layer(*layers).properties(width="container", height=260), told)


def capacity_curve(
    points: Sequence[CurvePoint], *, limit: float | None = None, limit_name: str = "promise", unit: str = "ms",
    what: str = "P95 latency", chosen: int | None = None, log: bool = False,
) -> Spec:  # fmt: skip
    """A quantile of latency over the number of GPUs, with intervals over seeds, the promise and the count chosen.

    Points that meet the promise are filled, those that miss it hollow.
    """
    import altair as alt

    rows = [_judged(point, limit, what) for point in points]
    names = list(dict.fromkeys(row["series"] for row in rows))
    scale = alt.Scale(type="log") if log else alt.Scale(zero=True)
    data = alt.Chart(alt.Data(values=rows))
    x = alt.X("gpus:Q", title="GPUs", scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=",d", tickMinStep=1))
    y = alt.Y("value:Q", title=None, scale=scale)
    hue = colour(names, line=True, raised=chosen is not None)
    told = [
        alt.Tooltip("series:N", title=" "), alt.Tooltip("gpus:Q", title="GPUs", format=",d"),
        alt.Tooltip("value:Q", title=f"{what} [{unit}]", format=",.4~r"),
        alt.Tooltip("low:Q", title="lowest seed", format=",.4~r"),
        alt.Tooltip("high:Q", title="highest seed", format=",.4~r"), alt.Tooltip("meets:N", title="meets the promise"),
    ]  # fmt: skip
    layers = [
        data.mark_line(strokeWidth=1.75).encode(x=x, y=y, color=hue),
        data.mark_rule(strokeWidth=2).encode(x=x, y="low:Q", y2="high:Q", color=hue),
        data.transform_filter("datum.meets").mark_point(size=70, filled=True, opacity=1).encode(
            x=x, y=y, color=hue, tooltip=told
        ),
        data.transform_filter("!datum.meets").mark_point(
            size=70, strokeWidth=2, fill=theme.PAPER, opacity=1
        ).encode(x=x, y=y, stroke=hue, tooltip=told),
    ]  # fmt: skip
    if limit is not None:
        layers += level(limit, f"{limit_name} {limit:,.4g} {unit}", left=True)  # few GPUs are far above it
    if chosen is not None:
        layers += upright(chosen, f"{chosen:,} GPUs")
    return theme.finished(alt.layer(*layers).properties(width="container", height=260), f"{what} [{unit}]")


def _cumulative(name: str, values: Iterable[float], log: bool) -> list[dict[str, Any]]:
    """At most about 240 points of the distribution function, most of them in the tail."""
    every = [float(value) for value in values]
    found = sorted(value for value in every if math.isfinite(value) and (value > 0 or not log))
    if not found:
        return []
    total = len(every)
    wanted = [i / 120 for i in range(120)] + [1 - 10 ** (-i / 40) for i in range(200)]
    ranks = sorted({*(min(int(q * total), len(found) - 1) for q in wanted), 0, len(found) - 1})
    start = [] if log else [{"series": name, "latency": 0.0, "share": 0.0}]
    return start + [{"series": name, "latency": _short(found[r]), "share": round((r + 1) / total, 6)} for r in ranks]


def _round_numbers(latencies: Iterable[float]) -> list[float]:
    """Ticks for a logarithmic axis: 1, 2, 5, 10, ..., where d3 alone would label 30, 70, 200, 600."""
    found = sorted(latencies)
    if not found:
        return []
    powers = range(math.floor(math.log10(found[0])), math.ceil(math.log10(found[-1])) + 1)
    return [
        tick for power in powers for tick in (float(f"{n}e{power}") for n in (1, 2, 5)) if found[0] <= tick <= found[-1]
    ]


def _short(value: float) -> float:
    """Six digits are more than a screen shows."""
    return float(f"{value:.6g}")


def _judged(point: CurvePoint, limit: float | None, what: str) -> dict[str, Any]:
    value = point["value"]
    meets = point.get("meets", limit is None or value <= limit)
    return {
        "series": point.get("series", what), "gpus": point["gpus"], "value": value, "meets": meets,
        "low": point.get("low", value), "high": point.get("high", value),
    }  # fmt: skip


def _cross(slo: Limit, unit: str) -> list[Any]:
    import altair as alt

    name = slo.get("name") or f"P{slo['quantile'] * 100:g} within {slo['limit']:,.4g} {unit}"
    across = alt.Chart(alt.Data(values=[{"y": slo["quantile"]}]))
    return [across.mark_rule(**DASHED).encode(y="y:Q"), *upright(slo["limit"], name, promise=True)]
