"""A commented scenario says what every field means, and reads back to the same noun."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from metaroce.apps.cli.commented import commented_yaml
from metaroce.model.base import Noun, NsTime, PsTime, Rate, Share, Size
from metaroce.model.fabric_settings import LawSettings, SimSettings
from metaroce.model.money import Money
from metaroce.model.reading import parse_yaml, validate
from metaroce.model.scenario import Scenario
from metaroce.study.preset_files import preset_document, preset_names


class Round(Noun):
    """A kind of thing."""

    kind: Literal["round"] = "round"
    radius: float = 1.0
    """metres"""


class Square(Noun):
    """Another kind."""

    kind: Literal["square"] = "square"
    side: float
    """metres"""
    colour: Literal["red", "green"] | None = None
    """What it looks like."""


Shape = Annotated[Round | Square, Field(discriminator="kind")]


class Box(Noun):
    """Everything a noun can hold."""

    text: str
    """Any text."""
    size: Size
    rate: Rate
    """bit/s"""
    short: PsTime
    long: NsTime
    share: Share
    number: float
    """A number."""
    flag: bool
    one: Shape
    """What is in it. A very long explanation that cannot stand beside the value, because it goes on and on."""
    maybe: Square | None
    many: tuple[Shape, ...]
    """Several."""
    named: dict[str, Square]
    """By name."""
    plain: dict[str, float]
    words: tuple[str, ...]
    whole: dict[int, tuple[Round, ...]]


_numbers = st.floats(allow_nan=False, allow_infinity=False)
_rounds = st.builds(Round, radius=_numbers)
_squares = st.builds(Square, side=_numbers, colour=st.sampled_from(["red", "green", None]))
_shapes = st.one_of(_rounds, _squares)
_int64 = st.integers(0, 2**63 - 1)
_tricky = st.sampled_from(
    ["", " ", "~", "null", "true", "yes", "on", "0x10", "4e11", "10:1", "1_000", "-", "- a", "a: b", "# no", "a #b",
     "{a}", "[", "*x", "&x", "!x", "%", "@", "`", "'", '"', "\n", "a\nb\n", "\t", "é µ", "\U0001f600", "\x85", "\u2028",
     "\ufeff", "---", "...", "? a", "x " * 90, "400KB", "=", "<<", "2024-01-01", "0o7", ".inf", "NaN", "word" * 40]
)  # fmt: skip
_texts = st.one_of(_tricky, st.text(max_size=40))
_boxes = st.builds(
    Box, text=_texts, size=_int64, rate=st.integers(1, 2**63 - 1), short=_int64.map(lambda n: f"{n}ps"),
    long=st.integers(0, 10**15).map(lambda n: f"{n}ns"), share=st.floats(0, 1), number=_numbers, flag=st.booleans(),
    one=_shapes, maybe=st.none() | _squares, many=st.lists(_shapes, max_size=3).map(tuple),
    named=st.dictionaries(_texts, _squares, max_size=2), plain=st.dictionaries(_texts, _numbers, max_size=2),
    words=st.lists(_texts, max_size=3).map(tuple),
    whole=st.dictionaries(st.integers(0, 9), st.lists(_rounds, max_size=2).map(tuple), max_size=2),
)  # fmt: skip


def read_back(noun):
    return validate(type(noun), parse_yaml(commented_yaml(noun), "written"))


@given(_boxes)
def test_any_noun_reads_back(box):
    assert read_back(box) == box


def test_the_default_scenario_reads_back():
    assert read_back(Scenario()) == Scenario()


@pytest.mark.parametrize("name", preset_names())
def test_presets_read_back(name):
    scenario = validate(Scenario, preset_document(name))
    assert read_back(scenario) == scenario


@pytest.mark.parametrize("noun", [
    SimSettings(class_laws={3: LawSettings(), 46: LawSettings(name="none")}),
    Money(prices={"h100-sxm": {"value": 25_000}, "a b: c": {"value": 1, "unit": "GPU-hour"}}),
], ids=["laws by class", "prices by name"])  # fmt: skip
def test_mappings_of_nouns_read_back(noun):
    assert read_back(noun) == noun


def test_what_is_printed():
    box = Box(
        text="on", size=400_000, rate=400_000_000_000, short="10us", long="10min", share=0.5, number=1e-5, flag=True,
        one=Square(side=2), maybe=None, many=(Round(), Round(radius=2)), named={}, plain={"a": 1.0},
        words=("x", "4e11"),
        whole={},
    )  # fmt: skip
    assert commented_yaml(box).splitlines() == [
        "text: on                            # Any text.",
        "size: 400KB",
        "rate: 400G                          # bit/s",
        "short: 10us",
        "long: 10min",
        "share: 0.5",
        "number: 1.0e-05                     # A number.",
        "flag: true",
        "# What is in it. A very long explanation that cannot stand beside the value, because it goes on and on.",
        "one:",
        "  kind: square                      # [round | square]",
        "  side: 2.0                         # metres",
        "  colour: null                      # What it looks like. [red | green]",
        "maybe: null",
        "many:                               # Several.",
        "  - kind: round                     # [round | square]",
        "    radius: 1.0                     # metres",
        "  - kind: round",
        "    radius: 2.0",
        "named: {}                           # By name.",
        "plain: {a: 1.0}",
        "words: [x, '4e11']",
        "whole: {}",
    ]


def test_every_line_fits():
    for noun in (Scenario(), *(validate(Scenario, preset_document(name)) for name in preset_names())):
        assert max(len(line) for line in commented_yaml(noun).splitlines()) <= 110


def test_every_explained_field_of_the_scenario_is_explained_once():
    text = " ".join(line.partition("# ")[2] or line for line in commented_yaml(Scenario()).splitlines())
    words = " ".join(text.split())
    for name, field in Scenario.model_fields.items():
        assert words.count(" ".join((field.description or "").split())) >= 1, name
    assert words.count("bytes of the smallest transfer") == 1


def test_other_readers_of_yaml_understand_it():
    data = yaml.safe_load(commented_yaml(Scenario()))
    assert data["fabric"]["ecn"]["kmin"] == "400KB"
    assert data["orders"]["servers"]["tiers"][3]["name"] == "foundry"
