"""How much to own and how much to rent by the hour: the newsvendor on the load-duration curve.

An owned GPU costs every hour, a rented one only in the hours it is needed. The x-th GPU is worth owning while it is
needed often enough: own until P(load > x) = c_own / c_rent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.cost.lines import dollars
from metaroce.kit.errors import ScenarioError


@dataclass(frozen=True, slots=True)
class BaseBurst:
    """The cheapest split of a load between owned and rented GPUs; USD per hour of the load curve, on the mean.

    own              GPUs to own, a multiple of `step`
    peak             GPUs of the highest load
    rented_share     share of all GPU-hours of the load that is rented
    hours_short      share of hours in which something is rented: P(load > own)
    idle_share       share of the owned GPU-hours that nobody uses
    rented_gpus      mean rented GPUs (GPU-hours per hour)
    cost             own c_own + rented c_rent, USD an hour
    cost_own_peak    everything owned, sized for the peak, USD an hour
    cost_rent_all    everything rented, USD an hour
    ratio            c_own / c_rent
    formula          the rule with its numbers
    """

    own: int
    peak: int
    rented_share: float
    hours_short: float
    idle_share: float
    rented_gpus: float
    cost: float
    cost_own_peak: float
    cost_rent_all: float
    ratio: float
    formula: str


def base_burst(load: ArrayLike, c_own: float, c_rent: float, *, step: int = 1) -> BaseBurst:
    """Split a load between owned and rented GPUs at the least cost. Exact on the given curve.

    load    float64[n]  GPUs needed in n periods of equal length (hours of a day, of a year), any order
    c_own   USD per owned GPU and hour, busy or not
    c_rent  USD per rented GPU-hour
    step    GPUs are owned in multiples of this (a server)

    Raises ScenarioError for an empty, negative or not finite load, prices not above zero, a step below 1.
    """
    need = _checked(load, c_own, c_rent, step)
    ratio = c_own / c_rent
    curve = np.sort(need)
    # The smallest load level x with P(load > x) <= ratio; cost is convex in x, so a multiple beside it is the best.
    kept = math.ceil(len(curve) * (1.0 - ratio) - 1e-9)
    best = float(curve[kept - 1]) if kept >= 1 else 0.0
    beside = {step * math.floor(best / step), step * math.ceil(best / step)}
    own = min(sorted(beside), key=lambda x: _cost(curve, x, c_own, c_rent))
    rented = float(np.maximum(curve - own, 0.0).mean())
    mean, peak = float(curve.mean()), step * math.ceil(float(curve[-1]) / step)
    short = float((curve > own).mean())
    return BaseBurst(
        own=own,
        peak=peak,
        rented_share=rented / mean if mean else 0.0,
        hours_short=short,
        idle_share=1.0 - (mean - rented) / own if own else 0.0,
        rented_gpus=rented,
        cost=_cost(curve, own, c_own, c_rent),
        cost_own_peak=peak * c_own,
        cost_rent_all=mean * c_rent,
        ratio=ratio,
        formula=(
            f"own until P(load > x) = c_own/c_rent = {dollars(c_own)} / {dollars(c_rent)} = {ratio:.3g}:"
            f" x = {own:,} GPUs, exceeded in {short:.1%} of the hours"
        ),
    )


def _checked(load: ArrayLike, c_own: float, c_rent: float, step: int) -> NDArray[np.float64]:
    need = np.asarray(load, dtype=np.float64).ravel()
    if len(need) == 0 or not np.isfinite(need).all() or (need < 0).any():
        raise ScenarioError("the load curve is empty, negative or not finite", hint="give GPUs needed per period")
    if not (0 < c_own < math.inf and 0 < c_rent < math.inf):
        raise ScenarioError(
            f"owning at {c_own:g} and renting at {c_rent:g} USD an hour cannot be compared",
            where="money.prices", hint="both must be above 0",
        )  # fmt: skip
    if step < 1:
        raise ScenarioError(f"GPUs in steps of {step}", hint="give 1 or the GPUs of a server")
    return need


def _cost(curve: NDArray[np.float64], own: float, c_own: float, c_rent: float) -> float:
    return own * c_own + float(np.maximum(curve - own, 0.0).mean()) * c_rent
