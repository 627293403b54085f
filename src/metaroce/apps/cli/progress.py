"""How far the work is, on stderr: one live line on a terminal, a plain line now and then elsewhere.

An engine calls `progress(what, share)`; here that becomes something to look at. stdout stays free for results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from metaroce.kit.progress import Progress, silent

_PAUSE_S = 5.0  # between two plain lines


@contextmanager
def watched(*, quiet: bool = False, kernels: Sequence[str] = (), stream: TextIO | None = None) -> Iterator[Progress]:
    """A `Progress` that is shown while the block runs.

    quiet    show nothing
    kernels  rooms whose kernels the work calls, e.g. ("sim", "serving"): says so when they must be compiled first
    """
    stream = sys.stderr if stream is None else stream
    if quiet:
        yield silent
        return
    if needs_compiler(kernels):
        print("first run: the kernels are compiled once and kept; this takes up to a minute", file=stream, flush=True)
    if stream.isatty():
        with _live(stream) as progress:
            yield progress
    else:
        yield plain_lines(stream)


def needs_compiler(kernels: Sequence[str]) -> bool:
    """Whether any of these rooms has no compiled kernels yet. Loads numba."""
    if not kernels:
        return False
    from metaroce.kit.jit import is_warm

    return not all(is_warm(room) for room in kernels)


def plain_lines(stream: TextIO, clock: Callable[[], float] = time.monotonic) -> Progress:
    """A `Progress` that prints a line at once and then at most every 5 s; for logs and pipes."""
    next_at = float("-inf")

    def tell(what: str, share: float | None = None) -> None:
        nonlocal next_at
        now = clock()
        if now < next_at:
            return
        next_at = now + _PAUSE_S
        print(what if share is None else f"{what}: {share:.0%}", file=stream, flush=True)

    return tell


@contextmanager
def _live(stream: TextIO) -> Iterator[Progress]:
    """One line that changes its words and its bar, and is gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(file=stream), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None)
        row = bar.tasks[0]

        def tell(what: str, share: float | None = None) -> None:
            row.total = None if share is None else 1.0  # update() takes None for "as it was"
            bar.update(task, description=what, completed=share or 0.0)

        yield tell
