"""The whole chain on the built-in scenario: cold (kernels compiled on the way), warm, memory; and the busiest link."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks import Bar

_COMMAND = [sys.executable, "-m", "metaroce.apps.cli", "study", "--quiet", "--json", "--workers", "2"]


def run() -> list[Bar]:
    """Wall seconds of the command as a user types it, and the largest process of it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "METAROCE_CACHE": folder}
        cold = _seconds(environment)
        warm = min(_seconds(environment) for _ in range(2))
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return [
        Bar("study-cold", cold, "s", 60.0),
        Bar("study-warm", warm, "s", 15.0),
        Bar("study-memory", megabytes, "MB in the largest process", 2048.0),
    ]


def _seconds(environment: dict[str, str]) -> float:
    start = time.monotonic()
    subprocess.run(_COMMAND, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - start
