"""Files appear whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from metaroce.apps.cli import output
from metaroce.kit.errors import InputError


def test_text_goes_to_stdout_with_one_newline(capsys):
    output.write_text("a")
    output.write_text("b\n", Path("-"))
    assert capsys.readouterr().out == "a\nb\n"


def test_json_is_readable_and_refuses_what_json_does_not_have(tmp_path):
    output.write_json({"µ": [1, None]}, tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert "µ" in text
    assert json.loads(text) == {"µ": [1, None]}
    with pytest.raises(ValueError, match="JSON"):
        output.write_json(float("nan"), tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"µ": [1, None]}


def test_a_failure_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left"):
        output.write_text("new", path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_an_interruption_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        output.write_text("new", path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_permissions_and_links_stay(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    output.write_text("new", link)
    assert link.is_symlink()
    assert real.read_text() == "new\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    output.write_text("x", tmp_path / "ours")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_devices_are_written_directly():
    output.write_text("x", Path(os.devnull))
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize(("place", "what"), [("missing/a.txt", "folder does not exist"), (".", "is a folder")])
def test_impossible_places_are_refused_with_a_hint(tmp_path, place, what):
    with pytest.raises(InputError, match=what) as caught:
        output.write_text("x", tmp_path / place)
    assert caught.value.hint


def test_kept_tells_what_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_written", [])
    assert "no file" in output.kept()
    output.write_text("x", tmp_path / "a.txt")
    assert output.kept() == f"kept, complete: {tmp_path / 'a.txt'}"
