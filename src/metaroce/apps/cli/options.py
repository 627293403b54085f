"""Arguments and options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaroce.kit.errors import InputError


def _names(incomplete: str) -> list[str]:
    """Shell completion of preset names; a broken installation must not break the shell."""
    from metaroce.study.preset_files import preset_names

    try:
        return [name for name in preset_names() if name.startswith(incomplete)]
    except InputError:
        return []


ScenarioFile = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="Scenario in YAML; - reads standard input.", show_default=False)
]
Preset = Annotated[
    str | None,
    typer.Option("--preset", "-p", metavar="NAME", help="Start from this preset (see `roce presets`).",
                 autocompletion=_names),
]  # fmt: skip
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE",
                 help="Change one value, e.g. --set fabric.ecn.kmin=400KB; may be repeated."),
]  # fmt: skip
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
