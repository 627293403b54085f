"""A variation answers as a study of the changed scenario would, and takes over only what the change cannot move."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.report.as_json import canonical
from metaroce.study.api import Options, study
from metaroce.study.as_data import links_of
from metaroce.study.vary import base_of, changed, vary

HERE = Options(folder=Path())
WITH_ALTERNATIVE = ["capacity.alternative={name: kernel TCP, request: {mean: 45ms, p95: 100ms}}"]


@pytest.fixture(scope="module")
def base(small_scenario):
    return base_of(study(small_scenario(WITH_ALTERNATIVE), HERE).chain, Path())


def both(base, *assignments: str):
    """(the variation, a whole study of the changed scenario)."""
    return vary(base, assignments), study(changed(base.scenario, assignments), HERE).chain


def test_no_change_is_the_base_run_link_by_link(result):
    again = vary(base_of(result.chain, Path()), ())
    assert canonical(links_of(again)) == canonical(links_of(result.chain))


@pytest.mark.parametrize(
    "assignment",
    [
        "money.compute_years=3",
        "orders.spread_weeks=4",
        "capacity.own=base",
        "capacity.reservation.scheduler=0 %",
        "seed=5",
        "requests.input_tokens.median=700",
    ],
)
def test_a_variation_is_the_study_of_the_changed_scenario(base, assignment):
    varied, whole = both(base, assignment)
    assert varied.settled.need.replicas == whole.settled.need.replicas
    assert varied.order.reserved == whole.order.reserved
    assert varied.money.yearly_total.value == whole.money.yearly_total.value
    assert varied.orders.complete_week == whole.orders.complete_week


def test_only_what_was_assigned_changes(base):
    new = changed(base.scenario, ["service.slos.0.limit=500ms", "orders.paths=7"])
    before, after = base.scenario.model_dump(mode="json"), new.model_dump(mode="json")
    assert new.service.slos[0].limit == 500_000_000
    assert new.orders.paths == 7
    before["service"]["slos"][0]["limit"] = after["service"]["slos"][0]["limit"]
    before["orders"]["paths"] = after["orders"]["paths"]
    assert before == after


def test_links_that_cannot_move_are_the_very_same(base):
    assert vary(base, ("money.mean_power=0.5",)).settled is base.settled
    assert vary(base, ("orders.paths=8",)).load is base.load
    other = vary(base, ("service.step_overhead=3ms",))
    assert other.load is base.load
    assert other.settled.network is base.settled.network
    assert other.settled.bench is not base.settled.bench


@pytest.mark.parametrize("assignment", ["requests.rate=24/s", "service.gpu=h200"])
def test_side_answers_and_the_account_follow_the_change(base, assignment):
    varied, whole = both(base, assignment)
    assert varied.alternatives == whole.alternatives
    assert varied.money.account.gain.value == pytest.approx(whole.money.account.gain.value)


def test_a_limit_on_the_count_is_searched_again(base):
    varied, whole = both(base, "capacity.max_replicas=3")
    assert varied.settled.need.replicas == whole.settled.need.replicas
