"""Levers move what they say, the widest first, and in the direction that an engineer expects."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from metaroce.study.executor import Executor
from metaroce.study.sensitivity import answer_of, levers_of, moved, sensitivity
from metaroce.study.vary import base_of, changed, vary


@pytest.fixture(scope="module")
def base(result):
    return base_of(result.chain, Path())


@pytest.fixture(scope="module")
def rows(base):
    return sensitivity(base, executor=Executor(1))


def test_rows_are_sorted_by_their_width(rows):
    def width(row):
        ends = [(end.gpus, end.yearly) for end in (row.down, row.up)]
        if any(gpus is None for gpus, _ in ends):
            return math.inf, math.inf
        return abs(ends[0][0] - ends[1][0]), abs(ends[0][1] - ends[1][1])

    widths = [width(row)[0] for row in rows]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    ("label", "slower_when"),
    [
        ("request rate", "up"),
        ("prompt length", "up"),
        ("retrieval time", "up"),
        ("width of the burst", "down"),
    ],
)
def test_latency_moves_the_way_it_must(rows, label, slower_when):
    row = next(one for one in rows if one.label == label)
    slow, fast = (row.up, row.down) if slower_when == "up" else (row.down, row.up)
    assert slow.slo_ms > fast.slo_ms
    assert slow.gpus is None or (fast.gpus is not None and slow.gpus >= fast.gpus)


def test_what_only_money_moves_leaves_the_service_alone(rows, base, result):
    here = answer_of(result.chain, result.chain.settled.need.replicas)
    years = next(row for row in rows if row.label == "years a server is used")
    assert (years.down.gpus, years.down.slo_ms) == (years.up.gpus, years.up.slo_ms) == (here.gpus, here.slo_ms)
    assert years.down.yearly > here.yearly > years.up.yearly
    margins = next(row for row in rows if row.label == "reservation margins")
    assert margins.down.ordered <= here.ordered <= margins.up.ordered
    assert margins.down.gpus == margins.up.gpus == here.gpus


def test_a_row_is_the_variation_of_its_texts(rows, base, result):
    lever = next(one for one in levers_of(base.scenario) if one.label == "engine overhead per step")
    row = next(one for one in rows if one.label == lever.label)
    again = vary(base, moved(base.scenario, lever, 1.2))
    assert row.up == answer_of(again, result.chain.settled.need.replicas)


@pytest.mark.parametrize("factor", [0.8, 1.2])
def test_every_lever_multiplies_its_own_inputs_and_nothing_else(base, factor):
    def flat(value, path=""):
        if isinstance(value, dict):
            return {k: v for key, part in value.items() for k, v in flat(part, f"{path}.{key}".strip(".")).items()}
        if isinstance(value, list):
            return {k: v for at, part in enumerate(value) for k, v in flat(part, f"{path}.{at}").items()}
        return {path: value}

    for lever in levers_of(base.scenario):
        start = changed(base.scenario, lever.also)
        new = changed(base.scenario, moved(base.scenario, lever, factor))
        before, after = (flat(one.model_dump(mode="json")) for one in (start, new))
        differ = {key for key in before if before[key] != after.get(key)}
        assert differ == {key for key, _ in lever.keys}, lever.label


def test_a_lever_that_cannot_be_moved_says_why(small_scenario, result):
    chain = result.chain
    base = base_of(chain, Path())
    wild = small_scenario(["sensitivity.step=0.99", "service.rag={mean: 10ms, p95: 10ms}"])
    found = sensitivity(type(base)(wild, Path(), base.load, base.settled, base.alternatives), executor=Executor(1))
    assert len(found) == len(levers_of(wild))
    for row in found:
        assert row.fault or (row.down is not None and row.up is not None)
