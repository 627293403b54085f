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


def level(value: float, name: str) -> list[Any]:
    """A dashed line across at height `value`, named at its right end."""
    import altair as alt

    data = alt.Chart(alt.Data(values=[{"y": value, "name": name}]))
    return [
        data.mark_rule(**DASHED).encode(y="y:Q"),
        data.mark_text(align="right", dy=-8, color=theme.RED, fontWeight=600).encode(
            x=alt.value("width"), y="y:Q", text="name:N"
        ),
    ]


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
