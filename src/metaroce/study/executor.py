"""Run independent tasks in order, in this process or in several; the answer is the same.

Results come back in the order of the tasks, and a task draws its random numbers from names, not from the process it
runs in, so the number of workers cannot be seen in any result.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from types import TracebackType
from typing import TypeVar

from metaroce.kit.progress import Progress, silent

T = TypeVar("T")
R = TypeVar("R")


def _leave_interrupts() -> None:
    """Ctrl-C reaches the whole process group; the parent alone answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Executor:
    """A pool of `workers` processes, started at the first use; with one worker, no process at all."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = max(1, workers)
        self._pool: ProcessPoolExecutor | None = None
        self._ready: list[Future[None]] = []

    def prepare(self, *functions: Callable[[], None]) -> None:
        """Start each function in a worker (with one worker: not at all); the first `map` waits until they are done.

        For kernels: compiled once and kept on disk, the other workers find them there.
        """
        if self.workers > 1:
            self._ready = [self._start().submit(function) for function in functions]

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T], *, what: str = "", progress: Progress = silent
    ) -> list[R]:
        """`[function(task) for task in tasks]`; `function` and tasks must be picklable."""
        while self._ready:
            self._ready.pop().result()
        results: list[R] = []
        outcomes = map(function, tasks) if self.workers == 1 or len(tasks) < 2 else self._start().map(function, tasks)
        for number, result in enumerate(outcomes, 1):
            results.append(result)
            progress(what, number / len(tasks))
        return results

    def _start(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # spawn: a forked child would inherit polars' and numba's threads in an unknown state
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), initializer=_leave_interrupts)
        return self._pool

    def close(self) -> None:
        """Stop the workers; tasks not yet started are dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
