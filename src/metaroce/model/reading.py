"""YAML 1.2 in, checked nouns out, with file and line in every complaint.

PyYAML follows YAML 1.1, where `10:1` is 601, `on` is True and `4e11` is text. The loader here resolves scalars by the
1.2 core schema instead. Line numbers of all keys are kept beside the data, so that a validation error points at them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import yaml
from pydantic import BaseModel, ValidationError

from metaroce.kit.errors import InputError, ScenarioError
from metaroce.kit.nearest import key_meant, nearest_file

M = TypeVar("M", bound=BaseModel)
Path_ = tuple[str | int, ...]

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Yaml12Loader(_Base):  # type: ignore[misc]
    """Safe loader with the core schema of YAML 1.2."""


Yaml12Loader.yaml_implicit_resolvers = {}
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", rf"^(?:{_FLOAT}|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", "-+.0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
):  # fmt: skip
    Yaml12Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), ["" if c == "\0" else c for c in _first]
    )


def _int12(loader: Any, node: Any) -> int:
    text = cast(str, loader.construct_scalar(node))
    return int(text, 0) if text[:2] in ("0x", "0o") else int(text)


def _float12(loader: Any, node: Any) -> float:
    text = cast(str, loader.construct_scalar(node)).lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


Yaml12Loader.add_constructor("tag:yaml.org,2002:int", _int12)
Yaml12Loader.add_constructor("tag:yaml.org,2002:float", _float12)


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and where each of its keys stands."""

    data: Any
    name: str
    lines: Mapping[Path_, tuple[int, str]] = field(default_factory=lambda: {})

    def where(self, path: Iterable[str | int]) -> str:
        """`file:line  text of the line` of the deepest known part of `path`."""
        wanted = tuple(path)
        while wanted:
            if wanted in self.lines:
                number, text = self.lines[wanted]
                return f"{self.name}:{number}  {text.strip()}" if number else f"{self.name}  {text.strip()}"
            wanted = wanted[:-1]
        return self.name


def parse_yaml(text: str, name: str) -> Document:
    """Read one YAML document. Raises ScenarioError with file and line."""
    try:
        node = cast(Any, yaml.compose(text, Loader=Yaml12Loader))  # pyright: ignore[reportUnknownMemberType]
        data = yaml.load(text, Loader=Yaml12Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}" if mark else name
        raise ScenarioError(f"not YAML: {error.problem or error.context}", where=where) from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"not YAML: {error}", where=name) from None
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"not readable as YAML: {error}", where=name) from None
    lines: dict[Path_, tuple[int, str]] = {}
    rows = text.splitlines()
    if node is not None:
        _note_lines(node, (), lines, rows, name)
    return Document(data, name, lines)


def read_yaml(path: Path) -> Document:
    """Read a YAML file. Raises InputError when it is missing, empty or not UTF-8 text."""
    text = read_text(path)
    if not text.strip():
        raise InputError("the file is empty", where=str(path), hint="`roce scenario init` writes a commented one")
    return parse_yaml(text, str(path))


