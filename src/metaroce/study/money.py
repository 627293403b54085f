"""Link 7: what owning costs, what to own and what to rent, and the two-column account of gain and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from metaroce.cost.account import Account, account
from metaroce.cost.base_burst import BaseBurst, base_burst
from metaroce.cost.jitter import jitter_cost
from metaroce.cost.lines import Factor, Line, amount, merged
from metaroce.cost.owning import avoided_gpus, capex, owned_gpu_hour, owning_per_year
from metaroce.cost.prices import PriceBook, price_book, rental_name
from metaroce.cost.renting import rented_burst, shortage
from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import HOURS_PER_YEAR
from metaroce.model.scenario import Scenario
from metaroce.serving.hardware import Hardware
from metaroce.study.hardware import HardwareOrder, plan_order
from metaroce.study.measured import Measured


@dataclass(frozen=True, slots=True)
class MoneyResult:
    """Money, USD.

    purchase      lines of the bill at their prices, and their sum
    yearly        lines of a year of owning
    purchase_by_seed  at the most likely prices, for the counts that single seeds ask for
    gpu_hour      one owned GPU-hour
    rent_hour     one rented GPU-hour
    split         what to own and what to rent over a working day
    account       technical gain | cost | net, per year
    """

    purchase: tuple[Line, ...]
    purchase_total: Line
    yearly: tuple[Line, ...]
    yearly_total: Line
    purchase_by_seed: Measured
    gpu_hour: Line
    rent_hour: Factor
    split: BaseBurst
    account: Account


@dataclass(frozen=True, slots=True)
class Avoided:
    """GPUs that an alternative would have needed on top of ours: (what, how many, interval)."""

    what: str
    gpus: Measured


def owned_gpus(
    scenario: Scenario, hardware: Hardware, order: HardwareOrder, gpus_by_hour: Sequence[float]
) -> BaseBurst:
    """What to own and what to rent over a working day, at what `order` costs per GPU-hour that is needed.

    gpus_by_hour  float[24] GPUs that each hour of a working day needs
    """
    money, book = scenario.money, price_book(scenario.money)
    needed = order.reserved.needed * hardware.server.gpus  # margins and spares are paid for by these
    hour = owned_gpu_hour(owning_per_year(order.lines, money, book), needed)
    rent = book.factor(rental_name(money, order.bill.lines[0].name), "GPU-hour")
    return base_burst(gpus_by_hour, hour.value, rent.value, step=hardware.server.gpus)


def count_money(
    scenario: Scenario, hardware: Hardware, order: HardwareOrder, split: BaseBurst, *,
    gap_gpu_weeks: Measured, avoided: Sequence[Avoided], gpus_by_hour: Sequence[float], seed_counts: Sequence[int],
) -> MoneyResult:  # fmt: skip
    """Price the order and close the account.

    split          of the load between owned and rented GPUs, for the reader
    gap_gpu_weeks  GPU-weeks between need and delivery
    seed_counts    replicas that each seed alone would ask for, () when the order does not follow them
    """
    money, book = scenario.money, price_book(scenario.money)
    gpu = order.bill.lines[0].name
    purchase = capex(order.lines, book)
    yearly = owning_per_year(order.lines, money, book)
    hour = owned_gpu_hour(yearly, order.bill.gpus)
    rent = book.factor(rental_name(money, gpu), "GPU-hour")
    gains, costs = _columns(scenario, hardware, order, yearly, book, gap_gpu_weeks, avoided, gpus_by_hour)
    return MoneyResult(
        purchase, merged(purchase, name="purchase", formula="sum of the bill at its prices"),
        yearly, merged(yearly, name="owning, per year", formula="capital, upkeep, power, place and people of one year"),
        _purchase_by_seed(scenario, hardware, sum(line.value for line in purchase), seed_counts, book),
        hour, rent, split, account(gains, costs, money, seed=scenario.seed),
    )  # fmt: skip


def _purchase_by_seed(
    scenario: Scenario, hardware: Hardware, value: float, counts: Sequence[int], book: PriceBook
) -> Measured:
    """What the smallest and the largest count of a seed would cost to buy."""
    ends = [value]
    for replicas in sorted({min(counts), max(counts)}) if counts else ():
        try:
            lines = plan_order(scenario, hardware, replicas).lines
        except ScenarioError:  # a count that the given fabric cannot hold is not for sale
            continue
        ends.append(sum(line.value for line in capex(lines, book)))
    return Measured.extent(ends, "USD", value=value)


def _columns(
    scenario: Scenario, hardware: Hardware, order: HardwareOrder, yearly: tuple[Line, ...], book: PriceBook,
    gap: Measured, avoided: Sequence[Avoided], gpus_by_hour: Sequence[float],
) -> tuple[list[Line], list[Line]]:  # fmt: skip
    """Gains: what the same load would cost otherwise. Costs: what it costs this way."""
    money, gpus, reserved = scenario.money, order.bill.gpus, order.reserved
    gpu, per_server = order.bill.lines[0].name, hardware.server.gpus
    needed = reserved.needed * per_server
    mean = sum(gpus_by_hour) / len(gpus_by_hour)
    burst = sum(max(0.0, hour - needed) for hour in gpus_by_hour) / len(gpus_by_hour)
    rented = replace(
        rented_burst(mean * HOURS_PER_YEAR, gpu, money, book), name="the same load rented by the hour", kind="capacity"
    )
    gains = [rented, *(
        avoided_gpus(yearly, gpus, amount(one.what, one.gpus.value, one.gpus.low, one.gpus.high, unit="GPUs"))
        for one in avoided
    )]  # fmt: skip
    low, high = max(0.0, min(gap.low, gap.value)), max(gap.high, gap.value)
    weeks = amount("GPU-weeks short", gap.value, low, high, unit="GPU-weeks")
    costs = [
        _part(yearly, gpus, needed, "owning what the objectives need", "capacity"),
        rented_burst(burst * HOURS_PER_YEAR, gpu, money, book),
        _part(yearly, gpus, reserved.spare * per_server, "spare servers", "failures"),
        _part(yearly, gpus, reserved.from_margins * per_server, "reservation margins", "jitter"),
        *jitter_cost(money.jitter, book),
        shortage(weeks, gpu, money, book),
    ]
    return gains, [line for line in costs if line.high > 0]


def _part(yearly: Sequence[Line], gpus: int, part: int, name: str, kind: str) -> Line:
    """The share of the yearly lines that falls on `part` of the GPUs."""
    line = avoided_gpus(yearly, gpus, amount(f"GPUs: {name}", part, unit="GPUs"))
    return Line(name, line.terms, line.formula, kind)
