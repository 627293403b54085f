"""The serving simulator's verb: `simulate` requests on replicas of a service, with the network's times.

Strategy: all randomness is drawn per request up front (`draws`, `network`), the compiled engine is deterministic.
With `kv_transfer` it runs twice: prefill replicas make first tokens, decode replicas make the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.progress import Progress, silent
from metaroce.loads.requests import RequestTable
from metaroce.model.service import Service
from metaroce.serving.comm import kv_transfer_ns
from metaroce.serving.draws import draw_candidates, draw_lognormal_ns
from metaroce.serving.hardware import find_hardware
from metaroce.serving.network import NO_NETWORK, NetworkTimes, draw_request_ns, step_tape, tape_starts
from metaroce.serving.result import ServiceResult
from metaroce.serving.roofline import StepModel, step_model

_ROUTERS = {"round-robin": 0, "two-choices": 1, "least-loaded": 2}
_FOREVER = 1 << 62  # ps: 53 days, beyond any run
_LONGEST_NS = 40 * 86_400 * 10**9
_SLICE = 200_000  # requests between two reports of progress


def simulate(
    requests: RequestTable,
    service: Service,
    *,
    replicas: int,
    network: NetworkTimes = NO_NETWORK,
    seed: int = 0,
    warmup_ns: int = 0,
    stop_ns: int | None = None,
    model: StepModel | None = None,
    progress: Progress = silent,
) -> ServiceResult:
    """Serve all requests on `replicas` replicas behind the service's router.

    warmup_ns  requests that arrive before this are served but not measured
    stop_ns    the run ends here; what is not done then is `unfinished`. None: serve to the end.
    model      step times, if not `step_model(service)`

    Same arguments, same result to the byte. Raises InputError for no replicas or tables beyond 40 days,
    ScenarioError for a service that does not fit its hardware.
    """
    _check(requests, service, replicas, stop_ns)
    model = model or step_model(service)
    run = _Run(service, model, network, seed, progress)
    count = len(requests)
    rag = draw_lognormal_ns(service.rag, count, seed, "rag")
    after = draw_lognormal_ns(service.serialisation, count, seed, "serialisation")
    horizon = _FOREVER if stop_ns is None else stop_ns * 1000
    if service.kv_transfer:
        served = _serve_apart(run, requests, rag, replicas, horizon)
    else:
        served = _serve_together(run, requests, rag, replicas, horizon)
    return _gather(run, requests, served, rag, after, replicas, warmup_ns, stop_ns)


def unloaded(
    requests: RequestTable, service: Service, *, network: NetworkTimes = NO_NETWORK, seed: int = 0,
    model: StepModel | None = None,
) -> ServiceResult:  # fmt: skip
    """Each request on a replica of its own: the floor that no number of replicas can beat. Same draws as `simulate`."""
    _check(requests, service, 2, None)
    run = _Run(service, model or step_model(service), network, seed, silent, alone=True)
    count = len(requests)
    rag = draw_lognormal_ns(service.rag, count, seed, "rag")
    after = draw_lognormal_ns(service.serialisation, count, seed, "serialisation")
    serve = _serve_apart if service.kv_transfer else _serve_together
    served = serve(run, requests, rag, 2 if service.kv_transfer else 1, _FOREVER)
    return _gather(run, requests, served, rag, after, 1, 0, None)


@dataclass(frozen=True, slots=True)
class _Run:
    service: Service
    model: StepModel
    network: NetworkTimes
    seed: int
    progress: Progress
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Served:
    """Requests in the order of the table; times int64[n] ps, -1 = never. `columns` as `_engine.read_work` lays them."""

    columns: NDArray[np.int64]
    busy_ps: int
    peak_blocks: int


_FIRST, _DONE, _QUEUED, _NETWORK, _REFUSED, _PREEMPTIONS, _REPLICA = range(7)


def _serve_together(
    run: _Run, requests: RequestTable, rag: NDArray[np.int64], replicas: int, horizon: int
) -> _Served:  # fmt: skip
    """Prefill and decode in the same replicas."""
    own = draw_request_ns(run.network, len(requests), run.seed)
    ready = (requests.arrival_ns + rag + own) * 1000
    served = _run_pool(run, ready, requests.input_tokens, requests.output_tokens, replicas, horizon)
    served.columns[_NETWORK] += own * 1000
    return served


def _serve_apart(
    run: _Run, requests: RequestTable, rag: NDArray[np.int64], replicas: int, horizon: int
) -> _Served:  # fmt: skip
    """Prefill replicas first; their KV caches then move to decode replicas.

    Simplified: the blocks of the prefill replica are free when the first token is out, and the transfer starts then
    (no overlap layer by layer).
    """
    prefillers = min(max(round(replicas * run.service.prefill_share), 1), replicas - 1)
    count = len(requests)
    ones = np.ones(count, np.int32)
    ready = (requests.arrival_ns + rag) * 1000
    first = _run_pool(run, ready, requests.input_tokens, ones, prefillers, horizon, "prefill")
    on = np.flatnonzero((first.columns[_DONE] >= 0) & (requests.output_tokens > 1))
    move = draw_request_ns(run.network, count, run.seed)
    if not len(run.network.request_ns):
        move = np.rint(kv_transfer_ns(requests.input_tokens.astype(np.float64), find_hardware(run.service)))
    move = np.asarray(move, np.int64)[on] * 1000
    ready = first.columns[_DONE, on] + move
    inputs, outputs = requests.input_tokens[on], requests.output_tokens[on]
    second = _run_pool(run, ready, inputs, outputs, replicas - prefillers, horizon, "decode", cached=True)
    whole = first.columns
    for row in (_DONE, _REFUSED, _REPLICA):
        whole[row, on] = second.columns[row]
    for row in (_QUEUED, _NETWORK, _PREEMPTIONS):
        whole[row, on] += second.columns[row]
    whole[_NETWORK, on] += move
    return _Served(whole, first.busy_ps + second.busy_ps, max(first.peak_blocks, second.peak_blocks))


def _run_pool(
    run: _Run, ready: NDArray[np.int64], input_tokens: NDArray[np.int32], output_tokens: NDArray[np.int32],
    replicas: int, horizon: int, name: str = "", *, cached: bool = False,
) -> _Served:  # fmt: skip
    """Requests through one set of replicas behind one router."""
    from metaroce.serving import _engine
    from metaroce.serving._state import WORK, new_engine

    order = np.argsort(ready, kind="stable")
    count = int(np.searchsorted(ready, horizon, side="right", sorter=order))
    work = np.zeros(len(ready), WORK).view(np.recarray)
    answer = round(float(output_tokens.mean())) if len(ready) else 0
    _engine.fill_work(work, order, ready, input_tokens, output_tokens, answer, int(cached))
    starts = tape_starts(run.network, replicas, run.seed) + (1 if cached else 0)
    engine = new_engine(*_step(run), work, starts)
    router = _ROUTERS[run.service.router]
    pick = draw_candidates(len(order), replicas, run.seed)[order] if router == 1 else np.zeros((1, 2), np.int32)
    what = f"serving {name}".strip()
    for start in range(0, count, _SLICE):
        run.progress(what, start / count)
        _engine.serve(engine, router, pick, start, min(start + _SLICE, count), run.alone)
    _engine.drain(engine, horizon)
    run.progress(what, 1.0)
    columns = np.empty((7, len(ready)), np.int64)
    _engine.read_work(work, order, columns)
    return _Served(columns, int(engine.replica.busy.sum()), int(engine.replica.peak.max()))


def _step(run: _Run) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """(limits, step times, network tape) for the engine; samples of step times replace the idle fabric's."""
    from metaroce.serving._state import new_step

    service, model, sums = run.service, run.model, step_tape(run.network, run.seed)
    length = len(sums) - 1
    step = new_step(
        kv=model.kv_ps, pair=model.pair_ps, blocks=model.blocks, block=model.block_tokens,
        watermark=int(model.blocks * service.kv_watermark), chunk=service.chunk_tokens, max_batch=service.max_batch,
        max_queue=service.max_queue, tape_mean=float(sums[-1]) / length if length else 0.0,
    )  # fmt: skip
    fabric = np.zeros_like(model.fabric_ps) if length else model.fabric_ps
    return step, np.stack([model.base_ps, fabric]), sums


