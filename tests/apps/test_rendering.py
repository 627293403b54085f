"""A report goes where its file's ending says."""

from __future__ import annotations

import json

import pytest

from metaroce.apps.cli.rendering import print_report, save_report
from metaroce.report.document import Report, Section, Text

REPORT = Report("Title", "sub", (Section("one", "One", (Text("some words"),)),), data={"answer": 42})


@pytest.mark.parametrize("name", ["r.html", "r.json", "r.txt"])
def test_the_ending_decides(tmp_path, name):
    save_report(REPORT, tmp_path / name)
    text = (tmp_path / name).read_text()
    if name.endswith("html"):
        assert text.startswith("<!doctype html") or text.startswith("<!DOCTYPE html")
    elif name.endswith("json"):
        assert json.loads(text)["answer"] == 42
    else:
        assert "some words" in text and "<" not in text


def test_a_pipe_gets_no_colours(capsys):
    print_report(REPORT)
    assert "\x1b" not in capsys.readouterr().out
