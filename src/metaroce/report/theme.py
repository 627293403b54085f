"""One look for all charts: colours, type, axes; and the same chart at night.

Strategy: a specification carries its colours for white paper, so it can be used as it is anywhere. `NIGHT` pairs every
one of them with a colour for dark pages, and `at_night` swaps them, which the HTML page does in the browser as well.

Colours: Paul Tol, "Colour schemes", SRON/EPS/TN/09-002, scheme "vibrant": distinct for colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metaroce.report.as_json import plain

BLUE, ORANGE, TEAL, MAGENTA, CYAN = "#0077bb", "#ee7733", "#009988", "#ee3377", "#33bbee"
RED, GREY = "#cc3311", "#8b95a3"
INK, SOFT, GRID, FAINT, PAPER = "#1b2330", "#5a6575", "#e4e8ed", "#c3cad3", "#fefefe"

#: colours of series, in this order
SERIES = (BLUE, ORANGE, TEAL, MAGENTA, "#7d58b5", CYAN, "#8c6d1f", GREY)

#: colour on paper -> colour at night
NIGHT: dict[str, str] = {
    BLUE: "#4cb0f5", ORANGE: "#ff9b57", TEAL: "#2fc7b3", MAGENTA: "#ff6b9e", "#7d58b5": "#b697ee", CYAN: "#7ad6fb",
    "#8c6d1f": "#d3b45c", GREY: "#98a3b2", RED: "#ff7257", INK: "#e8ebf0", SOFT: "#a3adbb", GRID: "#2b323d",
    FAINT: "#4a5462", PAPER: "#161b22",
}  # fmt: skip

_FONT = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"


def config() -> dict[str, Any]:
    """Vega-Lite configuration of the house."""
    return {
        "background": "transparent",
        "font": _FONT,
        "padding": 4,
        "view": {"stroke": None, "continuousHeight": 260},
        "range": {"category": list(SERIES)},
        "axis": {
            "labelColor": SOFT, "titleColor": SOFT, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 500,
            "gridColor": GRID, "domainColor": FAINT, "tickColor": FAINT, "tickSize": 4, "titlePadding": 8,
            "labelPadding": 5, "domain": False, "ticks": False, "labelLimit": 220,
        },
        "axisX": {"domain": True, "ticks": True, "grid": False, "labelFlush": False, "labelOverlap": "parity",
                  "labelSeparation": 8, "tickCount": {"expr": "max(3, floor(width / 75))"}},
        "title": {
            "anchor": "start", "frame": "group", "color": SOFT, "fontSize": 12, "fontWeight": 500, "offset": 10,
        },
        "legend": {
            "labelColor": INK, "titleColor": SOFT, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 500,
            "orient": "top", "symbolStrokeWidth": 3, "symbolOpacity": 1, "offset": 14, "columnPadding": 16,
            "labelLimit": 260,
        },
        "header": {"labelColor": INK, "titleColor": SOFT, "labelFontSize": 13, "labelFontWeight": 600, "title": None},
        "line": {"strokeWidth": 2.25, "strokeJoin": "round", "strokeCap": "round"},
        "text": {"color": INK, "fontSize": 12},
        "rule": {"color": SOFT},
        "bar": {"cornerRadiusEnd": 2},
    }  # fmt: skip


def finished(chart: Any, y_title: str = "") -> dict[str, Any]:
    """An Altair chart as a self-contained Vega-Lite specification in the house look.

    y_title  what the vertical axis shows: stands above the chart, where it can be read without turning the head
    """
    datasets: dict[str, Any] = {}
    spec = _named(plain(chart.to_dict()), datasets)  # plain: what is no number becomes a gap
    spec["datasets"] = datasets
    if y_title:
        spec["title"] = {"text": y_title}
    spec["config"] = config()
    return spec


def _named(part: Any, datasets: dict[str, Any]) -> Any:
    """The specification with its data by name, so that layers drawn from the same data hold them once."""
    if isinstance(part, list):
        return [_named(one, datasets) for one in part]
    if not isinstance(part, dict):
        return part
    values = part["data"].get("values") if isinstance(part.get("data"), dict) else None
    if values is None:
        return {key: _named(one, datasets) for key, one in part.items()}
    name = next((known for known, rows in datasets.items() if rows == values), f"data-{len(datasets)}")
    datasets[name] = values
    return {key: {"name": name} if key == "data" else _named(one, datasets) for key, one in part.items()}


def at_night(part: Any) -> Any:
    """The same chart, or part of its specification, for a dark page."""
    if isinstance(part, str):
        return NIGHT.get(part, part)
    if isinstance(part, Mapping):
        return {key: at_night(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [at_night(value) for value in part]
    return part
