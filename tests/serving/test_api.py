"""The simulator against queueing theory, and what must hold for every run."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from metaroce.kit.errors import InputError, ScenarioError
from metaroce.kit.rng import stream
from metaroce.loads.requests import RequestTable, make_requests
from metaroce.model.service import Lognormal, Service
from metaroce.serving.api import simulate, unloaded
from metaroce.serving.network import make_network_times
from metaroce.serving.roofline import StepModel, step_model

TOKENS = 2000  # mean service of the single-server queues, 1 us a token


def azure_like(count: int, rps: float, seed: int = 1) -> RequestTable:
    """Lengths like Azure's conversation trace of 2023: medians 1020 and 129, input at most 14,050."""
    random = stream(seed, "test", "azure")
    inputs = np.clip(np.exp(random.normal(math.log(1020), 0.9, count)), 1, 14_050).astype(int)
    outputs = np.clip(np.exp(random.normal(math.log(129), 1.0, count)), 1, 1000).astype(int)
    return make_requests(np.cumsum(random.exponential(1e9 / rps, count)), inputs, outputs)


def _single_server() -> tuple[Service, StepModel]:
    chunk = 40 * TOKENS
    base = np.arange(chunk + 1, dtype=np.int64) * 1_000_000
    model = StepModel(base, np.zeros_like(base), 1, 0.0, 10**6, 16, 1)
    return Service(max_batch=1, chunk_tokens=chunk, router="round-robin"), model


def _mean_wait_ns(tokens, load: float, seed: int) -> float:
    count = 40_000
    random = stream(seed, "test", "arrivals")
    arrivals = np.cumsum(random.exponential(TOKENS * 1000 / load, count))
    service, model = _single_server()
    result = simulate(
        make_requests(arrivals, tokens(random, count), 1), service, replicas=1, model=model,
        warmup_ns=int(arrivals[2000]),
    )  # fmt: skip
    return float(result.queue_ns[result.measured].mean())


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
@pytest.mark.parametrize("kind", ["M/M/1", "M/D/1"])
def test_waits_of_a_single_server_follow_theory(kind, load):
    """Mean wait load/(1 - load) x service, half of it for fixed service: within three standard errors of 16 runs."""

    def tokens(random, count):
        if kind == "M/D/1":
            return np.full(count, TOKENS)
        return np.clip(np.rint(random.exponential(TOKENS, count)), 1, 40 * TOKENS).astype(int)

    waits = np.array([_mean_wait_ns(tokens, load, seed) for seed in range(16)])
    theory = load / (1 - load) * TOKENS * 1000 * (1.0 if kind == "M/M/1" else 0.5)
    error = waits.std(ddof=1) / math.sqrt(len(waits))
    assert abs(waits.mean() - theory) < 3 * error + 2e-3 * theory  # whole tokens are up to 0.1 % off
    assert error < 0.05 * theory


def test_every_request_is_accounted_for_and_its_time_adds_up():
    requests = azure_like(4000, 60)
    service = Service(
        rag=Lognormal(mean="30ms", p95="40ms"), serialisation=Lognormal(mean="10ms", p95="20ms"), max_queue=40,
        max_batch=64, memory_share=0.28,
    )  # fmt: skip
    network = make_network_times(stream(0, "test").exponential(1e6, 100), stream(1, "test").exponential(3e5, 100))
    stop = int(requests.arrival_ns[3500])
    result = simulate(requests, service, replicas=3, network=network, seed=2, stop_ns=stop)
    assert result.served.sum() + result.rejected.sum() + result.unfinished.sum() == len(requests)
    assert result.rejected.any() and result.unfinished.any() and result.preemptions.any()
    served = result.served
    total = (
        result.rag_ns + result.network_ns + result.queue_ns + result.compute_ns + result.serialisation_ns
    )  # fmt: skip
    np.testing.assert_array_equal(total[served], result.e2e_ns[served])
    assert (result.compute_ns[served] > 0).all() and (result.queue_ns[served] >= 0).all()
    assert (result.ttft_ns[served] <= result.e2e_ns[served]).all()
    assert (requests.arrival_ns + result.e2e_ns)[served].max() <= stop
    assert (result.e2e_ns[~served] == -1).all()
    assert abs(sum(result.shares().values()) - 1) < 1e-9
    assert 0 < result.kv_peak_share <= 1 and 0 < result.busy_share <= 1


def test_more_replicas_are_never_worse_on_average():
    requests = azure_like(6000, 40)
    for router in ("round-robin", "two-choices", "least-loaded"):
        means = [
            simulate(requests, Service(router=router), replicas=n, seed=3).e2e_ns.mean() for n in (2, 3, 4, 6, 9, 14)
        ]
        assert all(b <= a for a, b in itertools.pairwise(means)), (router, means)


def test_looking_at_load_beats_taking_turns():
    requests = azure_like(20_000, 70)
    p99 = {
        router: simulate(requests, Service(router=router), replicas=8).quantile_ns("ttft", 0.99)
        for router in ("round-robin", "two-choices", "least-loaded")
    }
    assert p99["least-loaded"] <= p99["two-choices"] < p99["round-robin"]


