"""The search for the count: exact at its edge, the same from every start, honest when there is none."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from metaroce.loads.requests import make_requests
from metaroce.serving.network import NO_NETWORK, make_network_times
from metaroce.study.api import Options, study
from metaroce.study.capacity import Bench, busy_seconds, find_need, first_guess, pooled

HERE = Options(folder=Path())


@pytest.fixture(scope="module")
def bench(result):
    """The small study's bench: two seeds, network times of its fabric."""
    return result.chain.settled.bench


@pytest.mark.parametrize("start", [1, 2, 6, 7, 8, 40])
def test_the_start_of_the_search_does_not_move_its_end(bench, result, start):
    found = find_need(bench, start=start, limit=4096)
    assert found.replicas == result.chain.settled.need.replicas
    assert found.per_seed == result.chain.settled.need.per_seed


def test_each_seed_is_content_with_its_count_and_not_with_one_less(bench, result):
    need = result.chain.settled.need
    for position, count in enumerate(need.per_seed):
        assert bench.seed_meets(count, position)
        assert count == 1 or not bench.seed_meets(count - 1, position)
    assert need.interval.low == min(*need.per_seed, need.replicas)
    assert need.interval.high == max(*need.per_seed, need.replicas)


def test_a_limit_below_the_count_finds_none(bench):
    found = find_need(bench, start=1, limit=3)
    assert found.replicas is None
    assert found.per_seed == ()
    assert math.isinf(found.interval.value)
    assert found.curve[-1].replicas == 3
    assert all(one.met for one in found.floor)


def test_a_limit_on_the_count_is_the_reason(small_scenario):
    found = study(small_scenario(["capacity.max_replicas=3"]), HERE)
    assert found.exit_status == 3
    why = found.chain.settled.why_not
    assert "no count up to 3 replicas" in why
    assert "TTFT P95 is" in why and "not 400 ms" in why


def test_a_floor_above_its_limit_stops_the_search_at_once(small_scenario, result):
    service = small_scenario(["service.slos.0.limit=20ms"]).service
    bench = Bench(result.chain.load.busiest, result.chain.seeds, service, NO_NETWORK)
    found = find_need(bench, start=5, limit=4096)
    assert found.replicas is None
    assert len(found.curve) == 1
    assert [one.met for one in found.floor] == [False, True]


def test_a_point_pools_the_requests_of_all_seeds(bench, result):
    count = result.chain.settled.need.replicas
    runs = bench.runs(count)
    values = np.sort(np.concatenate([run.latencies("ttft") for run in runs]))
    rank = math.ceil(0.95 * len(values)) - 1
    assert values[max(0, rank - 1)] <= pooled(runs, "ttft", 0.95) <= values[min(len(values) - 1, rank + 1)]
    assert bench.point(count).judged[0].value.value == pooled(runs, "ttft", 0.95)


def test_a_slower_network_never_needs_fewer(bench, result):
    slow = make_network_times(np.full(64, 60_000_000), source="60 ms each")
    other = Bench(result.chain.load.busiest, result.chain.seeds, bench.service, slow)
    assert other.point(7).judged[0].value.value > bench.point(7).judged[0].value.value
    assert find_need(other, start=7, limit=4096).replicas >= result.chain.settled.need.replicas


def test_more_requests_never_need_fewer(small_scenario):
    counts = [
        study(small_scenario([f"requests.rate={rate}/s"]), HERE).chain.settled.need.replicas for rate in (3, 12, 48)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_the_guess_is_the_right_order_of_magnitude(bench, result):
    guess = first_guess(bench.service, result.chain.load.busiest, bench.model)
    count = result.chain.settled.need.replicas
    assert count / 3 <= guess <= count * 3


def test_a_request_keeps_a_replica_longer_when_it_is_longer(bench):
    at = np.arange(10) * 10**9
    base, prompts, answers = (
        busy_seconds(bench.service, make_requests(at, inputs, outputs), bench.model)
        for inputs, outputs in ((500, 100), (1000, 100), (500, 200))
    )
    assert base < prompts
    assert base < answers
