"""Bar charts: where the time goes, what is better than what, what an answer hangs on, and what is gained and paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from metaroce.report import theme
from metaroce.report.chart_parts import colour, height, upright

Spec = dict[str, Any]
_ZERO = "datum.value == 0 ? '0' : datum.label"  # d3 would write 0M
_NARROW = "width < 300"  # a telephone
# long names break after a word from the 16th letter on, so that narrow pages keep room for the bars
_LONG = 24
_TWO_LINES = (
    f"length(datum.label) < {_LONG} ? datum.label : split(replace(datum.label, /(.{{16}}\\S*) /, '$1\\n'), '\\n')"
)


class Bar(TypedDict, total=False):
    """One bar; `low` and `high`, where given, are drawn as a whisker; `group` gives the colour."""

    name: str
    value: float
    low: float
    high: float
    group: str


class Swing(TypedDict, total=False):
    """An answer with one input moved down and up; the labels tell to which values, e.g. "320G" and "480G"."""

    name: str
    at_low: float
    at_high: float
    low_label: str
    high_label: str


def breakdown_bars(
    rows: Mapping[str, Mapping[str, float]], *, unit: str = "ms", what: str = "Time", limit: float | None = None,
    limit_name: str = "promise",
) -> Spec:  # fmt: skip
    """Stacked bars, one a row: how much of a whole each part takes (compute, queue, network).

    rows  name of the bar -> part -> amount in `unit`; parts keep the order of their first appearance
    """
    import altair as alt

    parts = list(dict.fromkeys(part for row in rows.values() for part in row))
    values = [
        {"name": name, "part": part, "value": row[part], "order": parts.index(part), "total": sum(row.values())}
        for name, row in rows.items()
        for part in parts
        if part in row
    ]
    bars = alt.Chart(alt.Data(values=values)).mark_bar(cornerRadiusEnd=0, height={"band": 0.62}).encode(
        x=alt.X("sum(value):Q", title=f"{what} [{unit}]", axis=alt.Axis(grid=True)),
        y=_names(list(rows)), order=alt.Order("order:Q"), color=colour(parts, "part", raised=limit is not None),
        tooltip=[
            alt.Tooltip("name:N", title=" "), alt.Tooltip("part:N"),
            alt.Tooltip("value:Q", title=unit, format=",.4~r"),
            alt.Tooltip("total:Q", title=f"whole [{unit}]", format=",.4~r"),
        ],
    )  # fmt: skip
    totals = [
        {"name": name, "total": sum(row.values()), "text": _amount(sum(row.values()))} for name, row in rows.items()
    ]
    ends = _labels(totals, "total", list(rows))
    level = upright(limit, f"{limit_name} {limit:,.4g} {unit}", promise=True) if limit is not None else []
    size = height(len(rows))
    return theme.finished(alt.layer(bars, ends, *level).properties(width="container", height=size))


def compare_bars(
    rows: Sequence[Bar], *, unit: str, what: str, limit: float | None = None, limit_name: str = "promise"
) -> Spec:
    """Bars side by side with whiskers: alternatives, before and after. Groups share a row name and differ in colour."""
    import altair as alt

    names = list(dict.fromkeys(row["name"] for row in rows))
    groups = list(dict.fromkeys(row.get("group", "") for row in rows))
    values = [_whiskered(row) for row in rows]
    y, offset = _names(names), alt.YOffset("group:N", sort=groups)
    x = alt.X("value:Q", title=f"{what} [{unit}]" if unit else what, axis=alt.Axis(grid=True))
    data = alt.Chart(alt.Data(values=values))
    told = [
        alt.Tooltip("name:N", title=" "), alt.Tooltip("group:N", title=" "),
        alt.Tooltip("value:Q", title=what, format=",.4~r"), alt.Tooltip("low:Q", format=",.4~r"),
        alt.Tooltip("high:Q", format=",.4~r"),
    ]  # fmt: skip
    layers = [
        data.mark_bar(height={"band": 0.8 if len(groups) > 1 else 0.6}).encode(
            x=x, y=y, yOffset=offset, color=colour(groups, "group", raised=limit is not None), tooltip=told
        ),
        data.transform_filter("datum.low < datum.high").mark_rule(color=theme.INK, strokeWidth=1.5).encode(
            x="low:Q", x2="high:Q", y=y, yOffset=offset
        ),
        data.mark_text(align="left", dx=7, fontWeight=600).encode(x="high:Q", y=y, yOffset=offset, text="text:N"),
    ]  # fmt: skip
    level = upright(limit, f"{limit_name} {limit:,.4g} {unit}".strip(), promise=True) if limit is not None else []
    size = height(len(names), 34 if len(groups) == 1 else 24 * len(groups))
    return theme.finished(alt.layer(*layers, *level).properties(width="container", height=size))


def tornado(rows: Sequence[Swing], *, base: float, unit: str, what: str) -> Spec:
    """How far the answer moves from `base` when each input is moved down and up; the widest first.

    An input that moves the answer the same way both times has the farther end behind the nearer one.
    """
    import altair as alt

    ordered = sorted(rows, key=lambda row: -_reach(row, base))
    names = [row["name"] for row in ordered]
    ways = ("input lowered", "input raised")
    data = alt.Chart(alt.Data(values=[end for row in ordered for end in _ends(row, base, ways)]))
    y = _names(names)
    bars = data.mark_bar(height={"band": 0.58}, cornerRadiusEnd=2).encode(
        x=alt.X("base:Q", title=f"{what} [{unit}]" if unit else what, axis=alt.Axis(grid=True, labelBound=True),
                scale=alt.Scale(zero=False, nice=False, padding=_beside(72, 34))),
        x2="value:Q", y=y, color=colour(ways, "way", range=[theme.ORANGE, theme.BLUE]),
        tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("way:N", title=" "),
                 alt.Tooltip("label:N", title="input"), alt.Tooltip("value:Q", title=what, format=",.5~r")],
    )  # fmt: skip
    named = data.transform_filter("datum.text != ''")
    right = named.transform_filter("datum.right").mark_text(align="left", dx=6, color=theme.SOFT)
    left = named.transform_filter("!datum.right").mark_text(align="right", dx=-6, color=theme.SOFT)
    middle = alt.Chart(alt.Data(values=[{"base": base}])).mark_rule(color=theme.INK, strokeWidth=1.5).encode(x="base:Q")
    short = f"{_NARROW} ? datum.short : datum.text"
    ends = [side.transform_calculate(shown=short).encode(x="value:Q", y=y, text="shown:N") for side in (right, left)]
    return theme.finished(alt.layer(bars, *ends, middle).properties(width="container", height=height(len(names))))


def account_bars(gains: Sequence[Bar], costs: Sequence[Bar], net: Bar, *, unit: str = "USD a year") -> Spec:
    """The two-column account, line by line: gains to the right, costs to the left, and what remains, with intervals.

    gains, costs  amounts as positive numbers; net  signed
    """
    import altair as alt

    kinds = ("gain", "cost", "net")
    rows = (
        [_signed(row, "gain", 1) for row in gains]
        + [_signed(row, "cost", -1) for row in costs]
        + [_signed(net, "net", 1)]
    )
    names = [row["name"] for row in rows]
    data = alt.Chart(alt.Data(values=rows))
    y = _names(names)
    x = alt.X(
        "value:Q",
        title=unit,
        axis=alt.Axis(grid=True, format="~s", labelExpr=_ZERO, labelBound=True),
        scale=alt.Scale(nice=False, padding=_beside(60, 46)),
    )
    bars = data.mark_bar(height={"band": 0.62}).encode(
        x=x, y=y, color=colour(kinds, "kind", range=[theme.TEAL, theme.ORANGE, theme.INK]),
        tooltip=[alt.Tooltip("name:N", title=" "), alt.Tooltip("kind:N", title=" "),
                 alt.Tooltip("value:Q", title=unit, format=",.4~s"), alt.Tooltip("low:Q", format=",.4~s"),
                 alt.Tooltip("high:Q", format=",.4~s")],
    )  # fmt: skip
    whiskers = data.transform_filter("datum.low < datum.high").mark_rule(color=theme.SOFT, strokeWidth=1.5)
    right = data.transform_filter("datum.value >= 0").mark_text(align="left", dx=6, fontWeight=600)
    left = data.transform_filter("datum.value < 0").mark_text(align="right", dx=-6, fontWeight=600)
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(color=theme.SOFT).encode(x="x:Q")
    return theme.finished(
        alt.layer(
            bars, whiskers.encode(x="low:Q", x2="high:Q", y=y), right.encode(x="high:Q", y=y, text="text:N"),
            left.encode(x="low:Q", y=y, text="text:N"), zero,
        ).properties(width="container", height=height(len(rows)))
    )  # fmt: skip


def _names(names: Sequence[str]) -> Any:
    import altair as alt

    raised = {"condition": {"test": f"length(datum.label) >= {_LONG}", "value": -7}, "value": 0}  # half a line
    axis = alt.Axis(
        labelFontSize=13, labelPadding=8, labelColor=theme.INK, labelExpr=_TWO_LINES, labelLineHeight=15,
        labelOffset=raised,
    )  # fmt: skip
    return alt.Y("name:N", sort=list(names), title=None, axis=axis)


def _beside(wide: int, narrow: int) -> Any:
    """Pixels kept free at both ends of a row of bars for the words there."""
    import altair as alt

    return alt.ExprRef(f"{_NARROW} ? {narrow} : {wide}")


def _labels(rows: list[dict[str, Any]], field: str, names: Sequence[str]) -> Any:
    import altair as alt

    data = alt.Chart(alt.Data(values=rows))
    return data.mark_text(align="left", dx=6, fontWeight=600).encode(x=f"{field}:Q", y=_names(names), text="text:N")


def _reach(row: Swing, base: float) -> float:
    ends = (row["at_low"], row["at_high"], base)
    return max(ends) - min(ends)


def _ends(row: Swing, base: float, ways: tuple[str, str]) -> list[dict[str, Any]]:
    """Both ends of a swing, the farther first, each with the words that stand at it."""
    given = ((row["at_low"], row.get("low_label", "")), (row["at_high"], row.get("high_label", "")))
    found = [
        {"name": row["name"], "way": way, "base": base, "value": value, "label": label}
        for way, (value, label) in zip(ways, given, strict=True)
    ]
    found.sort(key=lambda end: -abs(end["value"] - base))
    for end in found:
        arrow = f"{end['label']} → {_amount(end['value'])}" if end["label"] else _amount(end["value"])
        end |= {"right": end["value"] >= base, "text": arrow if end["value"] != base else ""}
        end["short"] = _amount(end["value"]) if end["text"] else ""
    far, near = found
    if far["value"] == base:
        far["text"] = far["short"] = "no change"
    elif far["right"] == near["right"]:  # the nearer end has no room of its own
        near["text"] = near["short"] = ""
        if far["value"] == near["value"] and far["label"]:
            far["text"] = f"both → {_amount(far['value'])}"
    return found


def _whiskered(row: Bar) -> dict[str, Any]:
    value = row["value"]
    low, high = row.get("low", value), row.get("high", value)
    return {
        "name": row["name"], "group": row.get("group", ""), "value": value, "low": low, "high": max(high, value),
        "text": _amount(value),
    }  # fmt: skip


def _signed(row: Bar, kind: str, sign: int) -> dict[str, Any]:
    value = sign * row["value"]
    ends = sorted((sign * row.get("low", row["value"]), sign * row.get("high", row["value"])))
    return {
        "name": row["name"], "kind": kind, "value": value, "low": min(ends[0], value), "high": max(ends[1], value),
        "text": ("−" if value < 0 else "+" if kind == "net" else "") + _short(abs(value)),
    }  # fmt: skip


def _amount(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _short(value: float) -> str:
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g}{letter}"
    return f"{value:.3g}"
