"""From FILE, --preset and --set to a checked scenario: every command that takes a scenario takes it here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metaroce.kit.errors import InputError

if TYPE_CHECKING:
    from metaroce.model.reading import Document
    from metaroce.model.scenario import Scenario


def read_scenario(file: Path | None, preset: str | None, settings: Sequence[str] = ()) -> tuple[Scenario, Path]:
    """The scenario of a file or preset with `settings` laid over it, and the folder its relative paths start at.

    Neither file nor preset gives the defaults. Raises InputError and ScenarioError with file and line.
    """
    return scenario_of(read_document(file, preset), settings), folder_of(file)


def scenario_of(document: Document, settings: Sequence[str] = ()) -> Scenario:
    """A document with `settings` laid over it, checked. Raises ScenarioError with file and line."""
    from metaroce.model.reading import set_value, validate
    from metaroce.model.scenario import Scenario

    for assignment in settings:
        document = set_value(document, assignment)
    return validate(Scenario, document)


def folder_of(file: Path | None) -> Path:
    """Where a scenario's relative paths start."""
    return file.parent if file is not None and str(file) != "-" else Path()


def unnamed_model(document: Document, scenario: Scenario) -> str:
    """A remark when a document describes its service but not its model, "" otherwise.

    A half given section takes its own plain defaults, which are not those of the built-in scenario.
    """
    service = document.data.get("service")
    if not isinstance(service, dict) or "llm" in service:
        return ""
    return f"note: {document.name} names no service.llm, so {scenario.service.llm} is simulated"


def read_document(file: Path | None, preset: str | None) -> Document:
    """The file, preset or built-in scenario as it stands; standard input can be read but once.

    Raises InputError and ScenarioError with file and line.
    """
    from metaroce.model.reading import Document, parse_yaml, read_yaml
    from metaroce.model.scenario import Scenario
    from metaroce.study.preset_files import preset_document

    if file is not None and preset is not None:
        raise InputError(
            "a file and a preset are given", where=f"--preset {preset}", hint=f"leave out one: {file} or --preset"
        )
    if preset is not None:
        return preset_document(preset)
    if file is None:
        # in full, because a half given part would take that part's own defaults instead of this scenario's
        return Document(Scenario().model_dump(mode="json"), "the default scenario")
    return parse_yaml(sys.stdin.read(), "standard input") if str(file) == "-" else read_yaml(file)
