"""Side questions: thinner loads are nested, the plain formula is arithmetic, other networks change the answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaroce.kit.errors import ScenarioError
from metaroce.loads.requests import make_requests
from metaroce.study.alternatives import plain_formula, thin
from metaroce.study.api import Options, study

HERE = Options(folder=Path())


@pytest.fixture(scope="module")
def table():
    return make_requests(np.arange(4000) * 10**7, 100, 10)


def test_a_thinner_load_is_part_of_a_thicker_one(table):
    before: set[int] = set()
    for share in (0.25, 0.5, 0.75, 1.0):
        kept = thin(table, share, 3)
        assert len(kept) == pytest.approx(share * 4000, abs=4 * np.sqrt(4000 * share * (1 - share)) + 1)
        now = set(kept.arrival_ns.tolist())
        assert before <= now
        before = now
    assert len(before) == 4000


def test_hours_are_read_off_the_counts_by_share(result):
    other = result.chain.alternatives
    shares, counts = zip((0.0, 0), *other.by_share, strict=True)
    wanted = np.interp(result.chain.scenario.capacity.day_share_of_peak, shares, counts)
    np.testing.assert_allclose(other.by_hour, wanted)
    assert max(other.by_hour) == result.chain.gpus.value


def test_the_plain_formula_by_hand(small_scenario, result):
    scenario = small_scenario(["capacity.formula.requests_per_day=1000000", "capacity.formula.gpu_seconds=0.5"])
    found = plain_formula(scenario, result.chain.load, result.chain.settled)
    assert found.count.planned == 18
    own = result.chain.alternatives.formula
    day = result.chain.scenario.capacity.day_share_of_peak
    assert own.requests_per_day == pytest.approx(result.chain.load.profile.rps * 3600 * sum(day))
    assert own.count.gpu_hours == pytest.approx(own.requests_per_day * own.gpu_seconds / 3600)


def test_a_slower_network_is_asked_on_our_count_too(small_scenario, result):
    changes = ["capacity.alternative={name: slow, request: {mean: 60ms, p95: 140ms}}"]
    found = study(small_scenario(changes), HERE).chain
    other = found.alternatives.network
    assert other.what == "slow"
    assert other.at_ours_ns > found.settled.bench.point(found.settled.need.replicas).judged[0].value.value
    assert other.gpus is None or other.gpus >= found.gpus.value
    assert result.chain.alternatives.network is None
    if other.gpus is not None and other.gpus > found.gpus.value:
        reasons = [factor.name for one in found.money.account.gains for factor in one.inputs]
        assert any("slow would need on top" in reason for reason in reasons)


def test_a_network_that_no_count_saves_says_so(small_scenario):
    found = study(small_scenario(["capacity.alternative={request: {mean: 500ms, p95: 900ms}}"]), HERE).chain
    assert found.alternatives.network.gpus is None
    assert found.alternatives.network.at_ours_ns > 900e6


def test_no_question_no_answer(small_scenario):
    assert study(small_scenario(["capacity.dephase=0s"]), HERE).chain.alternatives.dephased is None


@pytest.mark.parametrize("hours", ["[]", "[0, 0]"])
def test_a_day_without_load_is_refused_by_its_name(small_scenario, hours):
    with pytest.raises(ScenarioError, match="day_share_of_peak"):
        study(small_scenario([f"capacity.day_share_of_peak={hours}"]), HERE)
