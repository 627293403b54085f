"""What a run of the supply chain leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metaroce.supply.columns import TRACE_NAMES

F = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Traces:
    """Every number of every path: float64[T, K, 11, N]; columns as in `columns.TRACE_NAMES`, in the tiers' units."""

    tiers: tuple[str, ...]
    values: F

    def of(self, name: str) -> F:
        """One quantity, float64[T, K, N], e.g. `traces.of("backlog")`. Raises ValueError for an unknown name."""
        return self.values[:, :, TRACE_NAMES.index(name)]


@dataclass(frozen=True, slots=True)
class SupplyResult:
    """Orders, stocks and deliveries by week and tier, over all paths. Weeks count from 0.

    tiers       one row per tier; see `measures.tier_table` for the columns
    weekly      tier, week, quantity, mean, p10, p50, p90: quantities as in `columns.TRACE_NAMES`, in the tier's units
    deliveries  week; demand and delivered (mean); delivered_p10/p50/p90 units of that week; total_p10/p50/p90 units
                until that week; all at the customer end, in end products
    demand      float64[T, N] end customer's orders, end products
    extra       float64[T]    the part of them above the ordinary demand
    delivered   float64[T, N] end products handed over
    traces      all paths, when asked for
    """

    tiers: pl.DataFrame
    weekly: pl.DataFrame
    deliveries: pl.DataFrame
    demand: F
    extra: F
    delivered: F
    traces: Traces | None

    @property
    def paths(self) -> int:
        """Number of paths simulated; 1 when nothing is random."""
        return self.demand.shape[1]

    @property
    def fill_rate(self) -> float:
        """Share of the end customer's demand that was met in the week it was asked for."""
        return float(self.tiers["fill_rate"][0])


@dataclass(frozen=True, slots=True)
class Amplification:
    """Streaming summary of many paths.

    tiers   as in SupplyResult
    weekly  tier, week, quantity, mean
    """

    tiers: pl.DataFrame
    weekly: pl.DataFrame
    paths: int
