"""Pictures are drawn without a browser, by day and by night, in the width asked for."""

from __future__ import annotations

import struct

from metaroce.report import picture, theme


def _size(content: bytes) -> tuple[int, int]:
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", content[16:24])


def test_a_png_has_about_the_width_asked_for(specs):
    for name in ("capacity", "orders"):
        width, height = _size(picture.png(specs[name], width=600, scale=1))
        assert abs(width - 600) <= 60, name
        assert height > 150
    assert _size(picture.png(specs["capacity"], width=600, scale=2))[0] > 1100


def test_svg_has_the_words_and_the_page(specs):
    day, night = picture.svg(specs["tornado"]), picture.svg(specs["tornado"], night=True)
    assert "burst peak" in day
    assert theme.PAPER in day and theme.NIGHT[theme.PAPER] in night


def test_the_specification_is_left_as_it_was(specs):
    before = repr(specs["orders"])
    picture.placed(specs["orders"], 500, night=True)
    assert repr(specs["orders"]) == before


def test_same_chart_same_bytes(specs):
    assert picture.png(specs["compare"]) == picture.png(specs["compare"])
