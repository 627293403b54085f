"""Forecast and order of one tier for a row of paths: the branch on the policy stands outside the loop, so that the
compiler can work on several paths at once."""

from __future__ import annotations

from metaroce.kit.jit import kernel
from metaroce.supply import _state as st
from metaroce.supply import (
    forecast_constant,
    forecast_exponential,
    forecast_moving_average,
    forecast_naive,
    policy_order_up_to,
    policy_pass_through,
    policy_proportional,
    policy_sterman,
)  # fmt: skip
from metaroce.supply.forecasts import EXPONENTIAL, MOVING_AVERAGE, NAIVE
from metaroce.supply.policies import ORDER_UP_TO, PROPORTIONAL, STERMAN

_exponential = kernel(forecast_exponential.update)
_moving_average = kernel(forecast_moving_average.update)
_naive = kernel(forecast_naive.update)
_constant = kernel(forecast_constant.update)
_order_up_to = kernel(policy_order_up_to.order)
_proportional = kernel(policy_proportional.order)
_sterman = kernel(policy_sterman.order)
_pass_through = kernel(policy_pass_through.order)


@kernel
def update_forecast(code, p, forecast, history, week, demand):
    """forecast, demand: float64[n]; history: float64[W, n], a ring that is read before it is overwritten."""
    n = forecast.size
    if code == EXPONENTIAL:
        for i in range(n):
            forecast[i] = _exponential(forecast[i], demand[i], 0.0, p)
    elif code == MOVING_AVERAGE:
        old = history[week % int(p[0])]
        for i in range(n):
            forecast[i] = _moving_average(forecast[i], demand[i], old[i], p)
            old[i] = demand[i]
    elif code == NAIVE:
        for i in range(n):
            forecast[i] = _naive(forecast[i], demand[i], 0.0, p)
    else:
        for i in range(n):
            forecast[i] = _constant(forecast[i], demand[i], 0.0, p)


@kernel
def decide(code, p, demand, rows, cover, safety, order):
    """Fill `order` (float64[n]) with what the policy wants, before rounding.

    demand  float64[n]        ordered from this tier
    rows    float64[ROWS, n]  see `_state`; the rest as in `policy_order_up_to`
    """
    n = order.size
    on_hand, waiting, owed, excess = rows[st.ON_HAND], rows[st.WAITING], rows[st.OWED], rows[st.EXCESS]
    forecast, surplus = rows[st.FORECAST], rows[st.SURPLUS]
    if code == ORDER_UP_TO:
        for i in range(n):
            net, real = on_hand[i] - waiting[i], owed[i] - excess[i]
            order[i] = _order_up_to(p, demand[i], forecast[i], net, real, surplus[i], cover, safety)
    elif code == PROPORTIONAL:
        for i in range(n):
            net, real = on_hand[i] - waiting[i], owed[i] - excess[i]
            order[i] = _proportional(p, demand[i], forecast[i], net, real, surplus[i], cover, safety)
    elif code == STERMAN:
        for i in range(n):
            net, real = on_hand[i] - waiting[i], owed[i] - excess[i]
            order[i] = _sterman(p, demand[i], forecast[i], net, real, surplus[i], cover, safety)
    else:
        for i in range(n):
            order[i] = _pass_through(p, demand[i], forecast[i], 0.0, 0.0, surplus[i], cover, safety)
