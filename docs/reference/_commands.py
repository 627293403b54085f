"""Every command with its arguments and options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from _markdown import code, table, title

from metaroce.apps.cli.main import app

ABOUT = "`roce COMMAND --help` prints the same. Results go to standard output, progress and warnings to standard error."


def page() -> str:
    """The page."""
    return title("Commands", ABOUT) + "".join(_sections(typer.main.get_command(app), "roce"))


def _sections(command: Any, name: str) -> Iterator[str]:
    yield f"\n## {name}\n\n{code(_help(command))}"
    rows = [row for parameter in command.params if (row := _row(parameter))]
    if rows:
        yield "\n" + table(["argument or option", "value", "meaning"], rows)
    for inner, one in getattr(command, "commands", {}).items():
        yield from _sections(one, f"{name} {inner}")


def _help(command: Any) -> str:
    """Its text without the marks that keep lines apart."""
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _row(parameter: Any) -> tuple[str, str, str] | None:
    if "completion" in (parameter.name or ""):
        return None
    is_flag = getattr(parameter, "is_flag", False)
    value = "" if is_flag else parameter.metavar or "N"  # only whole numbers have no name of their own
    if parameter.param_type_name == "argument":
        return f"`{value}`", "", parameter.help or ""
    spelled = ", ".join(f"`{one}`" for one in sorted(parameter.opts, key=len))
    return spelled, f"`{value}`" if value else "", (parameter.help or "").strip()
