"""The ordering policies by name; the place in the table is the code the kernel branches on."""

from __future__ import annotations

from metaroce.supply import policy_order_up_to, policy_pass_through, policy_proportional, policy_sterman

POLICIES = {
    "order_up_to": policy_order_up_to.order,
    "proportional": policy_proportional.order,
    "sterman": policy_sterman.order,
    "pass_through": policy_pass_through.order,
}
ORDER_UP_TO, PROPORTIONAL, STERMAN, PASS_THROUGH = range(4)
