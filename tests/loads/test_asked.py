"""Asked against measured: every figure within its own sampling error, for every shape of load."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.loads.asked import Compared, asked_against_measured
from metaroce.loads.generate import generate
from metaroce.model.requests import Burst, FixedTokens, GeneratedRequests, Office

LOADS = {
    "the report's burst": GeneratedRequests(burst=Burst()),
    "level window": GeneratedRequests(burst=Burst(peak=None)),
    "inner burst": GeneratedRequests(burst=Burst(peak=20)),
    "floating": GeneratedRequests(burst=Burst(phase="floating"), rate=300),
    "floating inner burst": GeneratedRequests(burst=Burst(phase="floating", peak=15), rate=300),
    "one bursty client": GeneratedRequests(arrivals="gamma", cv=5, burst=Burst()),
    "regular": GeneratedRequests(arrivals="gamma", cv=0.3),
    "many clients": GeneratedRequests(arrivals="gamma", cv=4, clients=200, burst=Burst()),
    "two days": GeneratedRequests(rate=5, duration="48h", office=Office(), burst=Burst()),
}


@pytest.mark.parametrize("name", LOADS)
def test_figures_lie_within_their_sampling_error(name):
    for seed in range(3):
        for row in asked_against_measured(LOADS[name], generate(LOADS[name], seed)):
            assert row.sigmas < 4.5, row
            assert row.error < 0.25 * row.asked, row


def test_errors_are_neither_too_wide_nor_too_narrow():
    spec = GeneratedRequests(rate=20, duration="20min", arrivals="gamma", cv=2, burst=Burst())
    tables = [asked_against_measured(spec, generate(spec, seed)) for seed in range(150)]
    for rows in zip(*tables, strict=True):
        off = np.array([(row.measured - row.expected) / row.error for row in rows])
        assert 0.75 < off.std() < 1.25, rows[0].name
        assert abs(off.mean()) < 0.35, rows[0].name


def test_share_and_peak_are_told_with_how_they_were_measured():
    rows = {
        row.name: row
        for row in asked_against_measured(LOADS["the report's burst"], generate(LOADS["the report's burst"], 1))
    }
    assert rows["share in the burst window"].asked == 0.83
    peak = rows["peak over mean"]
    assert (peak.asked, peak.expected) == (4.6, pytest.approx(4.5625))
    assert "ramp" in peak.note
    inner = asked_against_measured(LOADS["inner burst"], generate(LOADS["inner burst"], 1))
    assert any("inner burst" in row.note for row in inner)


def test_a_wrong_table_stands_out():
    spec = LOADS["the report's burst"]
    even = generate(spec.model_copy(update={"burst": None}), 1)
    rows = {row.name: row for row in asked_against_measured(spec, even)}
    assert rows["share in the burst window"].sigmas > 100
    assert rows["peak over mean"].sigmas > 50
    assert rows["rate, 1/s"].sigmas < 4


def test_what_cannot_be_seen_is_left_out():
    names = [row.name for row in asked_against_measured(LOADS["many clients"], generate(LOADS["many clients"], 1))]
    assert "cv of gaps" not in names
    spec = GeneratedRequests(rate=1e-6, duration="1s")
    assert [row.name for row in asked_against_measured(spec, generate(spec, 1))] == ["rate, 1/s"]
    fixed = GeneratedRequests(duration="1min", input_tokens=FixedTokens(), output_tokens=FixedTokens())
    assert [row.name for row in asked_against_measured(fixed, generate(fixed, 1))] == ["rate, 1/s", "cv of gaps"]


def test_no_error_means_no_distance():
    assert Compared("x", 1, 1, 1, 0).sigmas == 0
