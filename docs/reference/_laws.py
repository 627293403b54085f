"""The congestion control laws with their parameters; the comment beside a parameter says what it is."""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType

from _markdown import code, doc, table, title

from metaroce.congestion.laws import LAWS, Law

ABOUT = """\
Choose one with `fabric.law: {name: dcqcn, params: {...}}`, for one traffic class with `fabric.class_laws`. `name` may
also be a Python file with `PARAMS` and hooks, or a law that an installed package offers as entry point
`metaroce.laws`. Rates are bit/s, times ps, sizes bytes.
"""


def page() -> str:
    """The page."""
    return title("Congestion control laws", ABOUT) + "".join(_section(law) for law in LAWS.values())


def _section(law: Law) -> str:
    module = importlib.import_module(f"metaroce.congestion.{law.name.replace('-', '_')}")
    hooks = ", ".join(f"`{hook}`" for hook in law.hooks) or "none"
    text = f"\n## {law.name}\n\n{code(doc(module))}\nHooks: {hooks}.\n"
    if not law.params:
        return f"{text}\nIt has no parameters.\n"
    said = _comments(module)
    rows = [(f"`{name}`", f"{value:,g}", said.get(name, "")) for name, value in law.params.items()]
    return f"{text}\n" + table(["parameter", "default", "meaning"], rows)


def _comments(module: ModuleType) -> dict[str, str]:
    return dict(re.findall(r'^    "(\w+)":.*?,  # (.*)$', inspect.getsource(module), re.M))
