"""The engine's jumps against a plain simulator that takes every step."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from metaroce.loads.requests import make_requests
from metaroce.model.service import Service
from metaroce.serving.api import simulate
from metaroce.serving.network import make_network_times
from metaroce.serving.roofline import StepModel

from .reference import simulate_plainly

_ROUTERS = ["round-robin", "two-choices", "least-loaded"]


@st.composite
def _cases(draw):
    count = draw(st.integers(1, 14))
    batch = draw(st.integers(1, 5))
    chunk = draw(st.integers(batch, 24))
    block = draw(st.integers(1, 5))
    table = st.lists(st.integers(1, 40), min_size=chunk + 1, max_size=chunk + 1)
    arrivals = draw(st.lists(st.integers(0, 1500), min_size=count, max_size=count))
    tokens = st.lists(st.integers(1, 30), min_size=count, max_size=count)
    model = StepModel(
        base_ps=np.array(draw(table), np.int64) * 1000,
        fabric_ps=np.array(draw(table), np.int64) * 100,
        kv_ps=draw(st.integers(1, 300)),
        pair_ps=draw(st.sampled_from([0.0, 12.5, 333.3])),
        blocks=draw(st.integers(4, 40)),
        block_tokens=block,
        gpus=1,
    )
    service = Service(
        max_batch=batch, chunk_tokens=chunk, router=draw(st.sampled_from(_ROUTERS)), kv_block_tokens=block,
        max_queue=draw(st.sampled_from([None, None, 1, 3])), kv_watermark=draw(st.sampled_from([0.0, 0.05, 0.3])),
    )  # fmt: skip
    samples = st.lists(st.integers(0, 200), max_size=4)
    network = make_network_times(draw(samples), draw(samples))
    requests = make_requests(arrivals, draw(tokens), draw(tokens))
    return requests, service, model, draw(st.integers(1, 3)), network, draw(st.integers(0, 5))


@settings(max_examples=400)
@given(_cases())
def test_jumps_equal_steps_exactly(case):
    requests, service, model, replicas, network, seed = case
    result = simulate(requests, service, replicas=replicas, network=network, seed=seed, model=model)
    rows, pool = simulate_plainly(requests, service, model, replicas, network, seed)
    assert result.rejected.tolist() == [r.refused for r in rows]
    assert not result.unfinished.any()
    assert result.preemptions.tolist() == [r.preemptions for r in rows]
    for i, row in enumerate(rows):
        if row.refused:
            assert result.e2e_ns[i] == -1
            continue
        assert result.ttft_ns[i] == row.first // 1000 - requests.arrival_ns[i]
        assert result.e2e_ns[i] == row.done // 1000 - requests.arrival_ns[i]
        assert result.queue_ns[i] == row.queued // 1000
        assert result.network_ns[i] == row.network // 1000
        if row.output > 1:
            assert result.tpot_ns[i] == (row.done - row.first) // (1000 * (row.output - 1))
    assert result.kv_peak_share == max(r.peak for r in pool) / model.blocks <= 1
    if result.span_ns:
        busy = sum(r.busy for r in pool) / 1000 / (replicas * result.span_ns)
        assert abs(result.busy_share - min(busy, 1)) < 1e-9


def test_the_cases_preempt_and_overlap():
    """The property above is worth something only if small caches do run out."""
    model = StepModel(np.full(17, 1000, np.int64), np.zeros(17, np.int64), 1, 0.0, 8, 2, 1)
    service = Service(max_batch=4, chunk_tokens=16, kv_block_tokens=2, kv_watermark=0.0)
    requests = make_requests([0, 0, 0, 2], 3, 9)
    result = simulate(requests, service, replicas=1, model=model)
    assert result.preemptions.sum() > 0
    assert result.served.all()
    rows, _ = simulate_plainly(requests, service, model, 1, make_network_times(), 0)
    assert result.preemptions.tolist() == [r.preemptions for r in rows]


_DIGEST = """
import hashlib, numpy as np
from metaroce.kit.rng import stream
from metaroce.loads.requests import make_requests
from metaroce.model.service import Lognormal, Service
from metaroce.serving.api import simulate
from metaroce.serving.network import make_network_times
random = stream(3, "test")
count = 300
requests = make_requests(np.cumsum(random.exponential(4e7, count)), random.integers(1, 9000, count),
                         random.integers(1, 700, count))
network = make_network_times(random.exponential(1e5, 50), random.exponential(2e5, 70))
service = Service(max_batch=24, memory_share=0.27, rag=Lognormal(mean="40ms", p95="70ms"), {more})
result = simulate(requests, service, replicas=2, network=network, seed=7)
digest = hashlib.sha256()
for name in ("ttft_ns", "tpot_ns", "e2e_ns", "queue_ns", "network_ns", "preemptions", "replica"):
    digest.update(getattr(result, name).tobytes())
print(digest.hexdigest(), int(result.preemptions.sum()))
"""


def _digest(more: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _DIGEST.replace("{more}", more)], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    return done.stdout.strip()


def test_compiled_equals_plain_and_repeats():
    for more in ("", "kv_transfer=True, prefill_share=0.5"):
        compiled = _digest(more)
        assert compiled == _digest(more) == _digest(more, NUMBA_DISABLE_JIT="1")
    assert int(_digest("").split()[1]) > 0  # the cache was small enough to preempt
