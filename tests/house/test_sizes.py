"""A file fits a head, a function fits a screen."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath

_FILE, _FUNCTION, _KERNEL = 400, 60, 100

# What is longer, with the reason. The list may only shrink: an entry that fits again fails the test.
_EXCEPTIONS: dict[str, str] = {}


def _too_long(modules: dict[str, ast.Module], root) -> dict[str, int]:
    """`path` or `path:function` -> lines, for all that is above its limit."""
    found: dict[str, int] = {}
    for path, tree in modules.items():
        lines = len((root / path).read_text(encoding="utf-8").splitlines())
        if lines > _FILE:
            found[path] = lines
        is_kernel = PurePosixPath(path).name.startswith("_") and not path.endswith("__.py")
        limit = _KERNEL if is_kernel else _FUNCTION
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > limit:
                    found[f"{path}:{node.name}"] = length
    return found


def test_files_and_functions_are_short(modules, root):
    too_long = {name: lines for name, lines in _too_long(modules, root).items() if name not in _EXCEPTIONS}
    assert not too_long


def test_exceptions_still_need_their_place(modules, root):
    fitting = [name for name in _EXCEPTIONS if name not in _too_long(modules, root)]
    assert not fitting
