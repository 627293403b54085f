"""A noun as YAML that explains itself: every field with its value, and its docstring as a comment.

Strategy: `model_dump(mode="json")` gives the values as they would be written by hand ("400KB", "10min"); the noun
beside them gives the comments. Scalars and plain lists are printed by PyYAML with the resolvers of our own YAML 1.2
loader, so whatever the loader would misread is quoted. Each field of each kind of noun is explained once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from metaroce.model.reading import Yaml12Loader

_WIDTH = 110
_SLACK = 12  # PyYAML breaks a line after the word that crosses its width
_STEP = 2
_BESIDE = 34  # column of comments beside short values


class _Dumper(yaml.SafeDumper):
    """Quotes what our loader would not read back as text."""

    def ignore_aliases(self, data: Any) -> bool:
        return True  # the same value twice is two values


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """PyYAML would write line breaks of other alphabets as they are, and read them back as others."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


_Dumper.yaml_implicit_resolvers = Yaml12Loader.yaml_implicit_resolvers
_Dumper.add_representer(str, _text)


def commented_yaml(noun: BaseModel) -> str:
    """YAML text that reads back to `noun`, each field explained by its docstring, at most 110 columns wide.

    A value that has no place to break (a long word, a comment's address) may be wider.
    """
    return "\n".join(_mapping(noun, noun.model_dump(mode="json"), 0, set(), "")) + "\n"


def _mapping(
    noun: BaseModel, data: Mapping[str, Any], indent: int, told: set[tuple[type, str]], others: str
) -> Iterator[str]:
    """Lines of one noun. `others` names the kinds of noun that could stand here instead."""
    kind = type(noun)
    if not data:
        yield " " * indent + "{}"
    for name, field in kind.model_fields.items():
        comment = "" if (kind, name) in told else _comment(name, field, others)
        told.add((kind, name))
        yield from _entry(name, getattr(noun, name), data[name], indent, comment, told, _kinds(field.annotation))


def _entry(
    key: Any, value: Any, data: Any, indent: int, comment: str, told: set[tuple[type, str]], others: str
) -> Iterator[str]:
    """Lines of one key: its comment, then the value on the same line or indented below."""
    head = _dump({key: None}, indent, flow=False)
    if not _holds_nouns(value) or len(head) > 1:  # a key too long for YAML's short form goes without explanations
        lines = _dump({key: data}, indent, flow=None if isinstance(data, dict | list) else False)
        yield from _with_comment(lines, comment, indent)
        return
    yield from _with_comment([head[0].removesuffix(" null")], comment, indent)
    deeper = indent + _STEP
    if isinstance(value, BaseModel):
        yield from _mapping(value, data, deeper, told, others)
    elif isinstance(value, Mapping):
        for (inner, one), (text, below) in zip(value.items(), data.items(), strict=True):
            del inner
            yield from _entry(text, one, below, deeper, "", told, others)
    else:
        for one, below in zip(value, data, strict=True):
            yield from _item(one, below, deeper, told, others)


def _item(value: Any, data: Any, indent: int, told: set[tuple[type, str]], others: str) -> Iterator[str]:
    """Lines of one position in a list: what stands there, indented, with a dash before its first line of YAML."""
    if isinstance(value, BaseModel):
        lines = list(_mapping(value, data, indent + _STEP, told, others))
    elif _holds_nouns(value):
        raise TypeError("lists of lists of nouns have no commented form")
    else:
        lines = _dump(data, indent + _STEP, flow=None)
    first = next(position for position, line in enumerate(lines) if not line.lstrip().startswith("#"))
    lines[first] = " " * indent + "- " + lines[first][indent + _STEP :]
    yield from lines


def _dump(data: Any, indent: int, *, flow: bool | None) -> list[str]:
    """Lines of plain data, wrapped and indented. flow None: lists and mappings of scalars stand on one line."""
    text = yaml.dump(
        data,
        Dumper=_Dumper,
        width=_WIDTH - _SLACK - indent,
        default_flow_style=flow,
        allow_unicode=True,
        sort_keys=False,
    )
    return [" " * indent + line for line in text.removesuffix("\n").removesuffix("\n...").split("\n")]


def _with_comment(lines: list[str], comment: str, indent: int) -> Iterator[str]:
    """The comment beside a single line where both fit, else above."""
    beside = f"{lines[0].ljust(_BESIDE)}  # {comment}"
    if comment and len(lines) == 1 and len(beside) <= _WIDTH:
        yield beside
        return
    start = " " * indent + "# "
    yield from wrap(
        comment, _WIDTH, initial_indent=start, subsequent_indent=start, break_long_words=False, break_on_hyphens=False
    )
    yield from lines


def _comment(name: str, field: FieldInfo, others: str) -> str:
    """The docstring of a field, with the allowed words where it does not name them all."""
    text = " ".join((field.description or "").split())
    words = [str(word) for word in _words(field.annotation)]
    if len(words) > 1 and not all(word in text for word in words):
        text = f"{text} [{' | '.join(words)}]".strip()
    if others and name == "kind":
        text = f"{text} [{others}]".strip()
    return text


def _words(annotation: Any) -> tuple[Any, ...]:
    """Words of a `Literal`, also beside None."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(word for part in get_args(annotation) for word in _words(part) if get_origin(part) is Literal)


def _kinds(annotation: Any) -> str:
    """`generator | trace`: the values of `kind` of all nouns that a field can hold, when there are several."""
    kinds = [str(one.model_fields["kind"].default) for one in _nouns(annotation) if "kind" in one.model_fields]
    return " | ".join(kinds) if len(kinds) > 1 else ""


def _nouns(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [noun for part in get_args(annotation) for noun in _nouns(part)]


def _holds_nouns(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_nouns(one) for one in value.values())
    if isinstance(value, list | tuple | frozenset | set):
        return any(_holds_nouns(one) for one in value)
    return isinstance(value, BaseModel)
