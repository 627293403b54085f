"""Pass-through: order what was ordered, less what came in unneeded."""


def order(p, demand, forecast, net, on_order, surplus, cover, safety):
    """Units ordered this week; arguments as in `policy_order_up_to`."""
    return demand - surplus
