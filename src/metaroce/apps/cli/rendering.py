"""A report on its way to a person or a file: text on the terminal, HTML, JSON or text by the file's ending."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from metaroce.apps.cli import output

if TYPE_CHECKING:
    from metaroce.report.document import Report

WIDEST = 120


def print_report(report: Report) -> None:
    """The terminal page on stdout, in colour where it is a terminal."""
    from metaroce.report.terminal import render

    width = min(WIDEST, shutil.get_terminal_size((100, 40)).columns)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    output.write_text(render(report, width=width, colour=colour))


def save_report(report: Report, path: Path) -> None:
    """The report as a file: .html one offline page, .json the numbers, anything else plain text."""
    from metaroce.report import html, terminal
    from metaroce.report.as_json import to_json

    kind = path.suffix.lower()
    if kind in (".html", ".htm"):
        output.write_text(html.render(report), path)
    elif kind == ".json":
        output.write_text(to_json(report), path)
    else:
        output.write_text(terminal.render(report, width=100, colour=False), path)
