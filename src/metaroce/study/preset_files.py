"""The scenarios that come with the package, by name."""

from __future__ import annotations

from importlib.resources import files

from metaroce.kit.errors import InputError
from metaroce.kit.nearest import did_you_mean
from metaroce.model.reading import Document, parse_yaml

_FOLDER = files("metaroce.study") / "presets"
_ENDING = ".yaml"


def preset_names() -> tuple[str, ...]:
    """Names of all presets in alphabetical order."""
    return tuple(
        sorted(entry.name.removesuffix(_ENDING) for entry in _FOLDER.iterdir() if entry.name.endswith(_ENDING))
    )


def preset_document(name: str) -> Document:
    """One preset with the lines of its keys. Raises InputError with the nearest names when there is none so called."""
    known = preset_names()
    if name not in known:
        hint = did_you_mean(name, known, f"there are {', '.join(known)}")
        raise InputError(f"no preset is called {name!r}", where="--preset", hint=hint)
    return parse_yaml((_FOLDER / f"{name}{_ENDING}").read_text(encoding="utf-8"), f"preset {name}")
