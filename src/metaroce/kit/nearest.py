"""The nearest known names to one that nobody knows: "did you mean", the same for names, keys and files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """`did you mean h100 or h200?`, or `otherwise`."""
    near = difflib.get_close_matches(name, list(known), 3, 0.4)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def key_meant(name: str, known: Iterable[str], otherwise: str, *, alike: float = 0.4) -> str:
    """`did you mean 'kmin'?` for the key nearest to one that was written, at least so much `alike` (0..1)."""
    near = difflib.get_close_matches(name, list(known), 1, alike)
    return f"did you mean {near[0]!r}?" if near else otherwise


def nearest_file(path: Path) -> str:
    """The hint for a file that is not there: the one in its folder whose name comes nearest."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return "check the path"
    near = difflib.get_close_matches(path.name, names, 1)
    return f"did you mean {path.parent / near[0]}?" if near else "check the path"
