"""Generated requests: asked figures within sampling error, same bytes for same seed, a million in a second."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.loads.generate import generate, renewal_arrivals
from metaroce.loads.profile import profile
from metaroce.loads.requests import make_requests
from metaroce.model.requests import Burst, EmpiricalTokens, FixedTokens, GeneratedRequests


@given(
    st.floats(1, 200),
    st.integers(60, 600),
    st.sampled_from([1.0, 0.2, 2.0, 6.0]),
    st.integers(1, 300),
    st.integers(0, 99),
)
def test_the_mean_rate_is_met_whatever_the_number_of_clients(rate, seconds, cv, clients, seed):
    spec = GeneratedRequests(
        rate=rate, duration=f"{seconds}s", arrivals="gamma", cv=cv, clients=clients, burst=Burst(),
        input_tokens=FixedTokens(), output_tokens=FixedTokens(),
    )  # fmt: skip
    table = generate(spec, seed)
    expected = rate * seconds
    assert abs(len(table) - expected) < 6 * max(cv, 1) * np.sqrt(expected) + 6 * cv**2 + 1
    assert np.all(np.diff(table.arrival_ns) >= 0)
    assert not len(table) or (table.arrival_ns[0] >= 0 and table.arrival_ns[-1] < spec.duration)


def test_streams_start_in_equilibrium():
    counts = [len(renewal_arrivals(50.0, 5.0, 100, stream(seed, "eq"))) for seed in range(400)]
    assert np.mean(counts) == pytest.approx(50, abs=4 * np.std(counts) / 20)


def test_gaps_of_one_client_have_the_asked_cv():
    for cv in (0.25, 1.0, 3.0):
        gaps = np.diff(renewal_arrivals(200_000.0, cv, 1, stream(5, "cv")))
        assert gaps.std() / gaps.mean() == pytest.approx(cv, rel=0.03)
        assert gaps.mean() == pytest.approx(1, rel=0.03)


def test_superposing_clients_removes_burstiness_from_the_gaps():
    spread = []
    for clients in (1, 10, 1000):
        gaps = np.diff(renewal_arrivals(100_000.0, 5.0, clients, stream(2, "many")))
        spread.append(gaps.std() / gaps.mean())
    assert spread[0] > spread[1] > spread[2]
    assert spread[2] < 0.6 * spread[0]  # not to 1: gaps this skewed come in clumps, which no superposition pulls apart


def test_the_same_seed_gives_the_same_bytes_and_another_one_others():
    spec = GeneratedRequests(rate=50, duration="2min", burst=Burst(phase="floating"), arrivals="gamma", cv=2, clients=3)
    first, again, other = generate(spec, 1), generate(spec, 1), generate(spec, 2)
    for name in ("arrival_ns", "input_tokens", "output_tokens"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()
    assert first.arrival_ns.tobytes() != other.arrival_ns.tobytes()


def test_changing_the_tokens_leaves_the_arrivals():
    spec = GeneratedRequests(rate=50, duration="1min")
    other = spec.model_copy(update={"input_tokens": FixedTokens(tokens=5)})
    assert generate(spec, 1).arrival_ns.tobytes() == generate(other, 1).arrival_ns.tobytes()
    assert generate(spec, 1).output_tokens.tobytes() == generate(other, 1).output_tokens.tobytes()


def test_inputs_and_outputs_are_independent():
    assert abs(profile(generate(GeneratedRequests(rate=1000, duration="1min"), 1)).correlation) < 4 / np.sqrt(60_000)


def test_locked_and_floating_bursts_differ_in_the_folded_minute():
    shares = {}
    for phase in ("locked", "floating"):
        spec = GeneratedRequests(rate=100, duration="1h", burst=Burst(phase=phase))
        found = profile(generate(spec, 4))
        shares[phase] = found.locked_share
        assert found.floating_share == pytest.approx(0.82, abs=0.015)
    assert shares["locked"] == pytest.approx(0.83, abs=0.005)
    assert shares["floating"] < 0.32


def test_a_million_requests_take_less_than_a_second():
    spec = GeneratedRequests(rate=1000, duration="1000s", arrivals="gamma", cv=3, clients=20, burst=Burst())
    generate(spec.model_copy(update={"rate": 10.0}), 1)
    start = time.perf_counter()
    table = generate(spec, 1)
    taken = time.perf_counter() - start
    assert len(table) > 900_000
    assert taken < 3, "0.2 s on a quiet core"


def test_lengths_drawn_from_a_trace_stay_apart(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("t,i,o\n" + "".join(f"{n},{n},{n}\n" for n in range(1, 101)))
    law = EmpiricalTokens(path=str(path))
    spec = GeneratedRequests(rate=200, duration="1min", input_tokens=law, output_tokens=law)
    table = generate(spec, 1)
    assert set(table.input_tokens.tolist()) == set(range(1, 101))
    assert abs(np.corrcoef(table.input_tokens, table.output_tokens)[0, 1]) < 0.05
    given_ = {str(path): make_requests([0], [7], [8])}
    assert set(generate(spec, 1, traces=given_).output_tokens.tolist()) == {8}
    with pytest.raises(InputError):
        generate(spec.model_copy(update={"input_tokens": EmpiricalTokens(path="no such file")}), 1)


def test_a_load_too_small_for_a_request_is_empty():
    assert len(generate(GeneratedRequests(rate=1e-6, duration="1s"), 1)) == 0
