"""What the deliveries mean for the buyer: capacity in service against need, the gap, and what renting the gap costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.supply.measures import bands
from metaroce.supply.result import SupplyResult

F = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Delivery:
    """Capacity against need, in end products.

    weekly            week, need; in_service and gap, mean and p10/p50/p90
    gap_unit_weeks    float64[N] missing units summed over the weeks, per path
    complete_week     float64[N] first week from which on the whole extra order is in service, inf if not within the run
    """

    weekly: pl.DataFrame
    gap_unit_weeks: F
    complete_week: F


def extra_delivered(result: SupplyResult) -> F:
    """Cumulative units of the extra order in service at the end of each week: float64[T, N].

    Deliveries serve the customer's orders first come, first served; extra and ordinary units asked for in the same
    week share it. So a delivery is looked up on the curve of what was asked for until when.
    """
    asked = result.demand.cumsum(axis=0)
    extra = result.extra.cumsum()
    served = result.delivered.cumsum(axis=0)
    columns = [np.interp(served[:, i], np.r_[0.0, asked[:, i]], np.r_[0.0, extra]) for i in range(result.paths)]
    return np.stack(columns, axis=1)


def delivery(result: SupplyResult, need: F | None = None, *, already: float = 0.0) -> Delivery:
    """Compare the capacity in service with the need.

    need     float64[T] units needed in service in each week; None: the extra order from the week it was placed
    already  units in service before the first week
    Raises InputError when `need` has another length than the run.
    """
    weeks = result.demand.shape[0]
    wanted = result.extra.cumsum() + already if need is None else np.asarray(need, np.float64)
    if wanted.shape != (weeks,):
        raise InputError(f"need has shape {wanted.shape}, the run {weeks} weeks", hint="give one number per week")
    extra = extra_delivered(result)
    in_service = extra + already
    gap = np.maximum(0.0, wanted[:, None] - in_service)
    total = result.extra.sum()
    late = extra < total * (1 - 1e-9)
    last_late = np.where(late.any(axis=0), weeks - np.argmax(late[::-1], axis=0), 0).astype(np.float64)
    return Delivery(
        weekly=pl.DataFrame(
            {"week": np.arange(weeks), "need": wanted} | _bands("in_service", in_service) | _bands("gap", gap)
        ),
        gap_unit_weeks=gap.sum(axis=0),
        complete_week=np.where(last_late >= weeks, np.inf, last_late),
    )


def rent_of_gap(gap_unit_weeks: F, price_per_unit_week: float) -> F:
    """Cost of renting what is missing, in the currency of the price; one number per path."""
    return np.asarray(gap_unit_weeks, np.float64) * price_per_unit_week


def _bands(name: str, values: F) -> dict[str, F]:
    low, middle, high = bands(values)
    return {name: values.mean(axis=1), f"{name}_p10": low, f"{name}_p50": middle, f"{name}_p90": high}
