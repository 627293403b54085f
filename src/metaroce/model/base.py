"""What every noun is made of: frozen, closed records, and fields that read quantities with units.

`Size`, `Rate`, `PsTime`, `NsTime`, `Share` and `PerSecond` take text with a unit ("400KB", "400G", "10us", "83 %",
"12/s") or, where no unit can be meant, a number. They hold plain ints and floats; dumped as JSON, sizes, rates and
times are text again that reads back to the same number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from metaroce.kit import units
from metaroce.kit.errors import QuantityError


class Noun(BaseModel):
    """A frozen record that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


def _reader(parse: Callable[[str], int | float], kind: str, bare: bool) -> BeforeValidator:
    def read(value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError(f"{value} is not a {kind}")
        if isinstance(value, str):
            try:
                return parse(value)
            except QuantityError as error:
                raise ValueError(f"{error.what}; {error.hint}") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{value} is not a finite {kind}")
        if isinstance(value, int | float) and not bare and value != 0:
            raise ValueError(f"{value} has no unit; write a {kind} with its unit")
        return value

    return BeforeValidator(read)


def _text(exact: Callable[[int], str]) -> PlainSerializer:
    return PlainSerializer(exact, return_type=str, when_used="json")


def _schema(kind: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": ["string", "number"], "description": f"{kind}, e.g. {example}"})


Size = Annotated[
    int,
    _reader(units.size, "size", True),
    Field(ge=0, le=units.INT64_MAX),
    _schema("size in bytes", "400KB"),
    _text(units.exact_size),
]
Rate = Annotated[
    int,
    _reader(units.rate, "rate", True),
    Field(gt=0, le=units.INT64_MAX),
    _schema("rate in bit/s", "400G"),
    _text(units.exact_rate),
]
PsTime = Annotated[
    int,
    _reader(units.time_ps, "time", False),
    Field(ge=0, le=units.INT64_MAX),
    _schema("time", "1.5us"),
    _text(units.exact_ps),
]
NsTime = Annotated[
    int,
    _reader(units.time_ns, "time", False),
    Field(ge=0, le=units.INT64_MAX),
    _schema("time", "300ms"),
    _text(units.exact_ns),
]
Share = Annotated[float, _reader(units.share, "share", True), Field(ge=0, le=1), _schema("share", "83 %")]
PerSecond = Annotated[
    float, _reader(units.per_second, "rate of events", True), Field(gt=0, le=1e9), _schema("events", "12/s")
]


def default_kind(kind: str) -> BeforeValidator:
    """For unions told apart by `kind`: what is meant when a file or an option does not say it."""

    def fill(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = cast(Mapping[str, Any], value)
        return given if "kind" in given else {"kind": kind, **given}

    return BeforeValidator(fill)


Count = Annotated[int, Field(gt=0, le=10_000_000)]
Factor = Annotated[float, Field(gt=0, le=1e9)]
