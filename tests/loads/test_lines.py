"""Blocks of lines: nothing lost, nothing cut, archives opened, foreign files named."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.kit.progress import silent
from metaroce.loads import lines
from metaroce.loads.lines import DamagedError, line_blocks


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lines")


@given(st.binary(max_size=300).map(lambda b: b"x" + b), st.integers(1, 40))
def test_blocks_hold_every_byte_in_whole_lines(folder, content, block):
    path = folder / "some"
    path.write_bytes(content)
    blocks = list(line_blocks(path, silent, block=block))
    assert b"".join(blocks) == content
    assert all(piece.endswith(b"\n") for piece in blocks[:-1])


@given(st.lists(st.binary(max_size=100), min_size=1, max_size=4))
def test_gzip_members_and_padding_are_read_through(folder, members):
    path = folder / "some.gz"
    path.write_bytes(b"".join(gzip.compress(member) for member in members) + b"\0" * 10)
    assert b"".join(line_blocks(path, silent)) == b"".join(members)


def test_zstd_frames_are_read_through(folder):
    zstandard = pytest.importorskip("zstandard")
    path = folder / "some.zst"
    path.write_bytes(zstandard.compress(b"a\nb\n") + zstandard.compress(b"c\n"))
    assert b"".join(line_blocks(path, silent)) == b"a\nb\nc\n"


@pytest.mark.parametrize("pack", ["gzip", "zstandard"])
def test_a_cut_archive_gives_its_lines_then_says_so(folder, pack):
    content = b"".join(b"%d,1,1\n" % (number * 7919) for number in range(50_000))
    packed = pytest.importorskip(pack).compress(content)
    path = folder / "cut"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    given_before = b""
    with pytest.raises(DamagedError):
        for block in line_blocks(path, silent, block=10_000):
            given_before += block
    assert len(given_before) > len(content) // 3
    assert content.startswith(given_before)


def test_damage_in_the_middle_is_said(folder):
    path = folder / "broken.gz"
    packed = bytearray(gzip.compress(bytes(range(256)) * 400))
    packed[40:60] = b"\xff" * 20
    path.write_bytes(packed)
    with pytest.raises(DamagedError):
        list(line_blocks(path, silent))


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"PK\x03\x04..", "zip"),
        (b"PAR1....", "Parquet"),
        ("\ufeffa,b\n".encode("utf-16-le"), "UTF-16"),
        (b"BZh9", "bzip2"),
    ],
)
def test_foreign_files_are_named(folder, head, said):
    path = folder / "foreign"
    path.write_bytes(head)
    with pytest.raises(InputError) as caught:
        list(line_blocks(path, silent))
    assert said in caught.value.what
    assert caught.value.hint


def test_what_cannot_be_opened_is_an_input_error(folder):
    (folder / "requests.csv").write_text("a\n")
    with pytest.raises(InputError) as caught:
        next(line_blocks(folder / "request.csv", silent))
    assert "requests.csv" in (caught.value.hint or "")
    for path in (folder, folder / "no" / "such", folder / "nul\0"):
        with pytest.raises(InputError):
            next(line_blocks(path, silent))


def test_a_file_without_line_ends_is_not_held_whole(folder, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    path = folder / "endless"
    path.write_bytes(b"1" * 5000)
    with pytest.raises(InputError) as caught:
        list(line_blocks(path, silent, block=100))
    assert "not a table" in caught.value.what


def test_progress_rises_to_the_end(folder):
    path = folder / "long.csv"
    path.write_bytes(b"1,2,3\n" * 5000)
    shares = []
    list(line_blocks(path, lambda what, share: shares.append(share), block=1000))
    assert shares == sorted(shares)
    assert len(shares) > 10
    assert shares[-1] == 1
