"""`roce schema`: the JSON Schema of a scenario, for editors that complete and check YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def schema(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Where to write it; stdout if not given.", show_default=False),
    ] = None,
) -> None:
    """Write the JSON Schema of a scenario: every field with its type, limits, default and meaning.

    Editors with a YAML language server complete and check a scenario that starts with
    `# yaml-language-server: $schema=scenario.schema.json`.

    \b
    Examples:
      roce schema scenario.schema.json
      roce schema | jq '."$defs".Burst'
    """
    from metaroce.apps.cli.output import write_json
    from metaroce.model.scenario import Scenario

    write_json(Scenario.model_json_schema(), file)
