"""Which inputs move the answer most: each moved down and up alone, the chain re-run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from metaroce.kit.errors import RoceError
from metaroce.kit.progress import Progress, silent
from metaroce.model.requests import GeneratedRequests, LognormalTokens
from metaroce.model.scenario import Scenario
from metaroce.study.chain import Chain
from metaroce.study.executor import Executor
from metaroce.study.vary import Base, vary

UNITS = {"time": "ns", "size": "B", "count": ""}


@dataclass(frozen=True, slots=True)
class Lever:
    """One input: the keys that move together, and what else must be set for the move to be possible."""

    label: str
    keys: tuple[tuple[str, str], ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run answers, as far as it got.

    gpus     the objectives need (None = no count meets them)
    ordered  GPUs on the bill
    yearly   USD a year of owning
    slo_ms   first objective's metric at the base run's count
    """

    gpus: int | None
    ordered: int | None
    yearly: float | None
    slo_ms: float


@dataclass(frozen=True, slots=True)
class Moved:
    """One lever and the answers at its two ends; `fault` says why an end could not be run."""

    label: str
    down: Answer | None
    up: Answer | None
    fault: str = ""


def answer_of(chain: Chain, replicas: int) -> Answer:
    """The answer of a chain; the objective is read at `replicas`, so that answers compare."""
    bench = chain.settled.bench
    slo = bench.point(max(replicas, bench.fewest)).judged[0] if chain.scenario.service.slos else None
    return Answer(
        int(chain.gpus.value) if chain.is_feasible else None,
        chain.order.bill.gpus if chain.order else None,
        chain.money.yearly_total.value if chain.money else None,
        slo.value.value / 1e6 if slo else float("nan"),
    )


def levers_of(scenario: Scenario) -> tuple[Lever, ...]:
    """The inputs of this scenario that can be moved."""
    return tuple(_levers(scenario))


def sensitivity(base: Base, *, executor: Executor, progress: Progress = silent) -> tuple[Moved, ...]:
    """All levers, widest first by GPUs, then by money, then by the objective."""
    step = base.scenario.sensitivity.step
    levers = levers_of(base.scenario)
    tasks = [(base, moved(base.scenario, lever, factor)) for lever in levers for factor in (1 - step, 1 + step)]
    outcomes = executor.map(_run, tasks, what="moving the inputs", progress=progress)
    rows = [
        Moved(lever.label, _good(down), _good(up), next((one for one in (down, up) if isinstance(one, str)), ""))
        for lever, down, up in zip(levers, outcomes[::2], outcomes[1::2], strict=True)
    ]
    return tuple(sorted(rows, key=_width, reverse=True))


def moved(scenario: Scenario, lever: Lever, factor: float) -> tuple[str, ...]:
    """`key=value` texts that multiply the lever's inputs by `factor`."""
    texts = list(lever.also)
    for key, kind in lever.keys:
        value = _value_at(scenario, key) * factor
        text = f"{value:.9g}" if kind == "plain" else f"{max(1, round(value))}{UNITS[kind]}"
        texts.append(f"{key}={text}")
    return tuple(texts)


def _run(task: tuple[Base, Sequence[str]]) -> Answer | str:
    base, assignments = task
    try:
        return answer_of(vary(base, assignments, beside=False), base.settled.need.replicas or 1)
    except RoceError as error:
        return error.what


def _good(outcome: Answer | str) -> Answer | None:
    return outcome if isinstance(outcome, Answer) else None


def _width(row: Moved) -> tuple[float, float, float]:
    def spread(name: str) -> float:
        values = [getattr(end, name) for end in (row.down, row.up) if end is not None]
        if any(value is None for value in values):
            return float("inf")
        return max(values) - min(values) if len(values) == 2 else 0.0

    return spread("gpus"), spread("yearly"), spread("slo_ms")


def _levers(scenario: Scenario) -> Iterator[Lever]:
    requests, service = scenario.requests, scenario.service
    if isinstance(requests, GeneratedRequests):
        yield Lever("request rate", (("requests.rate", "plain"),))
        if requests.burst:
            yield Lever("width of the burst", (("requests.burst.window", "time"),), ("requests.burst.peak=null",))
        for name, field in (("prompt length", "input_tokens"), ("answer length", "output_tokens")):
            if isinstance(getattr(requests, field), LognormalTokens):
                yield Lever(name, tuple((f"requests.{field}.{part}", "count") for part in ("median", "p95", "max")))
    for position, slo in enumerate(service.slos):
        yield Lever(
            f"limit of {slo.metric.upper()} P{slo.quantile * 100:g}", ((f"service.slos.{position}.limit", "time"),)
        )
    if service.rag.mean:
        yield Lever("retrieval time", (("service.rag.mean", "time"), ("service.rag.p95", "time")))
    yield Lever("engine overhead per step", (("service.step_overhead", "time"),))
    yield Lever("prefill tokens per step", (("service.chunk_tokens", "count"),))
    if scenario.fabric.transfers.kind == "given":
        yield Lever("size of a transfer", tuple((f"fabric.transfers.{end}", "size") for end in ("smallest", "largest")))
    if scenario.fabric.background.load:
        yield Lever("background load of the fabric", (("fabric.background.load", "plain"),))
    reservation = ("scheduler", "device_plugin", "nic_driver")
    yield Lever("reservation margins", tuple((f"capacity.reservation.{name}", "plain") for name in reservation))
    yield Lever("years a server is used", (("money.compute_years", "plain"),))


def _value_at(scenario: Scenario, key: str) -> float:
    value: Any = scenario
    for part in key.split("."):
        value = value[int(part)] if part.isdigit() else getattr(value, part)
    return value
