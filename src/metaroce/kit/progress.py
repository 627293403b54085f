"""How long work tells how far it is: engines call, apps draw."""

from __future__ import annotations

from collections.abc import Callable

#: progress(what is going on, share done in 0..1 or None when unknown). May raise KeyboardInterrupt to stop the work.
Progress = Callable[[str, float | None], None]


def silent(what: str, share: float | None = None) -> None:
    """Nobody watches."""
