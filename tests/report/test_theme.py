"""The palette can be read by day and by night, also by colour-blind readers' measure of contrast."""

from __future__ import annotations

import json
import re

import pytest

from metaroce.report import theme


def _luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a: str, b: str) -> float:
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("night", [False, True])
def test_words_and_marks_stand_out_from_the_page(night):
    def of(colour):
        return theme.NIGHT[colour] if night else colour

    for words in (theme.INK, theme.SOFT, theme.RED):
        assert _contrast(of(words), of(theme.PAPER)) >= 4.5
    for mark in theme.SERIES[:4]:
        assert _contrast(of(mark), of(theme.PAPER)) >= 2.7


def test_every_colour_has_its_night(specs):
    used = set(re.findall(r'"(#[0-9a-fA-F]{6})"', json.dumps([specs, theme.config()])))
    assert used <= set(theme.NIGHT)
    assert len(set(theme.NIGHT.values())) == len(theme.NIGHT)


def test_night_changes_colours_and_nothing_else(specs):
    back = {night: day for day, night in theme.NIGHT.items()}
    for spec in specs.values():
        night = theme.at_night(spec)
        assert night != spec
        text = re.sub(r"#[0-9a-f]{6}", lambda found: back.get(found[0], found[0]), json.dumps(night))
        assert json.loads(text) == spec
