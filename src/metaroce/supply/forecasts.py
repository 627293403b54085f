"""The forecasts by name; the place in the table is the code the kernel branches on."""

from __future__ import annotations

from metaroce.supply import forecast_constant, forecast_exponential, forecast_moving_average, forecast_naive

FORECASTS = {
    "exponential": forecast_exponential.update,
    "moving_average": forecast_moving_average.update,
    "naive": forecast_naive.update,
    "constant": forecast_constant.update,
}
EXPONENTIAL, MOVING_AVERAGE, NAIVE, CONSTANT = range(4)
