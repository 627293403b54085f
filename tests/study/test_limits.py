"""Limits are exact: what fits is paid for, and one server more is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.cost.owning import capex
from metaroce.cost.prices import price_book
from metaroce.kit.errors import EXIT_OK
from metaroce.study.api import Options, study
from metaroce.study.hardware import lines_for
from metaroce.study.limits import within_budget, within_hall, within_weeks


@pytest.fixture(scope="module")
def bill_of(result):
    chain = result.chain

    def bill(servers: int) -> float:
        lines = lines_for(chain.scenario, chain.settled.hardware, servers)
        return sum(line.value for line in capex(lines, price_book(chain.scenario.money)))

    return bill


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.999])
def test_the_bill_is_within_the_budget_and_one_server_more_is_not(result, bill_of, share):
    budget = share * result.chain.money.purchase_total.value
    fit = within_budget(result.chain, budget)
    assert bill_of(fit.servers) <= budget < bill_of(fit.servers + 1)


def test_the_bill_of_the_order_is_the_purchase(result, bill_of):
    ordered = result.chain.order.reserved.ordered
    assert bill_of(ordered) == pytest.approx(result.chain.money.purchase_total.value)
    assert within_budget(result.chain, bill_of(ordered) * (1 + 1e-12)).servers == ordered


def test_each_server_costs_something(result, bill_of):
    bills = [bill_of(servers) for servers in range(1, result.chain.order.reserved.ordered + 1)]
    assert bills == sorted(bills)  # or the search for the largest fleet would be wrong


def test_less_money_never_serves_better(result):
    total = result.chain.money.purchase_total.value
    fits = [within_budget(result.chain, share * total) for share in (0.05, 0.15, 0.3, 0.6, 1.0)]
    assert [fit.serving for fit in fits] == sorted(fit.serving for fit in fits)
    keeps = [fit.keeps for fit in fits]
    assert keeps == sorted(keeps)
    for fit in fits:
        assert fit.keeps == bool(fit.judged and all(one.met for one in fit.judged))
        assert fit.gpus == fit.servers * 8


def test_margins_give_way_before_the_objectives(result):
    """Servers for the replicas and the spares are enough; what the margins add may be missing."""
    reserved = result.chain.order.reserved
    need = reserved.needed + reserved.spare
    lines = lines_for(result.chain.scenario, result.chain.settled.hardware, need)
    price = sum(line.value for line in capex(lines, price_book(result.chain.scenario.money)))
    assert within_budget(result.chain, price * (1 + 1e-12)).keeps
    assert not within_budget(result.chain, price * (1 - 1e-9)).keeps


def test_a_date_counts_nine_markets_of_ten(result):
    chain = result.chain
    for weeks in range(0, 30, 3):
        assert within_weeks(chain, weeks).gpus == chain.orders.ready["p10"][weeks]
    assert within_weeks(chain, 10_000).gpus == chain.orders.ready["p10"][-1]


def test_a_hall_without_walls_limits_nothing(result):
    assert within_hall(result.chain) is None


def test_a_base_with_a_rented_burst_keeps_its_promises(small_scenario):
    options = Options(folder=Path(), budget=1e12)
    found = study(small_scenario(["capacity.own=base", "requests.rate=60/s"]), options)
    assert found.chain.order.reserved.replicas < found.chain.settled.need.replicas
    assert found.exit_status == EXIT_OK
