"""The nouns of a load: defaults that stand, figures that contradict each other refused with what would be right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from metaroce.model.requests import Burst, GeneratedRequests, LognormalTokens, Office, Requests, TraceRequests

ANY = TypeAdapter(Requests)


def test_kind_chooses_the_noun():
    made = ANY.validate_python({"kind": "generator", "rate": "1000000/d", "burst": {}, "office": {}})
    assert isinstance(made, GeneratedRequests)
    assert made.rate == pytest.approx(11.574, abs=0.001)
    assert isinstance(ANY.validate_python({"kind": "trace", "path": "a.csv", "window": "10min"}), TraceRequests)
    with pytest.raises(ValidationError):
        ANY.validate_python({"kind": "dream"})


def test_the_reports_burst_needs_a_ramp():
    burst = Burst()
    assert burst.level == pytest.approx(4.15)
    assert burst.highest == 4.6
    assert burst.shape == "ramp"


@given(st.floats(0.05, 0.9), st.floats(0, 1), st.floats(1.001, 10))
def test_peak_and_share_are_two_inputs_that_must_agree(width, over, factor):
    share = width + (1 - width) * over
    times = {"window": f"{60 * width}s", "period": "60s", "share": share}
    level = share / width
    burst = Burst(peak=level * factor, **times)
    assert burst.shape == ("ramp" if factor <= 2 + 1e-6 else "inner burst")
    assert Burst(peak=None, **times).shape == "level"
    with pytest.raises(ValidationError, match="already"):
        Burst(peak=level / factor, **times)


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (Burst, {"share": "95 %"}, "raise peak to 4.75, write peak: null, or lower share to 0.92"),
        (Burst, {"window": "60s"}, "shorter than the period"),
        (Burst, {"window": 0}, "shorter than the period"),
        (Burst, {"share": "10 %"}, "is no burst: an even load has 0.2"),
        (Office, {"share": "95 %"}, "can hold 0.375 to 0.900"),
        (Office, {"share": 0}, "can hold"),
        (Office, {"opens": "18h", "closes": "9h"}, "opens < closes"),
        (Office, {"opens": "30min"}, "ramp <= opens"),
        (LognormalTokens, {"median": 500, "p95": 100, "max": 1000}, "median 500 <= p95 100"),
        (GeneratedRequests, {"cv": 3}, "write arrivals: gamma"),
        (GeneratedRequests, {"arrivals": "gamma", "cv": 1e-9}, "not between"),
        (GeneratedRequests, {"duration": 0}, "above 0"),
        (GeneratedRequests, {"duration": "30s", "burst": {}}, "at least one period"),
        (
            GeneratedRequests,
            {"duration": "1d", "burst": {"period": "1ms", "window": "200us"}},
            "more than 10,000,000 steps",
        ),
        (GeneratedRequests, {"duration": "100000d", "office": {}, "rate": 1e-6}, "steps"),
        (GeneratedRequests, {"rate": 1e8, "duration": "1h"}, "shorten the duration"),
        (GeneratedRequests, {"rate": "fast"}, "rate of events"),
        (TraceRequests, {"path": "a", "window": 0}, "write null"),
        (TraceRequests, {"path": "a", "copies": 0}, "greater than 0"),
    ],
)
def test_contradictions_are_refused_with_what_would_be_right(kind, values, said):
    with pytest.raises(ValidationError) as caught:
        kind(**values)
    assert said in str(caught.value)


def test_every_field_is_described():
    schema = ANY.json_schema()
    for noun in schema["$defs"].values():
        for name, field in noun["properties"].items():
            assert name == "kind" or field.get("description"), (noun["title"], name)
