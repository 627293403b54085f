"""Run `roce` as a user does, but in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from metaroce.apps.cli.main import call


@dataclass(frozen=True, slots=True)
class Said:
    status: int
    out: str
    err: str


@pytest.fixture
def roce(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Said]:
    """`roce("scenario", "check", path)`: exit status and what was said."""
    monkeypatch.setenv("METAROCE_DEBUG", "0")
    monkeypatch.setenv("COLUMNS", "110")

    def run(*arguments: object) -> Said:
        status = call([str(one) for one in arguments])
        said = capsys.readouterr()
        return Said(status, said.out, said.err)

    return run
