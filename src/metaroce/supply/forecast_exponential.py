"""Exponential smoothing: the forecast moves by a share of the last error."""


def update(previous, demand, leaving, p):
    """New forecast, units / week.

    previous  the forecast of last week
    demand    what was ordered this week
    leaving   what was ordered p[0] weeks ago (for windows)
    p         float64[2]: p[0] window in weeks, p[1] smoothing share
    """
    return previous + p[1] * (demand - previous)