def test_network_times_add_what_they_say():
    """Constant step times shift every decode step; constant request times shift the first token."""
    requests = make_requests(np.arange(20) * 10**11, 500, 101)
    bare = simulate(requests, Service(), replicas=1)
    slow = simulate(requests, Service(), replicas=1, network=make_network_times([7_000_000], [250_000]))
    assert set(slow.tpot_ns - bare.tpot_ns) == {250_000}
    assert set(slow.ttft_ns - bare.ttft_ns) == {7_250_000}
    assert set(slow.network_ns) == {7_000_000 + 101 * 250_000}
    np.testing.assert_array_equal(slow.compute_ns, bare.compute_ns)


def test_a_request_alone_is_the_same_with_and_without_the_floor_s_trick():
    requests = azure_like(200, 0.02)
    service = Service(rag=Lognormal(mean="40ms", p95="80ms"))
    alone = unloaded(requests, service, seed=4)
    sparse = simulate(requests, service, replicas=40, seed=4)
    np.testing.assert_array_equal(alone.e2e_ns, sparse.e2e_ns)
    np.testing.assert_array_equal(alone.ttft_ns, sparse.ttft_ns)
    dense = simulate(dataclasses.replace(requests, arrival_ns=requests.arrival_ns // 2000), service, replicas=2, seed=4)
    assert (dense.ttft_ns >= alone.ttft_ns).all()


def test_disaggregation_moves_the_cache_between_pools():
    requests = make_requests(np.arange(30) * 10**10, 4096, 50)
    service = Service(llm="llama-3.1-70b", tensor_parallel=4, kv_transfer=True, prefill_share=0.5)
    result = simulate(requests, service, replicas=4)
    together = simulate(requests, service.model_copy(update={"kv_transfer": False}), replicas=4)
    # 1,280 MiB over 4 x 400G at 86 %, and 10 us: 7.8 ms
    assert result.network_ns[0] == pytest.approx(4096 * 327_680 * 8 / (4 * 400e9 * 0.86) * 1e9 + 10_000, rel=1e-6)
    np.testing.assert_array_equal(result.ttft_ns, together.ttft_ns)
    spread = result.e2e_ns - together.e2e_ns - result.network_ns
    assert (np.abs(spread) < 1_000).all()  # nobody else around: only the transfer is added
    measured = simulate(requests, service, replicas=4, network=make_network_times([3_000_000]))
    assert set(measured.network_ns) == {3_000_000}


def test_disaggregation_keeps_decode_steps_free_of_prefill():
    requests = azure_like(6000, 40)
    service = Service()
    apart = simulate(requests, service.model_copy(update={"kv_transfer": True}), replicas=8)
    together = simulate(requests, service, replicas=8)
    assert apart.served.all()
    assert apart.quantile_ns("tpot", 0.99) < together.quantile_ns("tpot", 0.99)


def test_chunks_bound_the_wait_of_running_requests():
    """A prompt of 100,000 tokens in one go holds up everybody's next token; in chunks it does not."""
    arrivals = np.concatenate([np.zeros(8), [10**9]])
    requests = make_requests(arrivals, [200] * 8 + [100_000], [2000] * 8 + [1])
    whole = simulate(requests, Service(chunk_tokens=120_000, max_batch=64), replicas=1)
    chunked = simulate(requests, Service(chunk_tokens=2048, max_batch=64), replicas=1)
    assert chunked.ttft_ns[8] >= whole.ttft_ns[8]
    longest_step = step_model(Service(chunk_tokens=120_000)).prefill_ns(100_000)
    assert longest_step > 20 * step_model(Service(chunk_tokens=2048)).prefill_ns(2040, 98_000)


def test_what_cannot_be_served_is_refused_or_said():
    requests = make_requests([0, 1, 2], [100, 10**6, 100], 10)
    assert simulate(requests, Service(), replicas=1).rejected.tolist() == [False, True, False]
    with pytest.raises(InputError, match="0 replicas"):
        simulate(requests, Service(), replicas=0)
    with pytest.raises(InputError, match="1 replicas"):
        simulate(requests, Service(kv_transfer=True), replicas=1)
    with pytest.raises(InputError, match="40 days"):
        simulate(make_requests([0, 10**17], 1, 1), Service(), replicas=1)
    with pytest.raises(ScenarioError, match="GB of weights"):
        simulate(requests, Service(llm="llama-3.1-70b"), replicas=1)


def test_no_requests_no_result():
    result = simulate(make_requests([], [], []), Service(), replicas=2)
    assert len(result) == 0 and result.availability == 1 and result.busy_share == 0
    assert math.isnan(result.quantile_ns("ttft", 0.5))


def test_warm_up_is_served_but_not_measured():
    requests = azure_like(500, 20)
    half = int(requests.arrival_ns[250])
    result = simulate(requests, Service(), replicas=2, warmup_ns=half)
    assert result.measured.sum() == 250
    assert len(result.latencies("e2e")) == 250


def test_progress_is_told():
    told = []
    simulate(azure_like(10, 5), Service(), replicas=1, progress=lambda what, share: told.append((what, share)))
    assert told[0] == ("serving", 0.0) and told[-1] == ("serving", 1.0)
