"""The laws that come with MetaRoCE, and how any module of formulas becomes a law.

To add one: write a file beside this one with PARAMS and some of the hooks, import it, add its line.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from metaroce.congestion import dcqcn, dcqcn_paper, none
from metaroce.congestion.state import HOOKS
from metaroce.kit.errors import InputError, ScenarioError
from metaroce.kit.nearest import did_you_mean, key_meant

Hook = Callable[[Any, Any, Any, int], None]


@dataclass(frozen=True, slots=True)
class Law:
    """A congestion control law.

    params  defaults by name; their order is the order in `p`
    hooks   the functions it has, by name
    about   first line of its description
    """

    name: str
    params: Mapping[str, float]
    hooks: Mapping[str, Hook]
    about: str


def make_law(name: str, module: ModuleType) -> Law:
    """Law from a module of formulas. Raises InputError when it has no PARAMS or more than fit."""
    params = getattr(module, "PARAMS", None)
    if not isinstance(params, Mapping):
        raise InputError("the law has no PARAMS", where=name, hint="write PARAMS = {} when it needs none")
    if len(params) > PARAMETERS:
        raise InputError(f"the law has {len(params)} parameters", where=name, hint=f"at most {PARAMETERS}")
    hooks = {hook: getattr(module, hook) for hook in HOOKS if hasattr(module, hook)}
    return Law(name, params, hooks, (module.__doc__ or name).partition("\n")[0])


#: Parameters a law may have.
PARAMETERS = 24

LAWS: dict[str, Law] = {
    "none": make_law("none", none),
    "dcqcn": make_law("dcqcn", dcqcn),
    "dcqcn-paper": make_law("dcqcn-paper", dcqcn_paper),
}


def find_law(name: str, *, where: str = "law") -> Law:
    """Law by name: ours, a file of formulas (`mine.py`), or one that an installed package offers as `metaroce.laws`.

    Raises ScenarioError with the nearest names, InputError for a file that is no law.
    """
    if name in LAWS:
        return LAWS[name]
    if name.endswith(".py"):
        return _law_file(name, where)
    for offer in importlib.metadata.entry_points(group="metaroce.laws", name=name):
        return make_law(name, offer.load())
    raise ScenarioError(
        f"there is no congestion control law {name!r}",
        where=where,
        hint=did_you_mean(name, LAWS, f"known: {', '.join(LAWS)}"),
    )


@functools.cache
def _law_file(name: str, where: str) -> Law:
    path = Path(name)
    if not path.is_file():
        raise InputError(f"there is no file {name}", where=where, hint=f"a file, or one of {', '.join(LAWS)}")
    spec = importlib.util.spec_from_file_location(f"law_{path.stem}", path.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # foreign code may raise anything
        raise InputError(f"the law cannot be loaded: {error}", where=name) from None
    return make_law(name, module)


def parameters(law: Law, given: Mapping[str, float], *, where: str = "law.params") -> list[float]:
    """Values in the order of `p`: defaults with `given` laid over. Raises ScenarioError for a foreign name."""
    for name in given:
        if name not in law.params:
            raise ScenarioError(
                f"{law.name} has no parameter {name!r}",
                where=where,
                hint=key_meant(name, law.params, f"it has: {', '.join(law.params) or 'none'}"),
            )
    return [float(given.get(name, default)) for name, default in law.params.items()]
