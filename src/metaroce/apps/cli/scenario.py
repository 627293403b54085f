"""`roce scenario init` and `roce scenario check`: write a scenario to edit, and see whether it is sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaroce.apps.cli.options import AsJson, Preset, ScenarioFile, Settings

app = typer.Typer(
    help="Write a scenario to edit, and check one.", no_args_is_help=True, rich_markup_mode=None,
    pretty_exceptions_enable=False,
)  # fmt: skip


@app.command()
def init(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Where to write it; stdout if not given.", show_default=False),
    ] = None,
    preset: Preset = None,
    settings: Settings = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a scenario with all its fields, each with a comment that says what it means.

    Whatever you delete takes its default again.

    \b
    Examples:
      roce scenario init my.yaml
      roce scenario init my.yaml --preset sla-tightening --set seeds=9
    """
    from metaroce.apps.cli.commented import commented_yaml
    from metaroce.apps.cli.inputs import read_scenario
    from metaroce.apps.cli.output import write_text
    from metaroce.kit.errors import InputError

    if file is not None and file.is_file() and not force:
        raise InputError("the file exists", where=str(file), hint="choose another name, or --force to overwrite it")
    scenario, _ = read_scenario(None, preset, settings or ())
    start = (
        "# A scenario of MetaRoCE: change what you know, delete what you do not care about (plain defaults step in).\n"
    )
    write_text(start + commented_yaml(scenario), file)
    if file is not None and str(file) != "-":
        typer.echo(f"wrote {file}; next: roce scenario check {file}", err=True)


@app.command()
def check(
    file: ScenarioFile = None,
    preset: Preset = None,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Check a scenario and say what it describes: every fault with its line and what to do.

    \b
    Examples:
      roce scenario check my.yaml
      roce scenario check my.yaml --set service.tensor_parallel=4
      roce scenario check my.yaml --json      the scenario in full, with all defaults
    """
    from metaroce.apps.cli.inputs import read_scenario
    from metaroce.apps.cli.output import write_json, write_text
    from metaroce.apps.cli.summary import check_names, summary

    scenario, folder = read_scenario(file, preset, settings or ())
    check_names(scenario, folder)
    if as_json:
        write_json(scenario.model_dump(mode="json"))
    else:
        write_text(summary(scenario))
