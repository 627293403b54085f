"""Where results go: stdout, or a file that appears whole or not at all.

Strategy: a file is written beside its place under another name and renamed, so that a full disk, Ctrl-C or a crash
leaves the old file as it was. Pipes and devices are written directly.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from metaroce.kit.errors import InputError

_written: list[Path] = []


def write_text(text: str, path: Path | None = None) -> None:
    """Write text to stdout (`path` None or "-") or atomically to a file; it ends with a newline.

    Raises InputError when the folder is missing or the file cannot be written.
    """
    text = text if text.endswith("\n") else text + "\n"
    if path is None or str(path) == "-":
        flush(text)
    else:
        write_bytes(text.encode(), path)


def flush(text: str = "") -> None:
    """Put text on stdout and push out what it still holds. Raises InputError when it cannot, e.g. on a full disk."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise InputError(f"cannot be written: {error.strerror}", where="standard output") from None


def discard(stream: TextIO) -> None:
    """Point a stream that takes nothing any more at the void, so that Python's last flush does not complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):  # not a real file, as under a test runner: nothing to flush
        return


def write_json(data: Any, path: Path | None = None) -> None:
    """Write plain data as indented JSON; numbers that JSON does not have (inf, nan) are our mistake: ValueError."""
    write_text(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False), path)


def write_bytes(content: bytes, path: Path) -> None:
    """Write a file atomically; an existing one keeps its permissions, a link stays a link. Raises InputError."""
    target = check_target(path)
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
    _written.append(path)


def check_target(path: Path) -> Path:
    """The file that `path` leads to; call it before long work. Raises InputError when nothing can be put there."""
    if not path.parent.is_dir():
        raise InputError("the folder does not exist", where=str(path), hint=f"mkdir -p {path.parent}")
    if path.is_dir():
        raise InputError("this is a folder, not a file", where=str(path), hint=f"name a file in it: {path / 'result'}")
    target = path.resolve()
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError("cannot be written: Permission denied", where=str(path), hint="choose another place")
    return target


def kept() -> str:
    """What an interruption leaves behind, for people."""
    if not _written:
        return "no file was written, none was changed"
    return f"kept, complete: {', '.join(str(path) for path in _written)}"


def _replace(target: Path, content: bytes) -> None:
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
