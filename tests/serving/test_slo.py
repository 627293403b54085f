"""Verdicts: what counts, how sure they are, and that unserved requests are never forgotten."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.loads.requests import make_requests
from metaroce.model.service import Service, Slo
from metaroce.serving.api import simulate
from metaroce.serving.slo import availability_verdict, verdict


def _run(ttft_ms, **changes):
    """A result whose first-token times are the given ones."""
    count = len(ttft_ms)
    plain = simulate(make_requests(np.arange(count), 10, 2), Service(), replicas=1)
    values = np.asarray(np.asarray(ttft_ms) * 1e6, np.int64)
    return dataclasses.replace(plain, ttft_ns=values, e2e_ns=values * 2, **changes)


def test_the_quantile_is_the_smallest_time_that_enough_requests_meet():
    run = _run(np.arange(1, 101))
    values = [verdict(run, [Slo(metric="ttft", quantile=q, limit="90ms")])[0] for q in (0.5, 0.9, 0.99, 1.0)]
    assert [v.value for v in values] == [50e6, 90e6, 99e6, 100e6]
    assert [v.met for v in values] == [True, True, False, False]
    assert values[1].margin == 0 and values[0].margin == pytest.approx(40 / 90)


def test_unserved_requests_miss_every_limit():
    rejected = np.zeros(100, bool)
    rejected[:2] = True
    run = _run(np.full(100, 5.0), rejected=rejected)
    strict, loose = verdict(
        run, [Slo(metric="ttft", quantile=0.99, limit="1s"), Slo(metric="ttft", quantile=0.98, limit="1s")]
    )
    assert math.isinf(strict.value) and not strict.met
    assert loose.met and loose.value == 5e6
    assert availability_verdict(run, 0.99) == dataclasses.replace(
        availability_verdict(run, 0.99), met=False, value=0.98
    )


def test_the_interval_covers_the_truth():
    """95 % intervals of the P95 of exponential times, from order statistics and from six runs, mostly cover."""
    truth, slo = -math.log(0.05) * 1e7, [Slo(metric="ttft", quantile=0.95, limit="1s")]
    random, single, several = stream(0, "test"), 0, 0
    for _ in range(100):
        runs = [_run(random.exponential(10, 400)) for _ in range(6)]
        one, many = verdict(runs[0], slo)[0], verdict(runs, slo)[0]
        single += one.low <= truth <= one.high
        several += many.low <= truth <= many.high
        assert many.high - many.low < 3 * (one.high - one.low)
    assert single >= 88 and several >= 88


def test_certainty_needs_the_whole_interval():
    runs = [_run(np.full(50, level)) for level in (98.0, 100.0, 102.0)]
    slo = [Slo(metric="ttft", quantile=0.5, limit="101ms"), Slo(metric="ttft", quantile=0.5, limit="150ms")]
    near, far = verdict(runs, slo)
    assert near.met and not near.certain
    assert far.met and far.certain


def test_nothing_to_judge():
    run = simulate(make_requests([0], 10, 1), Service(), replicas=1)
    judged = verdict(run, [Slo(metric="tpot", quantile=0.99, limit="1ms")])[0]
    assert judged.met and judged.requests == 0 and math.isnan(judged.value)
    with pytest.raises(InputError):
        verdict([], [])
    with pytest.raises(InputError):
        run.latencies("p99")