def read_text(path: Path) -> str:
    """UTF-8 text of a file; a byte-order mark is dropped. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", where=str(path), hint=nearest_file(path)) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 text (byte {error.start})", where=str(path), hint="save it as UTF-8, e.g. with iconv -t utf-8"
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None


def validate(kind: type[M], document: Document) -> M:
    """Check a document against a noun. Raises ScenarioError that names every fault with its line."""
    _refuse_other_than_keys(document)
    try:
        return kind.model_validate(document.data)
    except ValidationError as error:
        raise _explain(kind, document, error) from None


def set_value(document: Document, assignment: str) -> Document:
    """`fabric.ecn.kmin=400KB` laid over a document: a new document with that value. Raises InputError."""
    _refuse_other_than_keys(document)
    key, sign, text = assignment.partition("=")
    if not sign or not key.strip():
        raise InputError(f"{assignment!r} is not KEY=VALUE", where="--set", hint="e.g. --set fabric.ecn.kmin=400KB")
    path = tuple(int(part) if part.isdigit() else part for part in key.strip().split("."))
    value = parse_yaml(text, f"--set {assignment}").data
    data = _with_value(document.data, path, value, assignment)
    return Document(data, document.name, {**document.lines, path: (0, f"(--set {assignment})")})


def _refuse_other_than_keys(document: Document) -> None:
    data: Any = document.data
    if not isinstance(data, Mapping):
        raise ScenarioError(
            f"expected keys and values, found {type(data).__name__}", where=document.name,
            hint="`roce scenario init` writes a commented one",
        )  # fmt: skip


def _with_value(data: Any, path: Path_, value: Any, assignment: str) -> Any:
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(data, list):
        items = cast(list[Any], data)
        if not isinstance(head, int) or not 0 <= head < len(items):
            raise InputError(
                f"{head!r} is no position in a list of {len(items)}",
                where=f"--set {assignment}",
                hint="positions start at 0",
            )
        return [*items[:head], _with_value(items[head], rest, value, assignment), *items[head + 1 :]]
    fields: dict[Any, Any] = dict(cast(Mapping[Any, Any], data)) if isinstance(data, Mapping) else {}
    fields[head] = _with_value(fields.get(head), rest, value, assignment)
    return fields


def _note_lines(node: Any, path: Path_, lines: dict[Path_, tuple[int, str]], rows: list[str], name: str) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            number = key.start_mark.line
            if here in lines:
                raise ScenarioError(
                    f"{key.value!r} is given twice",
                    where=f"{name}:{number + 1}",
                    hint=f"first on line {lines[here][0]}",
                )
            lines[here] = (number + 1, rows[number] if number < len(rows) else "")
            _note_lines(value, here, lines, rows, name)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            number = value.start_mark.line
            lines[(*path, position)] = (number + 1, rows[number] if number < len(rows) else "")
            _note_lines(value, (*path, position), lines, rows, name)


def _explain(kind: type[BaseModel], document: Document, error: ValidationError) -> ScenarioError:
    faults = error.errors(include_url=False)
    told: list[ScenarioError] = []
    for fault in faults:
        path = _real_path(fault["loc"], document.data)
        name = ".".join(str(part) for part in path) or "the scenario"
        if fault["type"] == "extra_forbidden":
            what, hint = f"unknown key {name!r}", _suggest(kind, path)
        elif fault["type"] == "missing":
            what, hint = f"{name!r} is missing", None
        else:
            what, hint = f"{name}: {fault['msg'].removeprefix('Value error, ')}", None
        told.append(ScenarioError(what, where=document.where(path), hint=hint))
    first, *others = told
    if others:
        first.hint = (first.hint or "see below") + "\n\nand:\n" + "\n".join(map(str, others))
    return first


def _real_path(loc: tuple[int | str, ...], data: Any) -> Path_:
    """Pydantic puts the name of a union's branch into the location; keep only what is in the document."""
    path: list[str | int] = []
    at: Any = data
    for position, part in enumerate(loc):
        last = position == len(loc) - 1
        if isinstance(at, Mapping) and (part in at or last):
            path.append(part)
            at = cast(Mapping[Any, Any], at).get(part)
        elif isinstance(at, list) and isinstance(part, int):
            items = cast(list[Any], at)
            path.append(part)
            at = items[part] if part < len(items) else None
    return tuple(path)


def _suggest(kind: type[BaseModel], path: Path_) -> str:
    known = _keys_at(kind, path[:-1])
    otherwise = f"known here: {', '.join(known)}" if known else "delete it"
    return key_meant(str(path[-1]), known, otherwise, alike=0.6)


def _keys_at(kind: Any, path: Path_) -> list[str]:
    """Field names that a noun allows below `path`, through optional fields, unions and lists."""
    kinds = [kind]
    for part in path:
        found: list[Any] = []
        for one in kinds:
            fields = getattr(one, "model_fields", {})
            if part in fields:
                found.extend(_nouns_in(fields[part].annotation))
            elif isinstance(part, int):
                found.append(one)
        kinds = found
    return sorted({name for one in kinds for name in getattr(one, "model_fields", {})})


def _nouns_in(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [noun for part in get_args(annotation) for noun in _nouns_in(part)]