def _gather(
    run: _Run, requests: RequestTable, served: _Served, rag: NDArray[np.int64], after: NDArray[np.int64],
    replicas: int, warmup_ns: int, stop_ns: int | None,
) -> ServiceResult:  # fmt: skip
    arrival, outputs = requests.arrival_ns, requests.output_tokens
    first, done = served.columns[_FIRST], served.columns[_DONE]
    stop = _FOREVER // 1000 if stop_ns is None else stop_ns
    last = done // 1000 + after
    in_time = (done >= 0) & (last <= stop)
    rejected = served.columns[_REFUSED] > 0
    e2e = last - arrival
    queue, network = served.columns[_QUEUED] // 1000, served.columns[_NETWORK] // 1000
    tpot = (done - first) // (1000 * np.maximum(outputs.astype(np.int64) - 1, 1))
    end = stop_ns if stop_ns is not None else int(last[in_time].max(initial=0))
    return ServiceResult(
        ttft_ns=np.where((first >= 0) & (first // 1000 <= stop), first // 1000 - arrival, -1),
        tpot_ns=np.where(in_time & (outputs > 1), tpot, -1),
        e2e_ns=np.where(in_time, e2e, -1),
        queue_ns=np.where(in_time, queue, -1),
        network_ns=np.where(in_time, network, -1),
        compute_ns=np.where(in_time, e2e - rag - after - queue - network, -1),
        rag_ns=rag, serialisation_ns=after, rejected=rejected, unfinished=~rejected & ~in_time,
        preemptions=served.columns[_PREEMPTIONS].astype(np.int32), replica=served.columns[_REPLICA].astype(np.int32),
        measured=arrival >= warmup_ns, output_tokens=outputs, replicas=replicas, gpus=replicas * run.model.gpus,
        span_ns=end, busy_share=min(served.busy_ps / 1000 / (replicas * end), 1.0) if end else 0.0,
        kv_peak_share=served.peak_blocks / run.model.blocks, kv_blocks=run.model.blocks,
        seed=run.seed, source=requests.source,
    )  # fmt: skip


def _check(requests: RequestTable, service: Service, replicas: int, stop_ns: int | None) -> None:
    if replicas < (2 if service.kv_transfer else 1):
        least = "2 replicas: one to prefill, one to decode" if service.kv_transfer else "1 replica"
        raise InputError(f"{replicas} replicas cannot serve", where="replicas", hint=f"give at least {least}")
    if requests.duration_ns > _LONGEST_NS or (stop_ns or 0) > _LONGEST_NS:
        raise InputError("the requests span more than 40 days", where="requests", hint="simulate a busy window of them")
    if stop_ns is not None and stop_ns <= 0:
        raise InputError(f"the run cannot stop at {stop_ns} ns", where="stop_ns")
