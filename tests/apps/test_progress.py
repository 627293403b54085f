"""What is shown on stderr while work goes on."""

from __future__ import annotations

import io

import pytest

from metaroce.apps.cli import progress
from metaroce.kit.progress import silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_lines_come_at_once_and_then_every_five_seconds():
    stream = io.StringIO()
    now = 0.0
    tell = progress.plain_lines(stream, clock=lambda: now)
    for tenth in range(120):
        now = tenth / 10
        tell("seeds", tenth / 120)
    assert stream.getvalue().splitlines() == ["seeds: 0%", "seeds: 42%", "seeds: 83%"]


def test_a_share_that_is_not_known_is_not_shown():
    stream = io.StringIO()
    progress.plain_lines(stream)("reading the trace", None)
    assert stream.getvalue() == "reading the trace\n"


def test_quiet_is_silent():
    stream = Terminal()
    with progress.watched(quiet=True, kernels=("sim",), stream=stream) as tell:
        assert tell is silent
        tell("work", 0.5)
    assert stream.getvalue() == ""


def test_elsewhere_than_on_a_terminal_lines_are_plain():
    stream = io.StringIO()
    with progress.watched(stream=stream) as tell:
        tell("work", 0.5)
    assert stream.getvalue() == "work: 50%\n"


def test_on_a_terminal_one_line_changes_and_goes(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with progress.watched(stream=stream) as tell:
        for share in (None, 0.25, None, 0.75):  # unknown, known, unknown again
            tell("window [1/2]", share)
    shown = stream.getvalue()
    assert "window [1/2]" in shown  # square brackets are text, not colours
    assert shown.rstrip().endswith(("\x1b[2K", "\x1b[?25h"))  # the line is erased, the cursor is back


@pytest.mark.parametrize(("warm", "told"), [(True, ""), (False, "first run")])
def test_a_cold_start_is_announced(monkeypatch, warm, told):
    monkeypatch.setattr("metaroce.kit.jit.is_warm", lambda room: warm or room == "sim")
    stream = io.StringIO()
    with progress.watched(kernels=("sim", "serving"), stream=stream):
        pass
    assert stream.getvalue()[: len("first run")] == told


def test_an_interruption_passes_through():
    with pytest.raises(KeyboardInterrupt), progress.watched(stream=Terminal()) as tell:
        tell("work", 0.1)
        raise KeyboardInterrupt
