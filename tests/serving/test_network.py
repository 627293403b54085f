"""Sums of network times over steps, and draws per request."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.serving._jump import tape_sum
from metaroce.serving.network import NO_NETWORK, draw_request_ns, make_network_times, step_tape, tape_starts


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=9), st.integers(0, 10**6), st.integers(0, 200_000))
def test_a_sum_on_the_tape_is_the_sum_of_its_steps(samples, start, steps):
    sums = step_tape(make_network_times(step_ns=samples), seed=1)
    length = len(sums) - 1
    each = np.diff(sums)
    at = start % length
    whole, rest = divmod(steps, length)
    expected = whole * each.sum() + np.take(each, range(at, at + rest), mode="wrap").sum()
    assert tape_sum.py_func(sums, at, steps) == tape_sum(sums, at, steps) == expected


def test_k_steps_have_k_times_the_mean_and_variance():
    samples = stream(0, "test").lognormal(9, 1.5, 500)
    sums = step_tape(make_network_times(step_ns=samples), seed=2)
    for k in (1, 10, 100):
        totals = (sums[k::k] - sums[:-k:k]) / 1000
        assert totals.mean() == pytest.approx(k * samples.mean(), rel=0.01)
        assert totals.var() == pytest.approx(k * samples.var(), rel=0.35)  # heavy tail, 655 sums at k = 100


def test_every_sample_stands_on_the_tape_equally_often():
    counts = np.bincount(np.diff(step_tape(make_network_times(step_ns=[3, 5, 9]), seed=0)) // 1000)
    assert set(counts[[3, 5, 9]]) <= {21_845, 21_846}
    long = np.arange(100_000)
    assert sorted(np.diff(step_tape(make_network_times(step_ns=long), 0)) // 1000) == list(long)


def test_draws_per_request_are_common_between_networks():
    slow, fast = make_network_times([100, 900, 400]), make_network_times([10, 90, 40])
    np.testing.assert_array_equal(draw_request_ns(slow, 1000, 5), 10 * draw_request_ns(fast, 1000, 5))
    assert draw_request_ns(slow, 30_000, 5).mean() == pytest.approx(1400 / 3, rel=0.02)
    assert not draw_request_ns(NO_NETWORK, 10, 5).any()


def test_more_replicas_keep_the_starts_of_the_first():
    np.testing.assert_array_equal(tape_starts(NO_NETWORK, 3, 1), tape_starts(NO_NETWORK, 9, 1)[:3])


@pytest.mark.parametrize("bad", [[-1], [np.inf], [np.nan]])
def test_impossible_samples_are_refused(bad):
    with pytest.raises(InputError):
        make_network_times(bad)
