"""Links lead somewhere, and every module says what it is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.S | re.M)
_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.M)
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.M)


def _pages(root: Path) -> list[Path]:
    hidden = [path for path in root.rglob("*.md") if any(part.startswith(".") for part in path.relative_to(root).parts)]
    return sorted(set(root.rglob("*.md")) - set(hidden))


def _anchors(text: str) -> set[str]:
    """Names that headings get on the web: lower case, no punctuation, hyphens for spaces, numbered when repeated."""
    found: dict[str, int] = {}
    for heading in _HEADING.findall(_CODE.sub(lambda code: code[0].strip("`") if "\n" not in code[0] else "", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    return set(found)


def _broken(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for inline, reference in _LINK.findall(_CODE.sub("", text)):
        target = inline or reference
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        file, _, anchor = target.partition("#")
        place = page.parent / file if file else page
        if not place.exists():
            yield f"{target}: no such file"
        elif anchor and place.suffix == ".md" and anchor not in _anchors(place.read_text(encoding="utf-8")):
            yield f"{target}: no such heading"


def test_links_between_pages_lead_somewhere(root):
    found = [f"{page.relative_to(root)}: {fault}" for page in _pages(root) for fault in _broken(page)]
    assert not found


def test_every_module_says_what_it_is_for(modules):
    silent = [path for path, tree in modules.items() if tree.body and not ast.get_docstring(tree)]
    assert not silent


def test_the_rule_sees_broken_links(tmp_path):
    (tmp_path / "b.md").write_text("# One `two`, three!\n## Again\n## Again\n")
    page = tmp_path / "a.md"
    page.write_text(
        "[a](b.md) [b](b.md#one-two-three) [c](b.md#again-1) [d](https://x.org/y) `[e](no.md)`\n```\n[f](no.md)\n```\n"
        '[g](gone.md "title") [h](b.md#none) [i](#none)\n\n[ref]: missing.md\n'
    )
    assert [fault.partition(":")[0] for fault in _broken(page)] == ["gone.md", "b.md#none", "#none", "missing.md"]
