"""The supply chain simulator: cells (path x week x tier) a CPU second, and the compile time from an empty cache.

Same work for all: four tiers, lead time 2, 520 weeks, order-up-to, moving average over five weeks. Peers, measured
on the same machine: stockpyl 4,000 cells/s, deepbullwhip 63,000 serial and 4.3 million vectorised (with wrong answers).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks import Bar
from benchmarks._measure import best_of_three, cold_seconds
from metaroce.model.supply import Ordering, SupplyChain, Tier
from metaroce.supply.api import amplification
from metaroce.supply.api import run as simulate

_TIERS, _WEEKS = 4, 520
_FIRST_RUN = """
from metaroce.model.supply import Pulse, SupplyChain
from metaroce.supply.api import run
run(SupplyChain(), Pulse(extra=40))
"""


def run() -> list[Bar]:
    """Summaries of many paths, bands of fewer, and the first call ever."""
    rule = Ordering(forecast="moving_average", forecast_weeks=5)
    tiers = tuple(Tier(name=str(k), order_delay_weeks=1, lead_time_weeks=1, ordering=rule) for k in range(_TIERS))
    chain = SupplyChain(tiers=tiers, base_demand=100, demand_cv=0.1)
    demand = np.full(_WEEKS, 100.0)
    many, fewer = 20_000, 1000
    return [
        Bar(
            "supply-streaming-20000-paths",
            _speed(lambda: amplification(chain, demand, paths=many), many),
            "cells/s",
            30e6,
            at_most=False,
        ),
        Bar(
            "supply-bands-1000-paths",
            _speed(lambda: simulate(chain, demand, paths=fewer), fewer),
            "cells/s",
            3e6,
            at_most=False,
        ),
        Bar("supply-cold", cold_seconds(_FIRST_RUN), "CPU s", 20.0),
    ]


def _speed(work: Callable[[], object], paths: int) -> float:
    """Best of three: CPU time of the whole call, random numbers and tables included."""
    work()
    return paths * _WEEKS * _TIERS / best_of_three(lambda _: work())
