"""Scenario text is read by YAML 1.2 and every complaint names file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError, RoceError, ScenarioError
from metaroce.model.base import Noun, NsTime, PsTime, Rate, Share, Size
from metaroce.model.reading import Document, parse_yaml, read_yaml, set_value, validate


class Ecn(Noun):
    kmin: Size = 400_000
    pmax: Share = 0.2


class Lab(Noun):
    rate: Rate = 400_000_000_000
    delay: PsTime = 0
    limit: NsTime = 0
    ecn: Ecn = Ecn()
    many: tuple[Ecn, ...] = ()


def test_yaml_1_2_keeps_what_yaml_1_1_breaks() -> None:
    data = parse_yaml("a: 10:1\nb: on\nc: 4e11\nd: 010\ne: 0o17\nf: no\ng: true\nh: ~\n", "x").data
    assert data == {"a": "10:1", "b": "on", "c": 4e11, "d": 10, "e": 15, "f": "no", "g": True, "h": None}


def test_quantities_are_read_with_units() -> None:
    lab = validate(Lab, parse_yaml("rate: 100G\ndelay: 1us\nlimit: 300ms\necn: {kmin: 1MB, pmax: 5 %}\n", "x"))
    assert (lab.rate, lab.delay, lab.limit) == (10**11, 10**6, 3 * 10**8)
    assert (lab.ecn.kmin, lab.ecn.pmax) == (10**6, 0.05)


@pytest.mark.parametrize(
    ("text", "what", "where", "hint"),
    [
        ("ecn:\n  kmn: 4KB\n", "unknown key 'ecn.kmn'", "lab.yaml:2", "kmin"),
        ("rate: -4G\n", "rate: Input should be greater than 0", "lab.yaml:1", ""),
        ("delay: 5\n", "has no unit", "lab.yaml:1", ""),
        ("ecn:\n  pmax: 120 %\n", "not between 0 and 1", "lab.yaml:2", ""),
        ("many:\n  - kmin: 1KB\n  - kmin: fast\n", "not a size", "lab.yaml:3", ""),
        ("rate: .nan\n", "not a finite rate", "lab.yaml:1", ""),
        ("rate: 1G\nrate: 2G\n", "given twice", "lab.yaml:2", "line 1"),
        ("rate: [1\n", "not YAML", "lab.yaml", ""),
        ("- 1\n", "expected keys and values", "lab.yaml", "scenario init"),
        ("rate: true\n", "is not a rate", "lab.yaml:1", ""),
    ],
)
def test_complaints_point_at_the_line(text: str, what: str, where: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        validate(Lab, parse_yaml(text, "lab.yaml"))
    assert what in caught.value.what
    assert where in (caught.value.where or "")
    assert hint in (caught.value.hint or "")


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        validate(Lab, parse_yaml("rat: 1G\necn:\n  kmin: -1\n", "lab.yaml"))
    assert "lab.yaml:1" in str(caught.value)
    assert "lab.yaml:3" in str(caught.value)


def test_set_lays_a_value_over_the_file_without_changing_it() -> None:
    document = parse_yaml("ecn:\n  kmin: 1KB\nmany: [{kmin: 1KB}]\n", "lab.yaml")
    changed = set_value(set_value(document, "ecn.kmin=400KB"), "many.0.pmax=10 %")
    assert validate(Lab, changed).ecn.kmin == 400_000
    assert validate(Lab, changed).many[0].pmax == 0.1
    assert validate(Lab, document).ecn.kmin == 1000
    assert validate(Lab, set_value(Document({}, "none"), "ecn.kmin=2KB")).ecn.kmin == 2000


@pytest.mark.parametrize("text", ["nothing", "=3", "many.7.kmin=1KB"])
def test_set_refuses_nonsense(text: str) -> None:
    with pytest.raises(InputError):
        set_value(parse_yaml("many: []\n", "lab.yaml"), text)


def test_a_wrong_value_from_set_names_the_option() -> None:
    with pytest.raises(ScenarioError) as caught:
        validate(Lab, set_value(Document({}, "lab.yaml"), "ecn.kmin=lots"))
    assert "--set ecn.kmin=lots" in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "office.yaml").write_text("a: 1")
    (tmp_path / "empty.yaml").write_text(" \n")
    (tmp_path / "latin.yaml").write_bytes("name: Zürich".encode("latin-1"))
    for name, part in (("offic.yaml", "did you mean"), ("empty.yaml", "scenario init"), ("latin.yaml", "UTF-8")):
        with pytest.raises(InputError) as caught:
            read_yaml(tmp_path / name)
        assert part in (caught.value.hint or "")
        assert name in (caught.value.where or "")


@given(st.text(max_size=80))
def test_any_text_gives_a_document_or_our_own_error(text: str) -> None:
    try:
        document = parse_yaml(text, "x.yaml")
        validate(Lab, document)
    except RoceError as error:
        assert error.exit_status == 2
