"""Moving average over the last weeks, kept as a running sum."""


def update(previous, demand, leaving, p):
    """New forecast; arguments as in `forecast_exponential`. p[0] = window in weeks."""
    return previous + (demand - leaving) / p[0]
