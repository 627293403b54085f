"""Start-up, exit statuses, and what happens when something goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from metaroce import __version__
from metaroce.apps.cli import main
from metaroce.kit.errors import InputError

_HEAVY = ("numpy", "numba", "altair", "polars", "scipy", "pydantic", "yaml", "rich.progress")


@pytest.fixture
def boom(monkeypatch):
    """A way to let `roce boom` raise what a test wants."""
    app = typer.Typer(cls=main._Door, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback()(main._options)

    def raising(error):
        @app.command("boom")
        def command() -> None:
            raise error

        monkeypatch.setattr(main, "app", app)

    return raising


@pytest.mark.parametrize(
    "work", ["import metaroce.apps.cli.main", "from metaroce.apps.cli.main import call; call(['--help'])"]
)
def test_start_loads_nothing_heavy(work):
    code = f"import sys\n{work}\nprint([name for name in {_HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_answers_within_half_a_second():
    def once() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "metaroce.apps.cli", "--help"], capture_output=True, check=True)
        return time.perf_counter() - start

    assert min(once() for _ in range(4)) < 0.5  # the best of four: the machine may be busy, the program not


def test_help_names_every_command_and_shows_examples(roce):
    said = roce("--help")
    assert said.status == 0
    for name in ("scenario", "schema", "presets"):
        assert f"\n  {name}" in said.out
    assert "\n  Examples:\n    roce " in said.out


def test_no_arguments_give_the_help(roce):
    said = roce()
    assert "Usage: roce" in said.out + said.err


def test_version(roce):
    assert roce("--version").out == f"metaroce {__version__}\n"


@pytest.mark.parametrize(("words", "found"), [
    ("roce sche", ["schema"]),
    ("roce scenario ", ["init", "check"]), ("roce scenario init --preset jit", ["jitter-storm"]),
])  # fmt: skip
def test_the_shell_completes_commands_and_presets(words, found):
    asked = {"_ROCE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-m", "metaroce.apps.cli"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.split()) == sorted(found)


def test_usage_errors_have_the_status_of_input_errors(roce):
    for arguments in (["scenario", "chekc"], ["presets", "--frob"], ["nonsense"]):
        said = roce(*arguments)
        assert said.status == 2
        assert not said.out
        assert "Error" in said.err


def test_our_errors_leave_with_their_status_and_full_text(boom, roce):
    boom(InputError("bad", where="a.yaml:3", hint="do this"))
    said = roce("boom")
    assert (said.status, said.out, said.err) == (2, "", "error: bad\n  --> a.yaml:3\n  = help: do this\n")


@pytest.mark.parametrize(("stop", "told"), [
    (KeyboardInterrupt(), "no file was written"),
    (KeyboardInterrupt("3 of 5 seeds are in a.json"), "3 of 5 seeds are in a.json"),
])  # fmt: skip
def test_an_interruption_says_what_was_kept(boom, roce, monkeypatch, stop, told):
    monkeypatch.setattr(main.output, "_written", [])
    boom(stop)
    said = roce("boom")
    assert said.status == 130
    assert told in said.err
    assert "Traceback" not in said.err


def test_an_interruption_names_the_files_that_are_complete(boom, roce, tmp_path, monkeypatch):
    monkeypatch.setattr(main.output, "_written", [])
    main.output.write_text("x", tmp_path / "done.txt")
    boom(KeyboardInterrupt())
    assert f"kept, complete: {tmp_path / 'done.txt'}" in roce("boom").err


def test_a_fault_of_ours_is_short_and_says_how_to_report(boom, roce):
    boom(ZeroDivisionError("division by zero"))
    said = roce("boom")
    assert said.status == 70
    assert "ZeroDivisionError: division by zero" in said.err
    assert "METAROCE_DEBUG=1" in said.err
    assert "Traceback" not in said.err


def test_debugging_shows_the_traceback(boom, roce, monkeypatch):
    boom(ZeroDivisionError("division by zero"))
    said = roce("--debug", "boom")
    assert said.status == 70
    assert "Traceback" in said.err
    monkeypatch.setenv("METAROCE_DEBUG", "1")
    assert "Traceback" in roce("boom").err


def test_a_broken_pipe_inside_a_command_is_quiet(boom, roce):
    boom(BrokenPipeError())
    said = roce("boom")
    assert (said.status, said.out, said.err) == (141, "", "")


@pytest.mark.skipif(os.name != "posix", reason="pipes of a Unix shell")
def test_a_reader_that_leaves_is_no_error():
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "metaroce.apps.cli", "schema"], stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_behind_stdout_is_told():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "metaroce.apps.cli", "schema"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: cannot be written: No space left on device\n  --> standard output")


def test_letters_that_a_terminal_lacks_are_no_error(tmp_path):
    scenario = tmp_path / "a.yaml"
    scenario.write_text("description: 5 µs\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "metaroce.apps.cli", "scenario", "check", str(scenario)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=True,
    )  # fmt: skip
    assert b"5 ?s" in done.stdout
