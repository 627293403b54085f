"""What a law sees: the row of its flow, the row of its traffic class on the sending host, and its hooks.

A law reads and writes rows by attribute only, so the same text runs compiled, on numpy records and on plain objects.
"""

from __future__ import annotations

import numpy as np

_F, _I = np.float64, np.int64

#: A timer that is off.
NEVER = 2**62

#: The hooks of a law, in the order in which the engine calls them after one event.
HOOKS = ("on_start", "on_loss", "on_cnp", "on_ack", "on_timer", "on_sent")

#: One flow as its law sees it. Rates bit/s, times ps, sizes bytes.
#: rate, window     what the law decides: pacing rate; bytes that may be unacknowledged, 0 = no window
#: line, floor      rate of the sender's port; lowest rate. The engine clamps rate to them after every hook
#: base_rtt, rtt    round trip of one full packet in an empty fabric; last one measured
#: acked, ce        by the last ACK: payload bytes newly acknowledged, and how many of its packets were marked
#: sent             payload and header bytes of the packet just sent
#: inflight         payload bytes sent and not acknowledged
#: at0 .. at3       when the law wants on_timer; NEVER = off. The engine sets the fired one to NEVER first
#: timer            index of the timer that fired
#: target .. x7     the law's own: target rate, congestion estimate, stage, and eight more
STATE = np.dtype(
    [(name, _F) for name in ("rate", "window", "line", "floor", "base_rtt", "rtt", "acked", "ce", "sent", "inflight")]
    + [(name, _I) for name in ("at0", "at1", "at2", "at3", "timer")]
    + [(name, _F) for name in ("target", "alpha", "stage", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7")],
    align=True,
)

#: One traffic class on one sending host, shared by its flows.
#: flows      unfinished flows that have started
#: y0 .. y7   the law's own
CLASS = np.dtype([(name, _F) for name in ("flows", "y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7")], align=True)
