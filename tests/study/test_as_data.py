"""A study as plain numbers: nothing that JSON lacks, one key per link, the same bytes however it was computed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from metaroce.report.as_json import canonical
from metaroce.study.api import Options, study
from metaroce.study.as_data import as_data

LINKS = ("requests", "rounds", "fabric", "service", "capacity", "bill", "orders", "money")
QUESTIONS = ["sensitivity.enabled=true", "requests.duration=1min"]


@pytest.fixture(scope="module")
def asked(small_scenario):
    """With its sensitivity, in two processes."""
    return study(small_scenario(QUESTIONS), Options(folder=Path(), workers=2, budget=3e6, max_weeks=12))


def test_questions_have_the_same_bytes_in_one_process_or_two(asked, small_scenario):
    alone = study(small_scenario(QUESTIONS), Options(folder=Path(), workers=1, budget=3e6, max_weeks=12))
    assert canonical(as_data(alone)) == canonical(as_data(asked))


def numbers(value):
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, float):
        yield value


def test_every_number_is_one_and_every_link_is_there(asked):
    data = json.loads(canonical(as_data(asked)))
    assert all(math.isfinite(number) for number in numbers(data))
    assert all(data[link] for link in LINKS)
    assert len(data["sensitivity"]) > 5
    assert [row["limit"] for row in data["limits"]] == ["a budget of $3,000,000", "12 weeks after the order"]


def test_numbers_are_those_of_the_chain(result):
    data, chain = json.loads(canonical(as_data(result))), result.chain
    assert data["capacity"]["gpus"]["value"] == chain.gpus.value
    assert data["capacity"]["per_seed"] == list(chain.settled.need.per_seed)
    assert data["money"]["purchase_usd"]["value"] == chain.money.purchase_total.value
    assert data["bill"]["reserved"]["ordered"] == chain.order.reserved.ordered
    assert data["service"]["quantiles"]["ttft P95"]["value"] == chain.service.quantiles["ttft", 0.95].value
    assert data["fabric"]["request_us"] == sorted(data["fabric"]["request_us"])
    assert data["exit_status"] == 0


def test_links_that_were_not_reached_are_null(small_scenario):
    found = study(small_scenario(["service.slos.0.limit=10ms"]), Options(folder=Path()))
    data = json.loads(canonical(as_data(found)))
    assert (data["bill"], data["orders"], data["money"]) == (None, None, None)
    assert data["capacity"]["gpus"] is None and data["capacity"]["replicas"] is None
    assert data["why_not"] and data["exit_status"] == 3


def test_the_scenario_in_the_data_gives_the_data_again(result):
    from metaroce.model.reading import Document, validate
    from metaroce.model.scenario import Scenario

    told = as_data(result)["scenario"]
    again = study(validate(Scenario, Document(told, "told")), Options(folder=Path()))
    assert canonical(as_data(again)) == canonical(as_data(result))
