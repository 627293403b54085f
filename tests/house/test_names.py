"""Names say what is inside, and a test stands where its source stands."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

_EMPTY = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc", "stuff"}

# Tests of something larger than one file, with what they are about. An entry without its file fails the test.
_TOPICS = {
    "tests/catalog/test_devices.py": "the data sheets of devices",
    "tests/catalog/test_prices.py": "the data sheet of prices",
    "tests/sim/test_queueing.py": "the simulator against queueing theory",
    "tests/supply/test_beer_game.py": "the supply chain against the published board game",
    "tests/supply/test_bullwhip.py": "the supply chain against closed forms of the bullwhip",
    "tests/supply/test_conservation.py": "nothing is lost or made on the way",
    "tests/supply/test_nouns.py": "what a user may say about a supply chain",
    "tests/supply/test_technology.py": "a change of technology during the run",
    "tests/test_examples.py": "the commands of the documents",
}


def test_names_say_something(root):
    named = [path for top in ("src", "tests", "benchmarks", "examples") for path in (root / top).rglob("*")]
    empty = [
        str(path.relative_to(root))
        for path in named
        if (path.is_dir() or path.suffix == ".py") and "__pycache__" not in path.parts
        if _EMPTY & set(re.split(r"[_\-.]", path.stem.lower()))
    ]
    assert not empty


def test_every_test_stands_where_its_source_stands(root):
    alone = [path for path in _tests(root) if path not in _TOPICS and not _has_source(root, path)]
    assert not alone


def test_topics_are_tested(root):
    assert set(_TOPICS) - set(_tests(root)) == set()
    mirrored = [path for path in _TOPICS if _has_source(root, path)]
    assert not mirrored


def _tests(root: Path) -> list[str]:
    found = [path.relative_to(root).as_posix() for path in sorted((root / "tests").rglob("test_*.py"))]
    return [path for path in found if not path.startswith("tests/house/")]


def _has_source(root: Path, test: str) -> bool:
    """Whether tests/<room>/test_<file>.py has a src/metaroce/<room>/**/<file>.py or _<file>.py."""
    path = PurePosixPath(test)
    room, stem = path.parts[1], path.stem.removeprefix("test_")
    sources = (root / "src/metaroce" / room).rglob("*.py")
    return len(path.parts) > 2 and any(source.stem.removeprefix("_") == stem for source in sources)
