"""The links of the chain hold together: each number follows from the one before."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from metaroce.serving.formula import plain_count
from metaroce.study.api import Options, study
from metaroce.study.capacity import pooled


def test_the_count_keeps_the_promises_and_one_less_does_not(result):
    need, bench = result.chain.settled.need, result.chain.settled.bench
    assert bench.point(need.replicas).met
    assert need.replicas == 1 or not bench.point(need.replicas - 1).met
    assert result.exit_status == 0
    for judged in bench.point(need.replicas).judged:
        assert judged.floor_ns <= judged.value.value <= judged.slo.limit
        assert judged.value.low <= judged.value.value <= judged.value.high


def test_more_replicas_are_never_slower_on_the_curve(result):
    curve = result.chain.settled.need.curve
    values = [point.judged[0].value.value for point in curve]
    assert all(later <= earlier * 1.03 for earlier, later in itertools.pairwise(values))


def test_the_circle_rests_where_the_count_repeats(result):
    rounds = result.chain.settled.rounds
    assert 1 <= len(rounds) <= 5
    assert result.chain.settled.settled
    assert rounds[-1].replicas == result.chain.settled.need.replicas


def test_a_request_waits_for_the_slowest_of_its_transfers(result):
    network = result.chain.settled.network
    assert not network.idle
    for window in network.windows:
        figures = window.figures
        assert figures["request P50"].value > figures["transfer P50"].value
        assert figures["request max"].value == pytest.approx(figures["transfer max"].value)
        assert figures["unfinished"].value == 0
        assert figures["drops"].value == 0


def test_the_network_times_of_the_fabric_reach_the_service(result):
    chain = result.chain
    runs = chain.settled.bench.runs(chain.settled.need.replicas)
    worst = max(chain.settled.network.request_us)
    assert 0 < pooled(runs, "network", 0.5) / 1e3 <= worst * 1.001


def test_incast_of_23_transfers_serialises_on_the_port(small_scenario):
    """23 x 64 KB into one 400G port take 29.4 us, 23 x 4 KB 1.9 us."""
    for size, at_least, at_most in (("64KB", 29.4, 40.0), ("4KB", 1.84, 8.0)):
        changed = small_scenario([f"fabric.transfers.smallest={size}", f"fabric.transfers.largest={size}"])
        figures = study(changed, Options(folder=Path())).chain.settled.network.windows[-1].figures
        assert at_least < figures["request P50"].value < at_most


def test_margins_are_on_the_replicas_and_spares_on_top(result):
    reserved = result.chain.order.reserved
    assert reserved.product == pytest.approx(1.2 * 1.15 * 1.3)
    assert reserved.reserved == math.ceil(reserved.replicas * reserved.product)
    assert (reserved.needed, reserved.servers) == (reserved.replicas, reserved.reserved)  # a replica is a server here
    assert reserved.ordered == reserved.servers + reserved.spare
    assert result.chain.order.bill.gpus == reserved.ordered * 8


def test_ready_gpus_never_exceed_the_order_and_never_fall(result):
    ready = result.chain.orders.ready
    for column in ("p10", "p50", "p90"):
        values = ready[column].to_numpy()
        assert values.max() <= result.chain.order.bill.gpus
        assert (np.diff(values) >= 0).all()
    assert (ready["p10"] <= ready["p90"]).all()
    low, middle, high = result.chain.orders.complete_week
    assert low <= middle <= high


def test_the_account_adds_up(result):
    account = result.chain.money.account
    assert account.gain.value == pytest.approx(sum(one.value for one in account.gains))
    assert account.cost.value == pytest.approx(sum(one.value for one in account.costs))
    assert account.net.value == pytest.approx(account.gain.value - account.cost.value)
    for one in (*account.gains, *account.costs, account.net):
        assert one.low <= one.value <= one.high


def test_part_load_needs_no_more_than_full_load(result):
    counts = [gpus for _, gpus in result.chain.alternatives.by_share]
    assert counts == sorted(counts)
    assert counts[-1] == result.chain.gpus.value
    assert result.chain.alternatives.dephased.replicas <= result.chain.settled.need.replicas
    assert len(result.chain.alternatives.by_hour) == 24


def test_the_plain_formula_is_the_reports_arithmetic():
    count = plain_count(requests_per_day=1_000_000, gpu_seconds=0.5)
    assert (round(count.gpu_hours), count.mean, count.planned) == (139, 7, 18)


def test_owning_the_base_orders_less_and_rents_the_rest(small_scenario):
    base = study(small_scenario(["capacity.own=base", "requests.rate=60/s"]), Options(folder=Path())).chain
    peak = study(small_scenario(["requests.rate=60/s"]), Options(folder=Path())).chain
    assert base.order.bill.gpus <= peak.order.bill.gpus
    if base.order.reserved.replicas < peak.order.reserved.replicas:
        assert any(line.name == "rented burst" for line in base.money.account.costs)
