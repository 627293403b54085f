"""Whys are measured: a listed lever is nearer to the claim than ours, nearest first, and nothing else is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.study.claim_rows import CLAIMS
from metaroce.study.claims import CLOSES, NEAREST, Claim, compare_claims
from metaroce.study.executor import Executor
from metaroce.study.preset_files import preset_document
from metaroce.study.vary import base_of, changed, vary

MARGIN = "capacity.reservation.scheduler"


@pytest.fixture(scope="module")
def base(result):
    return base_of(result.chain, Path())


@pytest.fixture
def row_of(monkeypatch, result, base):
    """A claim of `value` on a number that `MARGIN` moves: 3 % x the product of the margins."""

    def row(value: float, *margins: float, pulled: bool = True):
        levers = tuple((f"{margin:g}", (f"{MARGIN}={margin}",)) for margin in margins)
        claim = Claim("swing", value, "%", lambda chain, at: 3 * chain.scenario.capacity.reservation.product, levers)
        monkeypatch.setitem(CLAIMS, "made up", (claim,))
        given = base if pulled else None
        return compare_claims((claim,), result.chain, given, "made up", executor=Executor(1))[0]

    return row


def test_nearest_levers_first_and_at_most_three(row_of):
    """Ours is 3 x 1.794 = 5.38; the claim is 7: margins of 100, 60, 50, 40, 30 % give 8.97, 7.18, 6.73, 6.28, 5.83."""
    row = row_of(7.0, 1.0, 0.6, 0.5, 0.4, 0.3)
    assert row.ours == pytest.approx(5.382)
    assert [one.label for one in row.why] == ["0.6", "0.5", "0.4"]
    assert row.tried == 5
    assert len(row.why) == NEAREST
    assert all(abs(one.value - 7.0) < CLOSES * abs(row.ours - 7.0) for one in row.why)


def test_levers_that_lead_away_or_hardly_move_explain_nothing(row_of):
    assert row_of(7.0, 0.1, 0.201).why == ()
    assert row_of(7.0, 0.1, 0.201).tried == 2


def test_without_pulling_there_is_a_comparison_and_no_why(row_of):
    row = row_of(7.0, 0.6, pulled=False)
    assert (row.tried, row.why) == (0, ())
    assert row.ours == pytest.approx(5.382)


def test_a_lever_that_cannot_be_pulled_is_no_why(row_of):
    assert row_of(7.0, 5.0).why == ()  # a margin of 500 % is refused


@pytest.mark.parametrize("preset", CLAIMS)
def test_every_lever_of_the_presets_is_a_valid_change(preset):
    from metaroce.model.reading import validate
    from metaroce.model.scenario import Scenario

    scenario = validate(Scenario, preset_document(preset))
    for claim in CLAIMS[preset]:
        assert claim.measure is not None or "not built" in claim.note
        for label, assignments in claim.levers:
            assert changed(scenario, assignments) != scenario, (claim.name, label)


def test_the_same_lever_measures_what_a_variation_shows(base, result):
    claim = next(one for one in CLAIMS["sla-tightening"] if one.name == "TTFT P95 over RoCE")
    few = [Claim(claim.name, 1.0, "ms", claim.measure, claim.levers[-1:])]
    row = compare_claims(few, result.chain, base, "sla-tightening", executor=Executor(1))[0]
    chain = vary(base, claim.levers[-1][1])
    own = claim.measure(chain, result.chain.settled.need.replicas)
    for one in row.why:
        assert one.value == own
    assert bool(row.why) == (abs(own - 1.0) < CLOSES * abs(row.ours - 1.0))
