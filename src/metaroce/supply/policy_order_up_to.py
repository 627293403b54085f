"""Order-up-to: raise the inventory position to forecast x cover + safety stock.

Source: Chen, Drezner, Ryan and Simchi-Levi, Management Science 46(3), 2000, eq. 1; there L is our cover.
"""


def order(p, demand, forecast, net, on_order, surplus, cover, safety):
    """Units ordered this week, before rounding and before the floor at zero.

    p         float64[4]  no parameter used
    demand    units ordered from this tier this week
    forecast  units / week, this week's demand already seen
    net       on hand - backlog at the end of the week
    on_order  units ordered, needed and not yet received
    surplus   units received this week that were ordered in defence only
    cover     weeks from an order to its receipt, plus weeks of safety
    safety    constant safety stock, units
    """
    return cover * forecast + safety - net - on_order
