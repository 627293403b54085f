"""Below the apps nothing looks at the clock, the environment or the network, draws unnamed numbers, or prints."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

_MAY = {
    "src/metaroce/kit/jit.py",  # the compiler's cache folder follows the environment
    "src/metaroce/kit/rng.py",  # the one source of random numbers
    "src/metaroce/study/executor.py",  # the one pool of processes
    "src/metaroce/stack/udp.py",  # the one socket
}
_MODULES = {
    "time", "socket", "threading", "random", "subprocess", "secrets", "uuid", "multiprocessing", "concurrent",
    "asyncio", "sched", "signal", "select", "selectors", "http", "urllib.request", "logging", "getpass", "platform",
}  # fmt: skip
_CALLS = {"print", "input", "breakpoint", "exec", "eval"}
_ATTRIBUTES = {
    "os.environ", "os.getenv", "os.putenv", "os.getpid", "os.urandom", "os.system", "os.fork", "os.getcwd",
    "sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.exit",
    "datetime.now", "datetime.today", "datetime.utcnow", "date.today", "Path.cwd", "Path.home",
}  # fmt: skip
_NUMPY_RANDOM = {"Generator"}  # a type to name; numbers come from kit.rng


def impurities(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, what) of everything in a module that is not a pure function of its arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((node.lineno, f"import {name}") for name in _imported(node) if _is_impure_import(name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            yield node.lineno, f"{node.func.id}()"
        elif isinstance(node, ast.Attribute) and _is_impure_attribute(ast.unparse(node)):
            yield node.lineno, ast.unparse(node)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return [start + alias.name for alias in node.names]


def _is_impure_import(name: str) -> bool:
    parts = name.split(".")
    prefixes = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    return bool(prefixes & (_MODULES | _ATTRIBUTES)) or _is_numpy_random(name)


def _is_impure_attribute(name: str) -> bool:
    return any(f".{name}".endswith(f".{one}") for one in _ATTRIBUTES) or _is_numpy_random(name)


def _is_numpy_random(name: str) -> bool:
    start, _, last = name.rpartition(".")
    return start in ("np.random", "numpy.random") and last not in _NUMPY_RANDOM


def test_engines_are_pure(modules):
    found = [
        f"{path}:{line} {what}"
        for path, tree in modules.items()
        if path.startswith("src/metaroce/") and not path.startswith("src/metaroce/apps/") and path not in _MAY
        for line, what in impurities(tree)
    ]
    assert not found


@pytest.mark.parametrize("code", [
    "import time", "from time import sleep", "import os.path, socket", "from concurrent.futures import wait",
    "import os; os.environ['A']", "from os import environ", "import datetime; datetime.datetime.now()",
    "from datetime import datetime; datetime.now()", "import numpy as np; np.random.default_rng()",
    "from numpy.random import default_rng", "print(1)", "import sys; sys.stderr.write('x')", "Path.home()",
])  # fmt: skip
def test_the_rule_sees(code):
    assert list(impurities(ast.parse(code)))


@pytest.mark.parametrize("code", [
    "from datetime import datetime, UTC; datetime(2023, 1, 1, tzinfo=UTC)", "x: np.random.Generator",
    "from metaroce.loads import times", "time = 3; time.real", "from numpy.random import Generator",
    "from metaroce.kit.rng import stream; stream(1, 'random').random(3)", "import os; os.path.join('a', 'b')",
])  # fmt: skip
def test_the_rule_lets_pass(code):
    assert not list(impurities(ast.parse(code)))
