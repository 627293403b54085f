"""A given forecast that never learns."""


def update(previous, demand, leaving, p):
    """New forecast; arguments as in `forecast_exponential`."""
    return previous
