"""The floor: below every run, and named by its largest part."""

from __future__ import annotations

import pytest

from metaroce.kit.errors import InputError
from metaroce.loads.requests import make_requests
from metaroce.model.service import Lognormal, Service, Slo
from metaroce.serving.api import simulate, unloaded
from metaroce.serving.floor import floor as floor_of
from metaroce.serving.network import make_network_times

from .test_api import azure_like

_SLOS = tuple(Slo(metric=metric, quantile=0.95, limit="1s") for metric in ("ttft", "tpot", "e2e", "network"))


def floor(requests, service, **options):
    return floor_of(requests, service, unloaded(requests, service, **options))


def test_no_number_of_replicas_goes_below_the_floor():
    requests, service = azure_like(2000, 20), Service(slos=_SLOS, rag=Lognormal(mean="20ms", p95="50ms"))
    network = make_network_times([100_000, 2_000_000], [10_000, 50_000])
    floors = floor(requests, service, network=network, seed=1)
    assert [f.metric for f in floors] == ["ttft", "tpot", "e2e", "network"]
    for replicas in (3, 100):
        run = simulate(requests, service, replicas=replicas, network=network, seed=1)
        for found in floors:
            assert run.quantile_ns(found.metric, 0.95) >= 0.99 * found.value  # each run reads the tape elsewhere


def test_the_reason_is_the_largest_part():
    long_prompts = make_requests(range(0, 10**12, 10**10), 30_000, 2)
    short = make_requests(range(0, 10**12, 10**10), 10, 2)
    ttft = Service(slos=_SLOS[:1])
    assert "computing the prompt: 30,000 tokens" in floor(long_prompts, ttft)[0].reason
    assert "retrieval" in floor(short, ttft.model_copy(update={"rag": Lognormal(mean="1s", p95="2s")}))[0].reason
    assert "network" in floor(short, ttft, network=make_network_times([10**9]))[0].reason
    e2e = floor(make_requests([0], 10, 500), Service(slos=_SLOS[2:3]))[0]
    assert "one token at a time: 500" in e2e.reason and e2e.share > 0.9


def test_there_is_no_floor_without_requests_and_no_service_without_objectives():
    with pytest.raises(ValueError, match="at least 1 item"):
        Service(slos=())
    with pytest.raises(InputError):
        floor(make_requests([], [], []), Service())
