"""How the figures of one room are taken: CPU seconds of this process, and of a first run ever."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable


def best_of_three(work: Callable[[int], object]) -> float:
    """Least CPU seconds of `work(0)`, `work(1)`, `work(2)`."""
    return min(_cpu_seconds(work, turn) for turn in range(3))


def cold_seconds(code: str) -> float:
    """CPU seconds of a new Python that runs `code` with an empty cache of kernels."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "METAROCE_CACHE": folder})
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


def _cpu_seconds(work: Callable[[int], object], turn: int) -> float:
    start = time.process_time()
    work(turn)
    return time.process_time() - start
