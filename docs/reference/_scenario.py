"""Every field of a scenario: walks the nouns from `Scenario` downwards, each once."""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Iterator
from typing import Any

from _markdown import doc, table, title
from pydantic import WithJsonSchema
from pydantic.fields import FieldInfo

from metaroce.model.base import Noun
from metaroce.model.scenario import Scenario

ABOUT = """\
A scenario is one YAML file. Nothing in it is required: `roce study` without a file runs the defaults below.
`roce scenario init my.yaml` writes all of it with these explanations; `roce schema` gives the same as JSON Schema.

Two rules:

- A part that you write takes *its own* defaults for what you leave out, as its table says, not those that the built-in
  scenario sets for it. `service: {gpu: h200}` alone therefore serves Llama 3.1 8B, though the built-in scenario serves
  70B. The column "default" of the parts above it shows what the built-in scenario sets.
- A part that has a `kind` is of its default kind when you leave that out: a rail fabric, generated requests, given
  transfers, lognormal tokens.

Quantities are text with a unit: `400KB`, `1GiB`, `400G` (bit/s), `1.5us`, `300ms`, `83 %`, `12/s`, `1000000/d`. Times
must have one; sizes are bytes and rates bit/s where it is left out. `null` means "not given".
"""
BOUNDS = {
    "ge": ">= {}",
    "gt": "> {}",
    "le": "<= {}",
    "lt": "< {}",
    "min_length": "at least {}",
    "max_length": "at most {}",
}


def page() -> str:
    """The page."""
    nouns = list(_nouns(Scenario, []))
    names = _headings(nouns)
    return title("Scenario file", ABOUT) + "".join(_section(noun, names) for noun in nouns)


def _nouns(noun: type[Noun], seen: list[type[Noun]]) -> Iterator[type[Noun]]:
    if noun in seen:
        return
    seen.append(noun)
    yield noun
    for field in noun.model_fields.values():
        for inner in _inside(field.annotation):
            yield from _nouns(inner, seen)


def _inside(annotation: Any) -> Iterator[type[Noun]]:
    if inspect.isclass(annotation) and issubclass(annotation, Noun):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _inside(part)


def _headings(nouns: list[type[Noun]]) -> dict[type[Noun], str]:
    found: dict[type[Noun], str] = {}
    for noun in nouns:
        name = noun.__name__
        found[noun] = f"{name} {noun.__module__.rpartition('.')[2]}" if name in found.values() else name
    return found


def _section(noun: type[Noun], names: dict[type[Noun], str]) -> str:
    rows = [
        (
            f"`{name}`",
            _type(field.annotation, field.metadata, names),
            _default(noun, name, field),
            field.description or "",
        )
        for name, field in noun.model_fields.items()
    ]
    return f"\n## {names[noun]}\n\n{doc(noun)}\n\n" + table(["field", "type", "default", "meaning"], rows)


def _type(annotation: Any, metadata: list[Any], names: dict[type[Noun], str]) -> str:
    for one in metadata:
        if isinstance(one, WithJsonSchema) and one.json_schema:
            return str(one.json_schema["description"])
    limits = ", ".join(text.format(_number(getattr(one, key))) for one in metadata for key, text in BOUNDS.items()
                       if isinstance(getattr(one, key, None), int | float))  # fmt: skip
    text = _plain_type(annotation, names)
    return f"{text}, {limits}" if limits else text


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"


def _plain_type(annotation: Any, names: dict[type[Noun], str]) -> str:
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type(parts[0], list(parts[1:]), names)
    if origin is typing.Literal:
        return " or ".join(f"`{json.dumps(part) if not isinstance(part, str) else part}`" for part in parts)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_plain_type(part, names) for part in parts)
    if origin is tuple:
        return f"list of {_plain_type(parts[0], names)}"
    if origin is dict:
        return f"map of {_plain_type(parts[0], names)} to {_plain_type(parts[1], names)}"
    if annotation in names:
        return f"[{names[annotation]}](#{names[annotation].lower().replace(' ', '-')})"
    known = {type(None): "null", bool: "true or false", int: "whole number", float: "number", str: "text"}
    return known.get(annotation, str(annotation))


def _default(noun: type[Noun], name: str, field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    whole = noun.model_construct(**{name: value}).model_dump(mode="json", include={name}, warnings=False)[name]
    text = _flow(_shortened(value, whole))
    return "its own" if text == "{}" and isinstance(value, Noun) else f"`{text}`"


def _shortened(value: Any, dumped: Any) -> Any:
    """A noun without the fields that have their own default."""
    if isinstance(value, tuple | list):
        return [_shortened(one, plain) for one, plain in zip(value, dumped, strict=True)]
    if not isinstance(value, Noun):
        return dumped
    fields = type(value).model_fields
    return {
        name: _shortened(getattr(value, name), plain)
        for name, plain in dumped.items()
        if name == "kind" or getattr(value, name) != fields[name].get_default(call_default_factory=True)
    }


def _flow(value: Any) -> str:
    """YAML in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(one) for one in value) + "]"
    return value if isinstance(value, str) and value else json.dumps(value)
