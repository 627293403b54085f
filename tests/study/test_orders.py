"""Deliveries against hand computation on chains without dice, and bounds on chains with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaroce.study.api import Options, study
from metaroce.study.orders import place_orders

LEAD, DELAY = 6, 2
CHAIN = (
    "{{tiers: [{{name: maker, lead_time_weeks: {lead}, order_delay_weeks: {delay}, "
    "ordering: {{policy: pass_through, safety_factor: 0}}}}], base_demand: 0}}"
)
QUICK = CHAIN.format(lead=LEAD, delay=DELAY)
SLOW = CHAIN.format(lead=LEAD + 5, delay=DELAY)


@pytest.fixture(scope="module")
def orders_of(result, small_scenario):
    """Orders of the small study's bill with other chains."""

    def orders(*changes: str):
        return place_orders(small_scenario(changes), result.chain.order, result.chain.settled.hardware)

    return orders


def test_one_tier_without_dice_by_hand(orders_of, result):
    """Two weeks of paper and six of work: all there in week 8. Wanted in week 3, so five weeks short."""
    found = orders_of(f"orders.servers={QUICK}", f"orders.switches={QUICK}", "orders.wanted_in_weeks=3")
    need, bill = found.need_gpus, result.chain.order.bill.gpus
    assert need == result.chain.order.reserved.needed * 8
    assert found.complete_week == (8, 8, 8)
    assert found.ready["p50"].to_list()[:10] == [0.0] * 8 + [bill] * 2
    assert found.gap_gpu_weeks.value == 5 * need
    assert found.gap_gpu_weeks.low == found.gap_gpu_weeks.high == 5 * need


def test_servers_without_switches_are_not_ready(orders_of):
    late_switches = orders_of(f"orders.servers={QUICK}", f"orders.switches={SLOW}")
    late_servers = orders_of(f"orders.servers={SLOW}", f"orders.switches={QUICK}")
    assert late_switches.complete_week == late_servers.complete_week == (13, 13, 13)
    assert late_switches.gap_gpu_weeks.value == 3 * late_switches.need_gpus  # wanted in week 10


def test_an_order_in_parts_arrives_in_parts(orders_of, result):
    found = orders_of(f"orders.servers={QUICK}", f"orders.switches={QUICK}", "orders.spread_weeks=2")
    servers = result.chain.order.bill.servers
    assert found.ready["p50"].to_list()[7:10] == [0, servers // 2 * 8, servers * 8]


def test_the_week_of_the_order_moves_nothing_counted_from_it(orders_of):
    early, late = (
        orders_of(f"orders.servers={QUICK}", f"orders.switches={QUICK}", f"orders.order_week={week}")
        for week in (0, 20)
    )
    assert early.complete_week == late.complete_week
    assert early.gap_gpu_weeks == late.gap_gpu_weeks


def test_what_never_arrives_says_so(orders_of):
    never = orders_of(f"orders.servers={CHAIN.format(lead=500, delay=0)}")
    assert never.complete_week == (None, None, None)
    assert never.ready["p90"].max() == 0
    assert never.gap_gpu_weeks.value == never.need_gpus * (len(never.ready) - 10)


def test_no_market_delivers_more_than_was_ordered(result):
    bill, orders = result.chain.order.bill, result.chain.orders
    assert {one.name: one.units for one in orders.products} == {
        "servers": bill.servers,
        "switches": bill.quantity("switch"),
    }
    assert orders.ready["p90"].max() <= bill.gpus
    assert (np.mod(orders.ready["p10"].to_numpy(), 1) == 0).all()


def test_a_later_wish_is_never_shorter_of_gpus(small_scenario):
    gaps = [
        study(small_scenario([f"orders.wanted_in_weeks={weeks}"]), Options(folder=Path())).chain.orders.gap_gpu_weeks
        for weeks in (2, 12)
    ]
    assert gaps[0].value >= gaps[1].value
    assert all(gap.low <= gap.value <= gap.high for gap in gaps)
