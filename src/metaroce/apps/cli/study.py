"""roce study: one scenario through the whole chain, from requests to money."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaroce.apps.cli.options import AsJson, Preset, Quiet, ScenarioFile, Settings
from metaroce.kit.errors import RoceError

if TYPE_CHECKING:
    from metaroce.model.scenario import Scenario
    from metaroce.report.document import Report
    from metaroce.study.api import Options

KERNELS = ("serving", "sim", "supply")


Trace = Annotated[
    Path | None,
    typer.Option("--trace", "-t", metavar="FILE", help="Requests from this trace instead of the scenario's."),
]
Compare = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--compare", metavar="A B", help="Two scenarios: every link before | after | change."),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", metavar="USD", min=0, help="What fits this purchase budget, and what it does to the SLO."),
]
MaxLeadTime = Annotated[
    int | None,
    typer.Option("--max-lead-time", metavar="WEEKS", min=0, help="What is there so many weeks after the order."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write the report: .html one offline page, .json numbers, or text."
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="First seed.")]
Seeds = Annotated[int | None, typer.Option("--seeds", min=1, help="How many seeds; intervals are over them.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", "-w", min=1, help="Processes; no result depends on it. [default: 2, or 1 on one core]"),
]
Strict = Annotated[bool, typer.Option("--strict", help="A bad line in a trace is an error.")]
Quick = Annotated[bool, typer.Option("--quick", help="Leave out the sensitivity runs.")]
Full = Annotated[bool, typer.Option("--full", help="Print the whole report, not its summary.")]


def study(
    file: ScenarioFile = None, preset: Preset = None, settings: Settings = None, trace: Trace = None,
    compare: Compare = None, budget: Budget = None, max_lead_time: MaxLeadTime = None, out: Out = None,
    json_: AsJson = False, seed: Seed = None, seeds: Seeds = None, workers: Workers = None, strict: Strict = False,
    quick: Quick = False, full: Full = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Run a scenario through the chain: requests, fabric, service, capacity, bill, orders, money.

    Without FILE and --preset the built-in scenario runs. Exit status: 0 the objectives are kept; 2 wrong input;
    3 computed, and no count, budget or date keeps them.
    """
    from metaroce.apps.cli import output
    from metaroce.apps.cli.inputs import folder_of, read_document, scenario_of, unnamed_model
    from metaroce.apps.cli.progress import watched

    if out is not None:
        output.check_target(out)
    changes = [*(settings or ()), *_assignments(trace, seed, seeds, quick)]
    if compare is not None:
        _compare(compare, changes, workers, strict, out, json_, quiet)
        return
    document = read_document(file, preset)
    scenario = scenario_of(document, changes)
    options = _options(folder_of(file), preset, workers, budget, max_lead_time, strict)
    if file is not None and not quiet and (note := unnamed_model(document, scenario)):
        typer.echo(note, err=True)
    with watched(quiet=quiet, kernels=KERNELS) as progress:
        from metaroce.study.api import study as run
        from metaroce.study.compare import comparison_sections
        from metaroce.study.view import INTERRUPTED, report_of
        from metaroce.study.view_summary import summary_of

        before = None
        if settings:  # what if: the same without the changes, to compare with
            with suppress(RoceError):  # it may be just what the changes mend; then there is nothing to compare with
                plain = scenario_of(document, _assignments(trace, seed, seeds, True))
                before = run(plain, replace(options, preset=None, budget=None, max_weeks=None), progress=progress)
        result = run(scenario, options, progress=progress)
    for problem in result.chain.load.problems if json_ else ():  # the text page shows them itself
        typer.echo(str(problem), err=True)
    if result.interrupted and json_:
        typer.echo(INTERRUPTED, err=True)
    report = report_of(result)
    if before is not None:
        report = replace(report, sections=(*report.sections, *comparison_sections(before, result)))
    _write(report, report if full else summary_of(report, result), out, json_)
    raise typer.Exit(result.exit_status)


def _assignments(trace: Path | None, seed: int | None, seeds: int | None, quick: bool) -> list[str]:
    given = []
    if trace is not None:
        given.append(f'requests={{kind: trace, path: "{trace.resolve()}"}}')
        given.append(f'description="Requests of {trace.name}."')
    if seed is not None:
        given.append(f"seed={seed}")
    if seeds is not None:
        given.append(f"seeds={seeds}")
    if quick:
        given.append("sensitivity.enabled=false")
    return given


def _options(
    folder: Path, preset: str | None, workers: int | None, budget: float | None, weeks: int | None, strict: bool
) -> Options:
    import os

    from metaroce.study.api import Options

    return Options(folder, preset, workers or min(2, os.cpu_count() or 1), budget, weeks, strict)


def _write(report: Report, shown: Report, out: Path | None, json_: bool) -> None:
    from metaroce.apps.cli import output, rendering
    from metaroce.report.as_json import to_json

    if json_:
        output.write_text(to_json(report))
    else:
        rendering.print_report(shown)
    if out is not None:
        rendering.save_report(report, out)


def _compare(
    files: tuple[Path, Path],
    changes: list[str],
    workers: int | None,
    strict: bool,
    out: Path | None,
    json_: bool,
    quiet: bool,
) -> None:
    from metaroce.apps.cli.inputs import read_scenario
    from metaroce.apps.cli.progress import watched

    read: list[tuple[Scenario, Path]] = [
        read_scenario(file, None, [*changes, "sensitivity.enabled=false"]) for file in files
    ]
    with watched(quiet=quiet, kernels=KERNELS) as progress:
        from metaroce.study.api import study as run
        from metaroce.study.compare import report_of_comparison

        before, after = (
            run(scenario, _options(folder, None, workers, None, None, strict), progress=progress)
            for scenario, folder in read
        )
    report = report_of_comparison(before, after)
    _write(report, report, out, json_)
    raise typer.Exit(max(before.exit_status, after.exit_status))
