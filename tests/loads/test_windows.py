"""Windows and tables made from tables: nothing lost, the busiest found, phases as asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.kit.units import NS_PER_S
from metaroce.loads.generate import generate
from metaroce.loads.profile import profile
from metaroce.loads.requests import make_requests
from metaroce.loads.windows import busiest, copies, dephase, mean_minute, peak_window, superpose
from metaroce.model.requests import Burst, GeneratedRequests

ARRIVALS = st.lists(st.integers(0, 200), min_size=1, max_size=40)
EMPTY = make_requests(np.empty(0, np.int64), 1, 1)


@given(ARRIVALS, st.integers(1, 100))
def test_no_window_holds_more_than_the_busiest(arrivals, width):
    table = make_requests(arrivals, 1, 1)
    start = busiest(table, width)
    held = len(table.slice(start, start + width))
    assert held == max(len(table.slice(low, low + width)) for low in range(201))
    assert held == len(peak_window(table, width))


def test_busiest_of_nothing_and_of_no_width():
    assert busiest(EMPTY, 10) == 0
    with pytest.raises(InputError):
        busiest(EMPTY, 0)


def test_the_mean_minute_is_the_most_ordinary_one():
    minutes = [1, 9, 5, 5, 30, 2]  # mean of the five whole ones: 10
    seconds = np.concatenate([60 * at + np.linspace(0, 59, count) for at, count in enumerate(minutes)])
    table = make_requests((seconds * NS_PER_S).astype(np.int64), 1, 1)
    chosen = mean_minute(table)
    assert len(chosen) == 9
    assert chosen.arrival_ns[0] == 0
    assert chosen.duration_ns == 59 * NS_PER_S
    short = make_requests([0, NS_PER_S], 1, 1)
    assert mean_minute(short) is short


@given(ARRIVALS, st.integers(0, 1000), st.integers(0, 5))
def test_dephasing_delays_each_request_within_the_spread(arrivals, spread, seed):
    table = make_requests(arrivals, range(1, len(arrivals) + 1), 1)
    moved = dephase(table, spread, seed)
    delay = np.empty(len(table), np.int64)
    delay[np.argsort(table.input_tokens)] = table.arrival_ns[np.argsort(table.input_tokens)]
    before = dict(zip(table.input_tokens.tolist(), table.arrival_ns.tolist(), strict=True))
    after = dict(zip(moved.input_tokens.tolist(), moved.arrival_ns.tolist(), strict=True))
    assert before.keys() == after.keys()
    assert all(0 <= after[name] - before[name] <= spread for name in before)
    assert np.all(np.diff(moved.arrival_ns) >= 0)


def test_dephasing_over_the_minute_flattens_the_burst():
    table = generate(GeneratedRequests(rate=100, duration="20min", burst=Burst()), 1)
    assert profile(table).at(12).peak > 4
    flat = profile(dephase(table, 60 * NS_PER_S, 1))
    assert flat.locked_share < 0.22
    assert flat.at(12).peak < 1.2
    for spread in (-1, 2**63):
        with pytest.raises(InputError):
            dephase(table, spread, 1)


@given(st.lists(ARRIVALS, max_size=4))
def test_superposing_keeps_every_request(lists):
    tables = [make_requests(arrivals, number + 1, 2) for number, arrivals in enumerate(lists)]
    whole = superpose(tables)
    assert whole.arrival_ns.tolist() == sorted(at for arrivals in lists for at in arrivals)
    for number, table in enumerate(tables):
        assert whole.arrival_ns[whole.input_tokens == number + 1].tolist() == table.arrival_ns.tolist()


@given(ARRIVALS, st.integers(1, 5), st.sampled_from(["random", "locked"]))
def test_copies_multiply_and_keep_lengths_with_their_rows(arrivals, count, phase):
    table = make_requests(arrivals, range(1, len(arrivals) + 1), range(11, len(arrivals) + 11))
    laid = copies(table, count, phase, 3)
    assert len(laid) == count * len(table)
    assert np.all(np.diff(laid.arrival_ns) >= 0)
    assert laid.arrival_ns[0] >= 0
    assert np.all(laid.output_tokens - laid.input_tokens == 10)
    if phase == "locked":
        assert laid.arrival_ns.tolist() == np.repeat(table.arrival_ns, count).tolist()


def test_random_phases_lower_the_peak_and_locked_ones_keep_it():
    table = generate(GeneratedRequests(rate=20, duration="30min", arrivals="gamma", cv=8), 2)
    alone = profile(table).at(1).peak
    assert profile(copies(table, 20, "locked", 1)).at(1).peak == pytest.approx(alone, rel=0.01)
    turned = copies(table, 20, "random", 1)
    assert profile(turned).at(1).peak < alone / 2
    assert turned.rps == pytest.approx(20 * table.rps, rel=0.01)


def test_copies_of_little():
    assert copies(EMPTY, 3, "random", 1) is EMPTY
    assert len(copies(make_requests([0], 1, 1), 3, "random", 1)) == 3
    with pytest.raises(InputError):
        copies(EMPTY, 0, "locked", 1)
