"""JSON that is the same bytes for the same content: sorted keys, shortest floats, null for what is no number.

Numpy arrays and scalars, polars frames, nouns and dataclasses are taken as they come, known by what they can do and
not by their type, so that nothing heavy is imported here.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Set
from enum import Enum
from pathlib import PurePath
from typing import Any

from metaroce.report.document import Report

SCHEMA_VERSION = 1


def canonical(value: Any) -> str:
    """`value` as JSON text with a newline at its end. Raises TypeError for what has no plain form."""
    return json.dumps(plain(value), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_json(report: Report) -> str:
    """The numbers of a report as canonical JSON: `schema_version`, `title`, and its `data` beside them."""
    return canonical({**report.data, "schema_version": SCHEMA_VERSION, "title": report.title})


def plain(value: Any) -> Any:
    """Anything of ours as dicts, lists, text, numbers, true, false and null."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_key(key): plain(one) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted((plain(one) for one in value), key=repr)
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        return [plain(one) for one in value]
    return _structured(value)


def _structured(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if hasattr(value, "_asdict"):  # named tuple
        return plain(value._asdict())
    if hasattr(value, "model_dump"):  # noun
        return plain(value.model_dump(mode="json"))
    if hasattr(value, "get_columns"):  # polars frame
        return {column.name: plain(column.to_list()) for column in value.get_columns()}
    if hasattr(value, "tolist"):  # numpy
        return plain(value.tolist())
    if hasattr(value, "to_list"):  # polars column
        return plain(value.to_list())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(plain(key))
