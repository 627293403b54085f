"""Words that must not stand in the project: places on one machine, package hosts, notes to self."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_TOPS = ("src", "tests", "docs", "examples", "benchmarks", ".ci")
_TEXT = {
    ".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".html", ".j2", ".css", ".js", ".json", ".jsonl", ".csv", ".cfg",
    ".ini", ".sh", "",
}  # fmt: skip
# Written in pieces, so that this file passes its own test.
_RULES = {
    "place on one machine": re.compile(
        r"(?<![\w.~*<>}/-])/(?:wo" + r"rk|tm" + r"p|ro" + r"ot|home/\w+|Users/\w+)(?![\w-])"
    ),
    "package host": re.compile(
        r"py" + r"pi\.org|python" + r"hosted|/sim" + r"ple/?\s|--(?:extra-)?ind" + r"ex-url", re.I
    ),
    "note to self": re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"),
}


def _files(root: Path) -> Iterator[Path]:
    yield from (path for path in sorted(root.iterdir()) if path.is_file() and path.suffix in _TEXT - {""})
    for top in _TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.is_file() and path.suffix in _TEXT and "__pycache__" not in path.parts:
                yield path


@pytest.mark.parametrize("rule", _RULES)
def test_words_that_must_not_stand_here(root, rule):
    found = [
        f"{path.relative_to(root)}:{number} {line.strip()[:100]}"
        for path in _files(root)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if _RULES[rule].search(line)
    ]
    assert not found


@pytest.mark.parametrize(("rule", "line"), [
    ("place on one machine", 'open("/tm' + 'p/a")'), ("place on one machine", "see /wo" + "rk/main"),
    ("place on one machine", "/ho" + "me/me/x"), ("place on one machine", 'Path("/tm' + 'p")'),
    ("package host", "https://py" + "pi.org/x"), ("note to self", "# TO" + "DO: x"),
])  # fmt: skip
def test_the_rules_see(rule, line):
    assert _RULES[rule].search(line)


@pytest.mark.parametrize("line", ["framework/main", "tests/tmp/a", "{root}/src", "https://a.org/work/x", "todo list"])
def test_the_rules_let_pass(line):
    assert not any(rule.search(line) for rule in _RULES.values())
