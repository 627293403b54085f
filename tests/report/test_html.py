"""One file that needs nothing else, says the same on every run, and cannot be talked into running foreign code."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from metaroce.report.document import Callout, Chart, Details, Figure, Figures, Report, Section, Text, table
from metaroce.report.html import render, slug

_VOID = {"meta", "link", "br", "img", "hr", "input"}


class _Page(HTMLParser):
    """Checks nesting and keeps what the tests ask for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.targets, self.loads, self.scripts, self.text = [], [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.targets += [found["href"]] if "href" in found else []
        self.loads += [value for key, value in attrs if key in ("src", "srcset", "data", "poster", "action")]
        assert not [key for key in found if key.startswith("on")]
        if tag == "script":
            self.scripts.append((found.get("type", ""), []))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1].append(data)
        elif not self.open or self.open[-1] != "style":
            self.text.append(data)


@pytest.fixture(scope="module")
def page(sample):
    return render(sample)


@pytest.fixture(scope="module")
def parsed(page):
    return _Page(page)


def _small(*blocks):
    return Report("T", "", (Section("s", "S", blocks),))


def test_nothing_is_loaded_from_anywhere(page, parsed):
    assert parsed.loads == []
    assert all(target.startswith("#") for target in parsed.targets)
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style and "@import" not in style
    assert "default-src 'none'" in page


def test_links_within_the_page_lead_somewhere(parsed):
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert {target[1:] for target in parsed.targets} <= set(parsed.ids)
    assert "#how-gpus-needed" in parsed.targets


def test_the_bundle_is_there_once_and_only_for_charts(page):
    assert page.count("window.vegaEmbed=") == 1
    small = render(_small(Text("no chart")))
    assert "vegaEmbed" not in small
    assert len(small) < 30_000
    assert "unsafe-eval" not in small


def test_every_chart_is_inlined_as_data_with_words_beside_it(sample, parsed, page):
    specs = [json.loads("".join(text)) for kind, text in parsed.scripts if kind == "application/json"]
    assert len(specs) == 9
    assert all(spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/") for spec in specs)
    labels = re.findall(r'class="vega" role="img" aria-label="([^"]+)"', page)
    assert len(labels) == 9 and all(labels)


def test_charts_in_folds_count_too():
    chart = Chart("c", lambda: {"mark": "bar"})
    assert "window.vegaEmbed=" in render(_small(Details("more", (chart,))))


def test_all_words_arrive(parsed):
    text = " ".join(" ".join(parsed.text).split())
    for words in ("48,211", "batch <nightly>", "How the headline numbers came about", "112 to 128 over 5 seeds",
                  "Settings of the simulation", "11 weeks late", "Same scenario, seed and version"):  # fmt: skip
        assert words in text


_EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>`<b>` **<i>**"


def test_foreign_text_is_only_text():
    report = Report(_EVIL, _EVIL, (Section(_EVIL, _EVIL, (
        Text(_EVIL), Callout("bad", _EVIL), Figures((Figure(_EVIL, _EVIL, _EVIL, note=_EVIL, unit=_EVIL),)),
        table(_EVIL, [_EVIL], [[_EVIL]], _EVIL), Details(_EVIL, (Text(_EVIL),)),
        Chart(_EVIL, lambda: {"data": {"values": [{"x": _EVIL}]}}, _EVIL, _EVIL),
    )),), footer=_EVIL)  # fmt: skip
    text = render(report)
    parsed = _Page(text)
    assert parsed.loads == []
    assert "<img src=x" not in text
    (chart,) = [json.loads("".join(text)) for kind, text in parsed.scripts if kind == "application/json"]
    assert chart["data"]["values"] == [{"x": _EVIL}]
    assert len([kind for kind, _ in parsed.scripts if not kind]) == 3  # bundle, charts, folds


def test_columns_are_set_by_what_they_hold():
    rows = [["chat", "297.7 ms", 5, "a dozen replicas", "every request alone on a replica, no queue"]]
    text = render(_small(table("", ["class", "P95", "n", "how many of them", "how"], rows)))
    assert re.findall(r'<th scope="col"(?: class="(.)")?>', text) == ["", "n", "n", "m", "w"]
    assert re.findall(r'<td(?: class="(.)")?>', text) == ["", "n", "n", "m", "w"]


def test_one_section_needs_no_contents():
    assert '<nav class="toc"' not in render(_small(Text("a")))


def test_same_report_same_bytes(sample, page):
    assert render(sample) == page


def test_anchors_are_plain():
    assert slug("GPUs needed (P95)") == "gpus-needed-p95"
    assert slug("???") == "x"
