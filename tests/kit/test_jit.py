"""The kernel cache starts afresh when a source changes, and keeps only a few folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.kit import jit


def test_an_edit_below_changes_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("kit", "sim", "supply"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "_kernel.py").write_text("x = 1\n")
    monkeypatch.setattr(jit, "_PACKAGE", tmp_path)
    read = jit.fingerprint.__wrapped__
    before, other = read("sim"), read("supply")
    (tmp_path / "sim" / "_kernel.py").write_text("x = 2\n")
    assert read("sim") != before
    assert read("supply") == other  # a neighbour's edit costs nobody else a compilation
    (tmp_path / "kit" / "_kernel.py").write_text("x = 3\n")
    assert read("supply") != other


def test_the_cache_moves_and_is_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METAROCE_CACHE", str(tmp_path))
    for number in range(5):
        (tmp_path / "kernels" / "sim" / f"old{number}").mkdir(parents=True)
    folder = jit.cache_folder.__wrapped__("sim")
    assert folder.is_relative_to(tmp_path)
    assert len(list(folder.parent.iterdir())) == 3
    assert folder.is_dir()


def test_kernel_compiles_and_keeps_its_python_side() -> None:
    @jit.kernel
    def add(a, b):
        return a + b

    assert add(2, 3) == 5
    assert jit.plain(add)(2, 3) == 5
