"""Before | after | change: signs, shares, and what is missing on one side."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.study.api import Options, study
from metaroce.study.compare import Row, changed_inputs, comparison, report_of_comparison


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (100.0, 112.0, "+12 (+12.0%)"),
        (100.0, 95.5, "-4.5 (-4.5%)"),
        (0.0, 7.0, "+7"),
        (3.0, 3.0, "same"),
        (None, 3.0, "-"),
        (3.0, None, "-"),
        (2_000_000.0, 1_000_000.0, "-1,000,000 (-50.0%)"),
    ],
)
def test_change(before, after, text):
    assert Row("l", "n", "", before, after).change == text


def test_a_loss_that_shrinks_has_one_sign():
    assert Row("money", "net a year [USD]", "USD", -10.0, -5.0).change == "+5 (+50.0%)"


def test_a_study_against_itself_is_the_same_all_along(result):
    assert changed_inputs(result, result) == []
    rows = comparison(result, result)
    assert {row.change for row in rows} == {"same"}
    assert len({(row.link, row.name) for row in rows}) == len(rows)


def test_a_study_that_found_nothing_leaves_its_links_out(result, small_scenario):
    none = study(small_scenario(["service.slos.0.limit=10ms"]), Options(folder=Path()))
    for before, after in ((result, none), (none, result)):
        rows = {row.name: row for row in comparison(before, after)}
        assert rows["GPUs needed"].change == "-"
        assert rows["purchase [USD]"].change == "-"
        assert rows["mean rate [1/s]"].change == "same"
        assert report_of_comparison(before, after).sections


def test_rows_are_the_numbers_of_the_studies(result):
    rows = {row.name: row.before for row in comparison(result, result)}
    chain = result.chain
    assert rows["GPUs needed"] == chain.gpus.value
    assert rows["GPUs ordered"] == chain.order.bill.gpus
    assert rows["net a year [USD]"] == chain.money.account.net.value
    assert rows["TTFT P95 [ms]"] == pytest.approx(chain.service.judged[0].value.value / 1e6)
