"""Parts that several charts share: colours of series, lines for promises and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metaroce.report import theme

DASHED = {"color": theme.RED, "strokeDash": [5, 4], "strokeWidth": 1.5}


def colour(
    names: Sequence[str], field: str = "series", *, line: bool = False, raised: bool = False, **more: Any
) -> Any:
    """Colours in the order of `names`; a legend only when there is something to tell apart.

    line    the legend shows strokes, for charts of lines
    raised  the legend leaves room above the chart for the name of an upright line
    """
    import altair as alt

    symbol = "stroke" if line else "circle"
    legend = alt.Legend(title=None, symbolType=symbol, offset=26 if raised else 14) if len(names) > 1 else None
    return alt.Color(f"{field}:N", sort=list(names), scale=alt.Scale(domain=list(names), **more), legend=legend)


def level(value: float, name: str, *, left: bool = False) -> list[Any]:
    """A dashed line across at height `value`, named at its right end, or at its left one."""
    import altair as alt

    data = alt.Chart(alt.Data(values=[{"y": value, "name": name}]))
    x = alt.value(4) if left else alt.value("width")
    words = written(data, align="left" if left else "right", dy=-8, color=theme.RED, fontWeight=600)
    return [
        data.mark_rule(**DASHED).encode(y="y:Q"),
        *(layer.encode(x=x, y="y:Q", text="name:N") for layer in words),
    ]


def written(data: Any, **mark: Any) -> list[Any]:
    """Words over lines and bands: the same text twice, below as a rim in the colour of the page."""
    rim = {**mark, "color": theme.PAPER, "stroke": theme.PAPER, "strokeWidth": 4, "strokeJoin": "round"}
    return [data.mark_text(**rim), data.mark_text(**mark)]


def upright(value: float, name: str, *, promise: bool = False) -> list[Any]:
    """A line from top to bottom at `value`, named at its upper end: a promise in red, or what was chosen."""
    import altair as alt

    data = alt.Chart(alt.Data(values=[{"x": value, "name": name}]))
    style = DASHED if promise else {"color": theme.SOFT, "strokeDash": [2, 3], "strokeWidth": 1.5}
    return [
        data.mark_rule(**style).encode(x="x:Q"),
        data.mark_text(baseline="bottom", color=theme.RED if promise else theme.INK, fontWeight=600).encode(
            x="x:Q", y=alt.value(-3), text="name:N"
        ),
    ]


def height(rows: int, each: int = 34) -> int:
    """Pixels for so many horizontal bars."""
    return max(rows, 1) * each + 10
