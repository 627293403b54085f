"""Jitter entropy reads what the field's thresholds mean, and what it is blind to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.rng import stream
from metaroce.qos import jitter

DELAYS = st.lists(st.integers(0, 10**9), min_size=1, max_size=200)


@given(DELAYS)
def test_entropy_lies_between_none_and_all_bins_alike(delays):
    found = jitter.jitter_entropy(delays)
    occupied = len({int(d).bit_length() for d in delays})
    assert 0 <= found <= np.log2(occupied) + 1e-9
    assert jitter.jitter_entropy(delays[::-1]) == found


@given(DELAYS, st.integers(1, 20))
def test_octaves_ignore_doubling_and_the_index_ignores_scale(delays, times):
    doubled = [max(d, 1) * 2 for d in delays]
    assert jitter.jitter_entropy(doubled) == pytest.approx(jitter.jitter_entropy([max(d, 1) for d in delays]))
    scaled = [d * times for d in delays]
    assert jitter.bullwhip_index(scaled) == pytest.approx(jitter.bullwhip_index(delays))


@pytest.mark.parametrize(("bits", "ratio"), [(2.1, 5.3), (2.5, 9.1), (2.8, 15), (3.2, 36), (3.5, 83)])
def test_thresholds_as_tail_ratios(bits, ratio):
    assert jitter.tail_ratio(bits) == pytest.approx(ratio, rel=0.03)


@pytest.mark.parametrize("log_sd", [0.72, 0.95, 1.17, 1.54, 1.90])
def test_lognormal_delays_read_their_formula(log_sd):
    delays = stream(1, "lognormal").lognormal(np.log(20_000), log_sd, 200_000)
    assert jitter.jitter_entropy(delays) == pytest.approx(jitter.entropy_of_lognormal(log_sd), abs=0.06)
    assert jitter.tail_ratio(jitter.entropy_of_lognormal(log_sd)) == pytest.approx(np.exp(2.3263 * log_sd), rel=1e-3)


@pytest.mark.parametrize("mean_ns", [1e3, 24e3, 1e6])
def test_exponential_delays_read_the_same_at_any_load(mean_ns):
    delays = stream(1, "exp").exponential(mean_ns, 200_000)
    assert jitter.jitter_entropy(delays) == pytest.approx(2.83, abs=0.01)
    assert jitter.entropy_series(delays, 100).mean() == pytest.approx(2.75, abs=0.02), "100 samples read 0.08 bit low"


def test_entropy_is_blind_to_level_and_to_rare_pauses():
    assert jitter.jitter_entropy([300_000] * 100) == 0
    rare = [10_000] * 98 + [2_000_000] * 2
    assert jitter.jitter_entropy(rare) == pytest.approx(0.141, abs=0.001)
    assert jitter.level(jitter.jitter_entropy(rare)) == "healthy"
    assert jitter.bullwhip_index(rare) > jitter.BULLWHIP_STOP


def test_small_samples_read_low():
    delays = stream(1, "bias").lognormal(np.log(20_000), 1.17, 100_000)
    series = jitter.entropy_series(delays, 100)
    bias = series.mean() - jitter.jitter_entropy(delays)
    assert len(series) == 1000
    assert -0.10 < bias < -0.03
    assert 0.08 < series.std() < 0.13
    assert jitter.small_sample_bias(8, 100) == pytest.approx(-0.05, abs=0.001)


def test_windows_are_taken_in_order():
    delays = np.array([1] * 10 + [1, 100] * 5 + [7])
    assert jitter.entropy_series(delays, 10).tolist() == [0.0, 1.0]
    assert jitter.entropy_series([], 10).tolist() == []


@pytest.mark.parametrize(
    ("bits", "name"),
    [(0, "healthy"), (2.1, "raised"), (2.5, "mail"), (2.9, "page"), (3.2, "throttle"), (9, "collapse")],
)
def test_levels(bits, name):
    assert jitter.level(bits) == name


def test_nothing_has_no_jitter():
    assert jitter.jitter_entropy([]) == 0 and jitter.bullwhip_index([]) == 0 and jitter.bullwhip_index([0, 0]) == 0
