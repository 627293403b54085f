"""Public functions of the rooms that are formulas: their signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from types import ModuleType

from _markdown import code, doc, title

import metaroce.cost
import metaroce.qos

ABOUT = """\
Each can be called from Python on its own. Units inside: network times are picoseconds, serving times nanoseconds,
sizes bytes, rates bit/s, money US dollars; a name in another unit says so.
"""
SINGLE = ("metaroce.serving.comm", "metaroce.serving.formula")


def page() -> str:
    """The page."""
    return title("Formulas", ABOUT) + "".join(_section(module) for module in _modules())


def _modules() -> Iterator[ModuleType]:
    for package in (metaroce.qos, metaroce.cost):
        for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda one: one.name):
            yield importlib.import_module(f"{package.__name__}.{found.name}")
    for name in SINGLE:
        yield importlib.import_module(name)


def _signature(function: Callable[..., object]) -> str:
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))


def _section(module: ModuleType) -> str:
    functions = [
        one for name, one in vars(module).items()
        if inspect.isfunction(one) and one.__module__ == module.__name__ and not name.startswith("_") and one.__doc__
    ]  # fmt: skip
    if not functions:
        return ""
    parts = [f"\n## {module.__name__}\n\n{code(doc(module))}"]
    parts += [f"\n### {one.__name__}\n\n{code(f'{one.__name__}{_signature(one)}' + chr(10) * 2 + doc(one))}"
              for one in functions]  # fmt: skip
    return "".join(parts)
