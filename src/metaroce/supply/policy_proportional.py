"""Proportional order-up-to: close only a part of the gap each week, which smooths the orders.

Source: Disney and Towill, Int. J. Production Economics 2003; Disney et al., EJOR 2006. Ti = 1 is order-up-to,
Ti = 1.618 minimises order plus stock variance for white demand ("golden smoothing").
"""


def order(p, demand, forecast, net, on_order, surplus, cover, safety):
    """Units ordered this week; arguments as in `policy_order_up_to`. p[0] = Ti, weeks over which a gap is closed."""
    wanted = (cover - 1.0) * forecast + safety
    return forecast + (wanted - net - on_order) / p[0]
