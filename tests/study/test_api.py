"""The study as a whole: same bytes, honest refusals, limits, variations, claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaroce.kit.errors import EXIT_INFEASIBLE, EXIT_INTERRUPTED, InputError, ScenarioError
from metaroce.report.as_json import canonical
from metaroce.study.api import Options, study
from metaroce.study.as_data import as_data
from metaroce.study.claim_rows import CLAIMS
from metaroce.study.claims import compare_claims
from metaroce.study.compare import changed_inputs, comparison
from metaroce.study.executor import Executor
from metaroce.study.limits import within_budget, within_weeks
from metaroce.study.sensitivity import answer_of, levers_of, moved, sensitivity
from metaroce.study.vary import base_of, changed, vary

HERE = Options(folder=Path())


@pytest.fixture(scope="module")
def base(result):
    return base_of(result.chain, Path())


def test_same_scenario_and_seed_give_the_same_bytes_in_one_process_or_two(result, small_scenario):
    once = canonical(as_data(result))
    assert once == canonical(as_data(study(small_scenario(), HERE)))
    assert once == canonical(as_data(study(small_scenario(), Options(folder=Path(), workers=2))))
    assert "NaN" not in once
    assert json.loads(once)["capacity"]["replicas"] == result.chain.settled.need.replicas


def test_another_seed_gives_other_numbers(result, small_scenario):
    other = study(small_scenario(["seed=99"]), HERE)
    assert other.chain.service.judged[0].value.value != result.chain.service.judged[0].value.value


def test_no_count_meets_it_and_the_floor_says_why(small_scenario):
    found = study(small_scenario(["service.slos.0.limit=10ms"]), HERE)
    assert found.exit_status == EXIT_INFEASIBLE
    assert "no count meets TTFT P95 <= 10 ms: the floor is" in found.chain.settled.why_not
    assert found.chain.order is None and found.chain.orders is None and found.chain.money is None
    relaxed = found.chain.settled.relaxed
    limit = relaxed.limits[0][1].limit
    again = study(small_scenario([f"service.slos.0.limit={limit}ns"]), HERE)
    assert again.chain.settled.need.replicas == relaxed.replicas
    assert canonical(as_data(found))


def test_an_unchanged_variation_is_the_base_run(base, result):
    replicas = result.chain.settled.need.replicas
    assert answer_of(vary(base, ()), replicas) == answer_of(result.chain, replicas)
    assert changed(base.scenario, ()) == base.scenario


def test_variations_follow_their_inputs(base, result):
    replicas = result.chain.settled.need.replicas
    more = answer_of(vary(base, ("requests.rate=24/s",)), replicas)
    assert more.gpus > result.chain.gpus.value
    assert more.slo_ms > answer_of(result.chain, replicas).slo_ms
    smaller = vary(base, ("service.llm=llama-3.1-8b", "service.tensor_parallel=1"))
    assert smaller.settled.hardware.gpus == 1  # the hardware of the change, not of the base run
    assert smaller.gpus.value < result.chain.gpus.value
    dearer = vary(base, ("money.prices={h100-sxm: {value: 100000}}",))
    assert dearer.money.purchase_total.value > result.chain.money.purchase_total.value
    assert dearer.settled is base.settled  # links whose inputs did not change are taken over


def test_an_impossible_variation_names_its_assignment(base):
    with pytest.raises(ScenarioError) as caught:
        vary(base, ("requests.rate=-1/s",))
    assert "--set requests.rate=-1/s" in str(caught.value)


def test_sensitivity_moves_every_lever_both_ways(base, small_scenario):
    rows = sensitivity(base, executor=Executor(1))
    assert {row.label for row in rows} == {lever.label for lever in levers_of(base.scenario)}
    rate = next(row for row in rows if row.label == "request rate")
    assert rate.down.gpus <= rate.up.gpus
    assert rate.down.slo_ms < rate.up.slo_ms
    limit = next(row for row in rows if row.label == "limit of TTFT P95")
    assert limit.up.gpus <= (limit.down.gpus if limit.down.gpus is not None else float("inf"))
    assert not [row.fault for row in rows if row.fault]


def test_levers_keep_units(base):
    lever = next(one for one in levers_of(base.scenario) if one.label == "retrieval time")
    assert moved(base.scenario, lever, 1.2) == ("service.rag.mean=12000000ns", "service.rag.p95=24000000ns")


def test_a_budget_buys_the_most_that_it_pays_for(result):
    total = result.chain.money.purchase_total.value
    half = within_budget(result.chain, total / 2)
    assert half.servers < result.chain.order.reserved.ordered
    assert not within_budget(result.chain, 1000.0).serving
    all_of_it = within_budget(result.chain, total * 1.01)
    assert all_of_it.servers == result.chain.order.reserved.ordered
    assert all_of_it.keeps
    assert "$" in half.text


def test_a_date_allows_what_has_arrived(result):
    assert within_weeks(result.chain, 0).serving == 0
    late = within_weeks(result.chain, result.chain.orders.complete_week[2])
    assert late.keeps


def test_comparison_names_what_changed(result, small_scenario):
    other = study(small_scenario(["service.step_overhead=4ms"]), HERE)
    assert changed_inputs(result, other) == [("service.step_overhead", "2ms", "4ms")]
    rows = {(row.link, row.name): row for row in comparison(result, other)}
    assert rows["service", "TPOT P95 [ms]"].after > rows["service", "TPOT P95 [ms]"].before
    assert rows["service", "TPOT P95 [ms]"].change.startswith("+")
    assert rows["requests", "mean rate [1/s]"].change == "same"
    assert {row.link for row in rows.values()} == {
        "requests",
        "fabric",
        "service",
        "capacity",
        "bill",
        "orders",
        "money",
    }


def test_claims_are_measured_or_say_not_built(result, base):
    for preset, claims in CLAIMS.items():
        few = [claim for claim in claims if claim.measure is None or not claim.levers][:4]
        for row in compare_claims(few, result.chain, base, preset, executor=Executor(1)):
            assert row.built or (row.ours is None and "not built" in row.note)
    swing = next(c for c in CLAIMS["jitter-storm"] if "swing" in c.name)
    row = compare_claims([swing], result.chain, base, "jitter-storm", executor=Executor(1))[0]
    assert row.ours == pytest.approx(3 * 1.794)
    assert all(abs(one.value - row.claimed) < abs(row.ours - row.claimed) for one in row.why)


def test_a_kept_chain_survives_an_interruption(small_scenario):
    def stop(what: str, share: float | None = None) -> None:
        if what == "moving the inputs":
            raise KeyboardInterrupt

    found = study(small_scenario(["sensitivity.enabled=true"]), HERE, progress=stop)
    assert found.interrupted
    assert found.exit_status == EXIT_INTERRUPTED
    assert found.chain.money is not None and found.moved == ()


@pytest.mark.parametrize(
    ("changes", "kind", "part"),
    [
        (["fabric.topology.servers=1", "fabric.topology.kind=rail"], ScenarioError, "the fabric holds 1 servers"),
        (["service.kv_transfer=true"], ScenarioError, "kv_transfer"),
        (["fabric.topology={kind: rail, nic_rate: 200G}"], ScenarioError, "NIC links run at 200G"),
        (["requests={kind: trace, path: nowhere.csv}"], InputError, "no such file"),
    ],
)
def test_scenarios_that_cannot_be_run_say_why(small_scenario, changes, kind, part):
    with pytest.raises(kind) as caught:
        study(small_scenario(changes), HERE)
    assert part in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_hall_that_is_too_small_binds(small_scenario):
    found = study(small_scenario(["bill.rack.hall_kw=12"]), HERE)
    assert found.fits and "the hall" in found.fits[0].limit
    assert found.exit_status == (0 if found.fits[0].keeps else EXIT_INFEASIBLE)
