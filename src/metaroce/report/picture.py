"""A chart as a picture file, drawn without a browser."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from metaroce.report import theme


def png(spec: Mapping[str, Any], *, width: int = 800, scale: float = 2.0, night: bool = False) -> bytes:
    """PNG of a chart on an opaque page; `width` in CSS pixels, `scale` pixels for each."""
    import vl_convert

    return vl_convert.vegalite_to_png(placed(spec, width, night), scale=scale)


def svg(spec: Mapping[str, Any], *, width: int = 800, night: bool = False) -> str:
    """SVG of a chart on an opaque page."""
    import vl_convert

    return vl_convert.vegalite_to_svg(placed(spec, width, night))


def placed(spec: Mapping[str, Any], width: int, night: bool = False) -> dict[str, Any]:
    """The specification with a width of its own in place of its container's, and a page behind it."""
    found: dict[str, Any] = copy.deepcopy(dict(spec))
    columns = found.get("usermeta", {}).get("columns")
    if found.get("width") == "container":
        found["width"] = width
        found["autosize"] = {"type": "fit-x", "contains": "padding"}
    elif columns:
        found["spec"]["width"] = max(width // columns - 60, 120)
    found.setdefault("config", {})["background"] = theme.PAPER
    found["config"]["padding"] = 16
    return theme.at_night(found) if night else found
