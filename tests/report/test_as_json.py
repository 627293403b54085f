"""Canonical JSON: same content, same bytes; nothing that JSON does not have."""

from __future__ import annotations

import dataclasses
import json
import math
from collections import namedtuple
from datetime import date
from enum import Enum
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.model.fabric_settings import EcnSettings
from metaroce.report.as_json import SCHEMA_VERSION, canonical, plain, to_json

_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_PLAIN)
def test_any_plain_data_is_strict_json_and_stable(data):
    text = canonical(data)
    read = json.loads(text, parse_constant=pytest.fail)
    assert canonical(read) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_order_of_keys_does_not_matter(data):
    assert canonical(data) == canonical(dict(reversed(data.items())))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_back_exactly(value):
    assert json.loads(canonical(value)) == value


def test_what_is_no_number_is_null():
    assert plain([math.nan, math.inf, -math.inf, np.float64("nan")]) == [None] * 4


@dataclasses.dataclass(frozen=True, slots=True)
class _Point:
    x: np.ndarray
    inner: tuple[int, ...]


class _Colour(Enum):
    RED = "red"


def test_our_own_kinds_have_a_plain_form():
    pair = namedtuple("pair", "a b")
    assert plain(_Point(np.array([[1, 2]], dtype=np.int64), (3,))) == {"x": [[1, 2]], "inner": [3]}
    assert plain(pl.DataFrame({"a": [1, None], "b": ["x", "y"]})) == {"a": [1, None], "b": ["x", "y"]}
    assert plain(pl.Series([1.5])) == [1.5]
    assert plain({1: np.int32(2), "f": np.bool_(True), 2.5: np.float32(0.5)}) == {"1": 2, "f": True, "2.5": 0.5}
    assert plain(pair(1, [2])) == {"a": 1, "b": [2]}
    assert plain({"b", "a"}) == ["a", "b"]
    assert plain([date(2026, 1, 2), Path("a/b"), _Colour.RED]) == ["2026-01-02", "a/b", "red"]
    assert plain(EcnSettings())["kmin"] == "400KB"


def test_what_has_no_plain_form_is_refused():
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain([object()])


def test_a_report_is_its_numbers(sample):
    read = json.loads(to_json(sample), parse_constant=pytest.fail)
    assert read == {"schema_version": SCHEMA_VERSION, "title": sample.title, **plain(sample.data)}
    assert read["nothing"] is None
    assert to_json(sample).endswith("}\n")


def test_same_report_same_bytes(sample):
    turned = dataclasses.replace(sample, data=dict(reversed(sample.data.items())))
    assert to_json(sample) == to_json(turned)
