"""Names of the columns that the kernel writes, for it and for whoever reads its arrays."""

from __future__ import annotations

# traces, per week and tier, in the tier's own units; stocks at the end of the week
INCOMING = 0  # ordered from this tier
ORDER = 1  # ordered by this tier
SHIPPED = 2  # sent to customers
RECEIVED = 3  # arrived in stock
ON_HAND = 4
BACKLOG = 5  # ordered from this tier and not yet shipped
IN_TRANSIT = 6  # started and not yet arrived
UNSTARTED = 7  # could be started but for capacity
OPEN_ORDERS = 8  # ordered by this tier and not yet arrived
CANCELLED = 9  # open orders that this tier took back
PHANTOM = 10  # part of ORDER beyond need
TRACE_NAMES = (
    "incoming", "order", "shipped", "received", "on_hand", "backlog", "in_transit", "unstarted", "open_orders",
    "cancelled", "phantom",
)  # fmt: skip

# moments, per path and tier, over the weeks after the warm-up
ORDER_1 = 0  # sum of order - ordinary order, in end products
ORDER_2 = 1  # sum of its square
ASKED_1 = 2  # the same for incoming orders
ASKED_2 = 3
NET_1 = 4  # the same for on hand - backlog against the first stock, own units
NET_2 = 5
ORDER_PEAK = 6  # largest order, end products
ORDER_PEAK_WEEK = 7
ASKED_PEAK = 8
BACKLOG_PEAK = 9  # own units
ASKED = 10  # sums in own units
SHORT = 11  # asked and not shipped in the same week
ORDERED = 12
PHANTOMS = 13
CANCELS = 14
ORDER_PEAK_UNITS = 15  # own units
MOMENTS = 16
