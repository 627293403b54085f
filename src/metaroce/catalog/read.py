"""Data sheets: TOML files beside this one, one entry a table, every value with its source.

An entry may say `source = "..."` for all its values, or `sources = {field = "..."}` for single ones.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import TypeVar

from metaroce.kit.errors import ScenarioError
from metaroce.kit.nearest import did_you_mean
from metaroce.model.base import Noun

N = TypeVar("N", bound=Noun)

_HERE = Path(__file__).resolve().parent


@functools.cache
def read_catalog(kind: type[N], file: str) -> dict[str, N]:
    """All entries of `catalog/<file>.toml` as nouns, by name."""
    with (_HERE / f"{file}.toml").open("rb") as stream:
        return {name: kind.model_validate(entry) for name, entry in tomllib.load(stream).items()}


def lookup(kind: type[N], file: str, name: str, *, field: str) -> N:
    """One entry. Raises ScenarioError with the nearest names when `field` names nothing in the catalog."""
    entries = read_catalog(kind, file)
    if name in entries:
        return entries[name]
    hint = did_you_mean(name, entries, f"known: {', '.join(entries)}")
    raise ScenarioError(f"{name!r} is not in the catalog of {file}", where=field, hint=hint)
