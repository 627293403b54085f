"""Bytes of a trace file as blocks of whole lines, unpacked on the way, in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from metaroce.kit.errors import InputError
from metaroce.kit.nearest import nearest_file
from metaroce.kit.progress import Progress

BLOCK = 8 << 20
LONGEST_LINE = 64 << 20  # a file without line ends would otherwise be held whole
_BITE = 1 << 16  # archives are unpacked in small bites: gzip may grow a thousandfold

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOREIGN = (
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"PAR1", "a Parquet file", "write it as csv with the columns timestamp,input_tokens,output_tokens"),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8, e.g. with iconv -f utf-16 -t utf-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8, e.g. with iconv -f utf-16 -t utf-8"),
    (b"BZh", "a bzip2 archive", "unpack it first; gz and zst are read as they are"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first; gz and zst are read as they are"),
)


class DamagedError(InputError):
    """A compressed file that cannot be unpacked to its end; raised after the lines before the damage were given."""


def line_blocks(path: Path, progress: Progress, *, block: int = BLOCK) -> Iterator[bytes]:
    """Blocks of about `block` bytes, each ending with a line end, except perhaps the file's last.

    Raises InputError for a file that is missing, a folder, not text, or has a line over 64 MiB; DamagedError.
    """
    with _opened(path) as raw:
        whole = path.stat().st_size if path.is_file() else 0
        damage: DamagedError | None = None
        carry = bytearray()
        pieces = _pieces(path, raw, block)
        while True:
            try:
                piece = next(pieces, None)
            except DamagedError as error:
                damage, piece = error, None
            if piece is None:
                break
            carry += piece
            if len(carry) < block:
                continue
            end = carry.rfind(b"\n") + 1
            if end:
                yield bytes(carry[:end])
                del carry[:end]
            elif len(carry) > LONGEST_LINE:
                raise InputError("the file has a line of more than 64 MiB: not a table", where=str(path))
            progress(f"reading {path.name}", min(raw.tell() / whole, 1.0) if whole else None)
        if carry:
            yield bytes(carry)
        if damage:
            raise damage


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError("no such file", where=str(path), hint=nearest_file(path)) from None
    except IsADirectoryError:
        raise InputError("a folder, not a file", where=str(path), hint="name one trace file in it") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"no file name: {error}", where=repr(str(path))) from None


def _pieces(path: Path, raw: BinaryIO, block: int) -> Iterator[bytes]:
    """The file's bytes, unpacked when its first bytes say that it is packed."""
    head = cast(Any, raw).peek(8)[:8]
    for magic, kind, hint in _FOREIGN:
        if head.startswith(magic):
            raise InputError(f"{kind}, not a request trace", where=str(path), hint=hint)
    if head.startswith(_GZIP):
        yield from _unpacked(path, raw, lambda: zlib.decompressobj(wbits=31), zlib.error)
    elif head.startswith(_ZSTD):
        new, fault = _zstd(path)
        yield from _unpacked(path, raw, new, fault)
    else:
        while piece := raw.read(block):
            yield piece


def _unpacked(path: Path, raw: BinaryIO, new: Callable[[], Any], fault: type[Exception]) -> Iterator[bytes]:
    """Member after member of an archive; both libraries share this interface."""
    member = new()
    begun = True
    while bite := raw.read(_BITE):
        if not begun:
            bite = bite.lstrip(b"\0")  # some writers pad their archives
        while bite:
            try:
                piece = member.decompress(bite)
            except fault as error:
                raise DamagedError(f"the archive is damaged: {error}", where=str(path)) from None
            yield piece
            begun, bite = not member.eof, b""
            if member.eof:
                bite = member.unused_data.lstrip(b"\0")
                member = new()
    if begun:
        raise DamagedError("the archive ends before its end mark", where=str(path), hint="fetch the file again")


def _zstd(path: Path) -> tuple[Callable[[], Any], type[Exception]]:
    try:
        import zstandard
    except ImportError:
        hint = "pip install zstandard, or unpack the file with unzstd"
        raise InputError("a .zst file needs the zstandard library", where=str(path), hint=hint) from None
    return lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError
