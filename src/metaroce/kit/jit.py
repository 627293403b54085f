"""The one door to numba.

numba's disk cache watches only the file a function stands in: change a helper in another file and it silently
serves the old machine code. Ours therefore lives in a folder named after the hash of every source the kernel may
call: its own room and the rooms below the engines. Any edit there starts afresh; the newest three folders are kept.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_PACKAGE = Path(__file__).resolve().parent.parent
_BELOW = ("kit", "congestion", "fabric", "qos", "loads")  # what a kernel of any engine may call
_KEPT = 3


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile a function and keep its machine code: `@kernel`, or `@kernel(signature=..., inline="always")`.

    No fastmath and no parallel loops: same input, same bytes. Division follows IEEE (no exception on zero).
    """
    if function is None:
        return functools.partial(kernel, **options)
    signature = options.pop("signature", None)
    numba.config.CACHE_DIR = str(cache_folder(_room(function)))  # pyright: ignore[reportPrivateImportUsage, reportAttributeAccessIssue]
    given = () if signature is None else (signature,)
    return numba.njit(*given, cache=True, error_model="numpy", nogil=True, **options)(function)


def uncounted(function: Any = None, **options: Any) -> Any:
    """Like `kernel`, without counting references to arrays: all arrays must outlive the call, none may be made in it.

    Counting, atomic and at almost every hand-over, was three quarters of the serving engine's time (0.81 us a request
    with it, 0.26 us without) and nine tenths of the fabric's event loop.
    """
    return kernel(function, _nrt=False, **options)


def inlined(function: Any = None, **options: Any) -> Any:
    """Like `uncounted`, in line where it is called: what nearly every event runs through."""
    return uncounted(function, forceinline=True, **options)


@functools.cache
def cache_folder(room: str) -> Path:
    """Folder for the compiled kernels of one room.

    `METAROCE_CACHE` moves it; where the home cannot be written it stands in the temporary folder.
    """
    root = os.environ.get("METAROCE_CACHE")
    home = Path(root) if root else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metaroce"
    folder = home / "kernels" / room / fingerprint(room)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        folder = Path(tempfile.gettempdir()) / "metaroce-kernels" / room / fingerprint(room)
        folder.mkdir(parents=True, exist_ok=True)
    _prune(folder)
    return folder


@functools.cache
def fingerprint(room: str) -> str:
    """Hash of numba's version and of every source file that kernels of `room` may call: 16 hex digits."""
    digest = hashlib.blake2b(str(numba.__version__).encode(), digest_size=8)
    for place in dict.fromkeys((*_BELOW, room)):
        for path in sorted((_PACKAGE / place).rglob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def is_warm(room: str) -> bool:
    """True when kernels of exactly these sources were compiled before, so that no run waits for the compiler."""
    return any(cache_folder(room).rglob("*.nbc"))


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python side of a kernel, for tests that compare compiled with uncompiled."""
    return getattr(function, "py_func", function)


def _room(function: Callable[..., Any]) -> str:
    parts = function.__module__.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "metaroce" else "elsewhere"


def _prune(kept: Path) -> None:
    others = [path for path in kept.parent.iterdir() if path.is_dir() and path != kept]
    for old in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT - 1 :]:
        shutil.rmtree(old, ignore_errors=True)
