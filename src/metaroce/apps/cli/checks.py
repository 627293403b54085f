"""roce checks: our step times and collectives beside published and measured numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaroce.apps.cli.options import AsJson

Folder = Annotated[
    Path | None,
    typer.Argument(
        metavar="FOLDER", show_default=False,
        help="Folder of measured collectives: NCCL and engine tables, DeepEP, Vidur profiles (see the how-to).",
    ),
]  # fmt: skip


def checks(folder: Folder = None, json_: AsJson = False) -> None:
    """Compare the serving model with published points; with FOLDER, its network terms with measured collectives."""
    from metaroce.apps.cli import output, rendering
    from metaroce.report.as_json import canonical
    from metaroce.report.document import Callout, Report, Section, table
    from metaroce.serving.checks import collectives, published_points

    points, sections = published_points(), []
    data = {"published_points": points.to_dicts()}
    columns = ["point", "unit", "claimed", "ours", "difference", "why"]
    sections.append(Section("points", "Published points", (table("", columns, points.select(columns).rows()),)))
    if folder is not None:
        measured, problems = collectives(folder)
        data["collectives"] = measured.to_dicts()
        columns = ["operation", "gpu", "gpus", "size", "measured_us", "ours_us", "difference"]
        told = [Callout("warn", str(problem)) for problem in problems]
        rows = table("", columns, measured.select(columns).rows(), "size: bytes of the message, or tokens per GPU")
        sections.append(Section("collectives", "Measured collectives", (*told, rows)))
    report = Report("roce checks", "difference = ours / theirs - 1", tuple(sections), data)
    if json_:
        output.write_text(canonical(report.data))
    else:
        rendering.print_report(report)
