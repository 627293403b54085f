"""Anchoring and adjustment: what people do in the beer game, who forget most of what they have ordered.

Source: Sterman, Management Science 35(3), 1989, eqs. 5-11 with S' = S* + beta SL*.
"""


def order(p, demand, forecast, net, on_order, surplus, cover, safety):
    """Units ordered this week; arguments as in `policy_order_up_to`.

    p[0] = alpha_S, share of the gap ordered each week; p[1] = beta, weight of open orders; p[2] = S', units
    """
    return forecast + p[0] * (p[2] - net - p[1] * on_order)
