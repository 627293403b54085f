"""The account from its parts: sums, shares of the owning lines, prices that scale, counts of single seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaroce.kit.units import HOURS_PER_YEAR
from metaroce.study.api import Options, study
from metaroce.study.measured import Measured
from metaroce.study.money import Avoided, count_money, owned_gpus

HERE = Options(folder=Path())
NONE = Measured.exact(0.0, "GPU-weeks")


@pytest.fixture(scope="module")
def money_of(result, small_scenario):
    """Money of the small study's order under changed prices, with a given gap and alternatives."""
    chain = result.chain
    order, hardware = chain.order, chain.settled.hardware

    def money(*changes: str, gap: Measured = NONE, avoided: tuple[Avoided, ...] = (), hours=None):
        scenario = small_scenario(changes)
        hours = chain.alternatives.by_hour if hours is None else hours
        split = owned_gpus(scenario, hardware, order, hours)
        return count_money(
            scenario, hardware, order, split, gap_gpu_weeks=gap, avoided=avoided, gpus_by_hour=hours,
            seed_counts=chain.settled.need.per_seed,
        )  # fmt: skip

    return money


def named(entries, part: str):
    return next(one for one in entries if part in one.name)


def test_totals_are_the_sums_of_their_lines(money_of):
    money = money_of()
    assert money.purchase_total.value == pytest.approx(sum(line.value for line in money.purchase))
    assert money.yearly_total.value == pytest.approx(sum(line.value for line in money.yearly))
    assert money.purchase_total.low <= money.purchase_total.value <= money.purchase_total.high


def test_an_hour_of_a_gpu_is_a_year_over_its_hours(money_of, result):
    money = money_of()
    assert money.gpu_hour.value * result.chain.order.bill.gpus * HOURS_PER_YEAR == pytest.approx(
        money.yearly_total.value
    )


def test_need_margins_and_spares_are_all_that_is_owned(money_of):
    money = money_of()
    parts = ("owning what the objectives need", "spare servers", "reservation margins")
    costs = [named(money.account.costs, part).value for part in parts]
    assert sum(costs) == pytest.approx(money.yearly_total.value)


def test_the_same_load_rented_by_hand(money_of, result):
    """Mean GPUs of the day x 8,760 h x the price of a rented hour."""
    money = money_of()
    mean = np.mean(result.chain.alternatives.by_hour)
    gain = named(money.account.gains, "rented by the hour").value
    assert gain == pytest.approx(mean * HOURS_PER_YEAR * money.rent_hour.value)


def test_weeks_without_gpus_cost_their_rent(money_of):
    gap = Measured(100.0, 80.0, 150.0, "GPU-weeks")
    money = money_of(gap=gap)
    more = money.account.cost.value - money_of().account.cost.value
    assert more == pytest.approx(100 * 168 * money.rent_hour.value, rel=0.01)


def test_gpus_not_needed_gain_their_part_of_owning(money_of, result):
    other = Avoided("GPUs that another network would need on top", Measured.exact(16, "GPUs"))
    gain = money_of(avoided=(other,)).account.gain.value - money_of().account.gain.value
    assert gain == pytest.approx(money_of().yearly_total.value * 16 / result.chain.order.bill.gpus)


def test_hours_above_what_is_owned_are_rented(money_of, result):
    needed = result.chain.order.reserved.needed * 8
    money = money_of(hours=[0.0] * 23 + [needed + 24.0])
    burst = named(money.account.costs, "burst").value
    assert burst == pytest.approx(HOURS_PER_YEAR * money.rent_hour.value)  # 24 GPUs in one hour of 24


def test_twice_the_price_is_twice_the_price(money_of):
    """The server of the bill at 200,000 and at 400,000 USD."""
    one, two = (money_of(f"money.prices={{dgx-h100: {{value: {usd}}}}}") for usd in (200_000, 400_000))
    first, second = (next(line.value for line in m.purchase if "dgx-h100" in line.formula) for m in (one, two))
    assert second == pytest.approx(2 * first)
    assert second - first == pytest.approx(two.purchase_total.value - one.purchase_total.value)


def test_longer_use_costs_less_a_year(money_of):
    costs = [money_of(f"money.compute_years={years}").yearly_total.value for years in (3, 4, 6)]
    assert costs == sorted(costs, reverse=True)


def test_the_purchase_over_seeds_holds_the_purchase(money_of, result):
    found = money_of().purchase_by_seed
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx(result.chain.money.purchase_total.value)


ASKS_MORE = ["requests.rate=20/s"]  # nine replicas by both seeds together, ten by the second alone


def test_a_seed_that_asks_for_more_than_a_fixed_fabric_holds_is_no_error(small_scenario):
    grown = study(small_scenario(ASKS_MORE), HERE).chain
    assert max(grown.settled.need.per_seed) > grown.settled.need.replicas
    servers = grown.order.reserved.ordered
    fixed = study(small_scenario([*ASKS_MORE, f"fabric.topology={{kind: rail, servers: {servers}}}"]), HERE)
    assert fixed.exit_status == 0


def test_a_base_of_prefill_and_decode_is_two_replicas(small_scenario):
    changes = ["capacity.own=base", "service.kv_transfer=true", "fabric.transfers={kind: model}"]
    chain = study(small_scenario([*changes, "service.slos.0.limit=2s"]), HERE).chain
    assert chain.order.reserved.replicas >= chain.settled.bench.fewest
