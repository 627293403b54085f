"""What must be bought for a fabric: switches by tier, NIC ports, links by speed and length, and a cable for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from metaroce.fabric.graph import Fabric
from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import format_rate
from metaroce.model.devices import Cable

TIERS = ("endpoint", "leaf", "spine", "core")


@dataclass(frozen=True, slots=True)
class Inventory:
    """Counts of a fabric.

    servers   how many
    switches  tier, model, count, ports_used (all together), ports_most (on the fullest switch)
    nics      model, ports (NIC ports, which are endpoints)
    links     tier_a, tier_b ("endpoint" .. "core"), rate (bit/s), cable_m, count
    """

    servers: int
    switches: pl.DataFrame
    nics: pl.DataFrame
    links: pl.DataFrame


def inventory(fabric: Fabric) -> Inventory:
    """Count what a fabric is made of."""
    used = np.bincount(fabric.port_node, minlength=fabric.nodes)
    models = fabric.node_model or ("",) * fabric.nodes
    nodes = pl.DataFrame(
        {"tier": [TIERS[t] for t in fabric.node_tier], "rank": fabric.node_tier, "model": list(models), "used": used}
    )
    switches = (
        nodes.filter(pl.col("rank") > 0)
        .group_by("rank", "tier", "model")
        .agg(count=pl.len(), ports_used=pl.col("used").sum(), ports_most=pl.col("used").max())
        .sort("rank", "model")
        .drop("rank")
    )
    nics = nodes.filter(pl.col("rank") == 0).group_by("model").agg(ports=pl.len()).sort("model")
    return Inventory(len(np.unique(fabric.endpoint_server)), switches, nics, _links(fabric))


def pick_cable(cables: Mapping[str, Cable], rate: int, length_m: float) -> str:
    """Name of the cable that serves `rate` over `length_m` with the least power, then the shortest reach.

    Raises ScenarioError when none reaches so far.
    """
    fitting = [(c.power_w, c.reach_m, name) for name, c in cables.items() if c.rate == rate and c.reach_m >= length_m]
    if not fitting:
        reach = max((c.reach_m for c in cables.values() if c.rate == rate), default=0.0)
        what = f"no cable of {format_rate(rate)} reaches {length_m:g} m"
        hint = f"the longest reaches {reach:g} m" if reach else "the catalog has none of this speed"
        raise ScenarioError(what, where="catalog/cables.toml", hint=hint)
    return min(fitting)[2]


def _links(fabric: Fabric) -> pl.DataFrame:
    one_way = fabric.one_way
    ends = np.sort(fabric.node_tier[np.stack([fabric.port_node[one_way], fabric.port_peer[one_way]])], axis=0)
    table = pl.DataFrame(
        {
            "rank_a": ends[0],
            "rank_b": ends[1],
            "tier_a": [TIERS[t] for t in ends[0]],
            "tier_b": [TIERS[t] for t in ends[1]],
            "rate": fabric.port_rate[one_way],
            "cable_m": fabric.port_cable_m[one_way],
        }
    )
    return (
        table.group_by("rank_a", "rank_b", "tier_a", "tier_b", "rate", "cable_m")
        .agg(count=pl.len())
        .sort("rank_a", "rank_b", "rate", "cable_m")
        .drop("rank_a", "rank_b")
    )
