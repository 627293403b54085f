"""The rate over time: its integral, its inverse, and the burst's and the day's shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.units import NS_PER_S
from metaroce.loads.intensity import Intensity
from metaroce.model.requests import Burst, GeneratedRequests, Office

HOUR = 3600 * NS_PER_S

BURSTS = st.builds(
    lambda width, over, peak, phase: Burst(
        share=width + (1 - width) * over, window=f"{width * 60}s", period="60s",
        peak=peak * (width + (1 - width) * over) / width, phase=phase,
    ),
    st.floats(0.01, 0.9), st.floats(0, 1), st.floats(1.000001, 6), st.sampled_from(["locked", "floating"]),
)  # fmt: skip


@given(BURSTS, st.integers(60, 500), st.booleans())
def test_moments_invert_the_cumulative_count(burst, seconds, office):
    spec = GeneratedRequests(
        rate=50, duration=f"{seconds}s", burst=burst, office=Office(begins="8h") if office else None
    )
    rate = Intensity.of(spec, 1)
    at = np.linspace(0, spec.duration - 1, 997).astype(np.int64)
    count = rate.cumulative(at)
    assert count[0] == 0
    assert np.all(np.diff(count) >= -1e-9)
    assert count[-1] <= rate.total
    again = rate.cumulative(rate.moments(count))
    assert np.allclose(again, count, atol=1e-5)  # where nothing is expected, many moments share a count


@given(BURSTS, st.integers(1, 20))
def test_every_whole_period_holds_its_share(burst, periods):
    spec = GeneratedRequests(rate=10, duration=f"{periods * burst.period}ns", burst=burst)
    rate = Intensity.of(spec, 3)
    opens = (np.arange(periods) + rate.opens) * burst.period
    edges = np.stack([opens, opens + burst.window]).round().astype(np.int64)
    held = rate.cumulative(np.minimum(edges[1], spec.duration)) - rate.cumulative(edges[0])
    assert np.allclose(held / (rate.total / periods), burst.share, atol=1e-6)
    assert rate.total == pytest.approx(10 * spec.duration / NS_PER_S)


@given(BURSTS)
def test_the_highest_rate_is_the_asked_peak(burst):
    spec = GeneratedRequests(rate=1, duration=f"{burst.period}ns", burst=burst.model_copy(update={"phase": "locked"}))
    rate = Intensity.of(spec, 0)
    inner = burst.window * burst.level / (2 * burst.highest) if burst.shape == "inner burst" else burst.window
    at = np.linspace(0, inner, 4001).astype(np.int64)
    density = np.diff(rate.cumulative(at)) / (np.diff(at) / NS_PER_S)
    assert density.max() == pytest.approx(burst.highest, rel=2e-3)


def test_the_mean_holds_for_a_cut_last_period():
    spec = GeneratedRequests(rate=100, duration="90s", burst=Burst())
    assert Intensity.of(spec, 0).total == pytest.approx(9000)


def test_a_day_of_office_hours_holds_its_share_and_mean():
    spec = GeneratedRequests(rate=7, duration="48h", office=Office(begins="0h"))
    rate = Intensity.of(spec, 0)
    edges = np.array([9, 18, 24, 33, 42]) * HOUR
    nine, six, midnight, again, end = rate.cumulative(edges)
    assert midnight == pytest.approx(7 * 86_400)
    assert (six - nine) / midnight == pytest.approx(0.85)
    assert end - again == pytest.approx(six - nine)
    top, night = rate.counts[12 * 60] / 60, rate.counts[3 * 60] / 60
    assert top == pytest.approx(7 * 0.85 * 24 / 9)
    assert night / top == pytest.approx(Office().floor)


def test_office_hours_may_begin_at_any_time_of_day():
    whole = Intensity.of(GeneratedRequests(rate=7, duration="48h", office=Office(begins="0h")), 0)
    late = Intensity.of(GeneratedRequests(rate=7, duration="20h", office=Office(begins="17h")), 0)
    assert np.allclose(late.counts, whole.counts[17 * 60 : 37 * 60])
