"""The command `roce`: its list of commands, and the one door through which every error leaves.

Strategy: this file and every command file import only typer and the standard library at the top; what computes is
imported inside the functions, so that help and completion answer at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from metaroce.apps.cli import checks, output, presets, scenario, schema, study
from metaroce.kit.errors import EXIT_INTERRUPTED, RoceError

EXIT_BROKEN_PIPE = 141  # 128 + SIGPIPE, as any Unix filter whose reader went away
EXIT_FAULT = 70  # our own mistake (EX_SOFTWARE of sysexits.h)

_HELP = """From the packet to the purchase order: simulate, size and defend LLM services on RoCEv2 fabrics.

\b
Examples:
  roce study                                     the whole chain, on the built-in scenario
  roce study my.yaml --out report.html           your scenario, with a page of charts
  roce presets                                   scenarios that come with MetaRoCE
  roce scenario init my.yaml                     write a commented scenario to edit
  roce scenario check my.yaml --set seeds=9      is it valid, and what does it say?

\b
Exit status: 0 done; 1 a check found something; 2 wrong input or call; 3 computed, and nothing meets the question;
130 interrupted; 70 a fault in roce itself.
"""


class _InterruptError(Exception):
    """Ctrl-C, carried past typer, which would end without a word."""


class _PipeError(Exception):
    """A broken pipe, carried past typer, which would call it a failure."""


class _Door(TyperGroup):
    """Lets interruptions through to `call` instead of ending them on the way."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise _InterruptError(str(stop)) from None
        except BrokenPipeError:
            raise _PipeError from None


app = typer.Typer(
    name="roce",
    cls=_Door,
    help=_HELP,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: half the start-up time, and [FILE] stays [FILE]
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

app.command("study")(study.study)
app.command("checks")(checks.checks)
app.command("presets")(presets.presets)
app.command("schema")(schema.schema)
app.add_typer(scenario.app, name="scenario")


def _version(wanted: bool) -> None:
    if wanted:
        from metaroce import __version__

        typer.echo(f"metaroce {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of unexpected errors (or METAROCE_DEBUG=1).")
    ] = False,
) -> None:
    if debug:
        os.environ["METAROCE_DEBUG"] = "1"


def run() -> NoReturn:
    """Entry of the console script: run the command line and exit with its status."""
    sys.exit(call(sys.argv[1:]))


def call(arguments: Sequence[str]) -> int:
    """Run one command line; errors are told on stderr. Returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that has no µ shows a question mark
    try:
        status = _invoke(arguments)
        output.flush()
    except RoceError as error:
        _tell(str(error))
        return error.exit_status
    except (_InterruptError, KeyboardInterrupt) as stop:
        _tell(f"\ninterrupted: {str(stop) or output.kept()}")
        return EXIT_INTERRUPTED
    except (_PipeError, BrokenPipeError):
        output.discard(sys.stdout)
        return EXIT_BROKEN_PIPE
    except Exception as fault:
        return _report(fault)
    return status


def _invoke(arguments: Sequence[str]) -> int:
    try:
        typer.main.get_command(app).main(args=list(arguments), prog_name="roce")
    except SystemExit as end:  # typer ends every call this way, after telling usage errors itself
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _report(fault: Exception) -> int:
    if os.environ.get("METAROCE_DEBUG", "0") not in ("", "0"):
        import traceback

        _tell("".join(traceback.format_exception(fault)).rstrip())
        return EXIT_FAULT
    _tell(
        f"error: roce itself failed: {type(fault).__name__}: {fault}\n"
        "  = help: this is a fault in MetaRoCE, not in your input. Please report it with the command, its scenario, "
        "`roce --version`\n          and what METAROCE_DEBUG=1 prints."
    )
    return EXIT_FAULT


def _tell(text: str) -> None:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        output.discard(sys.stderr)
