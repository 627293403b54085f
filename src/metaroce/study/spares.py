"""How often things fail, what each failure takes along, and how many spares keep the promise.

Strategy: everything is exact. Servers up is a binomial mixed over leaf groups (a dead leaf takes its whole group),
convolved; parts on order are Poisson. No normal approximation, no simulation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from metaroce.catalog.read import read_catalog
from metaroce.fabric.failures import blast_radius
from metaroce.fabric.graph import LEAF, Fabric
from metaroce.kit.errors import InfeasibleError, ScenarioError
from metaroce.kit.units import HOURS_PER_WEEK, HOURS_PER_YEAR
from metaroce.model.bill import FailureRate, RepairTimes, Replenishment, SparesPolicy
from metaroce.study.bill import Bill


@dataclass(frozen=True, slots=True)
class LeafGroup:
    """Servers that hang on the same leaves.

    servers     how many
    leaves      leaves each of them is connected to
    """

    servers: int
    leaves: int


@dataclass(frozen=True, slots=True)
class ServerSpares:
    """Spare servers for a promise of capacity.

    needed             servers that must be up
    spares             k of N+k, at the most credible failure rate
    spares_worst       k at the worst published rate
    availability       P(servers up >= needed) with the spares
    without_spares     the same without any
    server_up          share of time one server is up, its leaves aside
    leaf_up            share of time one leaf is up
    hours_between      mean time between server failures in the fleet, hours
    why                the arithmetic in words
    """

    needed: int
    spares: int
    spares_worst: int
    availability: float
    without_spares: float
    server_up: float
    leaf_up: float
    hours_between: float
    why: str


def failure_rates(policy: SparesPolicy) -> dict[str, FailureRate]:
    """Failure rates of the catalog with the scenario's own laid over them."""
    return {**read_catalog(FailureRate, "failure_rates"), **policy.rates}


def hours_between_failures(mtbf_h: float, parts: int) -> float:
    """Mean time between failures among `parts` equal parts, hours: mtbf / parts."""
    if parts < 1:
        raise ScenarioError(f"{parts} parts never fail", hint="one at least")
    return mtbf_h / parts


def mean_down_h(repair: RepairTimes) -> float:
    """Mean time a failed server stays away, hours: restarts and exchanges in their shares."""
    return repair.swap_share * repair.swap_h + (1 - repair.swap_share) * repair.restart_h


def up_share(mtbf_h: float, down_h: float) -> float:
    """Share of time up: mtbf / (mtbf + down)."""
    return mtbf_h / (mtbf_h + down_h)


def leaf_groups(fabric: Fabric) -> tuple[LeafGroup, ...]:
    """Servers by the set of leaves they are connected to, in order of first appearance."""
    e = np.arange(fabric.endpoints)
    leaf = np.where(fabric.node_tier[fabric.port_peer[e]] == LEAF, fabric.port_peer[e], -1)
    sets: dict[int, set[int]] = {}
    for server, node in zip(fabric.endpoint_server.tolist(), leaf.tolist(), strict=True):
        sets.setdefault(server, set()).add(node)
    groups: dict[frozenset[int], int] = {}
    for leaves in sets.values():
        key = frozenset(leaves - {-1})
        groups[key] = groups.get(key, 0) + 1
    return tuple(LeafGroup(count, len(leaves)) for leaves, count in groups.items())


def servers_for(replicas: int, gpus_per_replica: int, gpus_per_server: int) -> int:
    """Whole servers that must be up for so many replicas; a replica larger than a server takes whole ones."""
    if min(replicas, gpus_per_replica, gpus_per_server) < 1:
        raise ScenarioError(
            f"{replicas} replicas of {gpus_per_replica} GPUs on servers of {gpus_per_server}", hint="each is 1 or more"
        )
    if gpus_per_replica > gpus_per_server:
        return replicas * math.ceil(gpus_per_replica / gpus_per_server)
    return math.ceil(replicas / (gpus_per_server // gpus_per_replica))


def up_distribution(groups: tuple[LeafGroup, ...], server_up: float, leaf_up: float, *,
                    degraded_is_down: bool = False) -> NDArray[np.float64]:  # fmt: skip
    """float64[S + 1]: P(exactly u of S servers are up), exact.

    A group of s servers is down as one when its leaves are; else Binomial(s, server_up). A group on one leaf needs
    that leaf; on several (rails) it stays up until all are gone, or with `degraded_is_down` until one is.
    """
    total = np.ones(1)
    for group in groups:
        one = stats.binom.pmf(np.arange(group.servers + 1), group.servers, server_up)
        together = _group_up(group, leaf_up, degraded_is_down)
        one = together * one
        one[0] += 1.0 - together
        total = np.convolve(total, one)
    return total


def server_spares(needed: int, server_up: float, target: float, *, groups: tuple[LeafGroup, ...] = (),
                  leaf_up: float = 1.0, degraded_is_down: bool = False) -> tuple[int, float, float]:  # fmt: skip
    """(k, P with k spares, P without): the fewest spare servers so that P(up >= needed) >= target.

    groups  how the needed servers hang on leaves; spares fill further groups of the same size. () = leaves never fail.

    Raises InfeasibleError when even `needed` times four spares do not reach the target.
    """
    if not (0 < server_up <= 1 and 0 < leaf_up <= 1 and 0 < target < 1 and needed >= 1):
        raise ScenarioError(
            f"{needed} servers, each up {server_up:g} of the time, target {target:g}", where="bill.spares",
            hint="shares lie between 0 and 1, one server at least",
        )  # fmt: skip

    def enough(k: int) -> float:
        if not groups or leaf_up == 1.0:
            return float(stats.binom.sf(needed - 1, needed + k, server_up))
        spread = _regrouped(needed + k, groups)
        return float(up_distribution(spread, server_up, leaf_up, degraded_is_down=degraded_is_down)[needed:].sum())

    without, most = enough(0), 4 * needed + 16
    high = 1
    while enough(high) < target:
        if high >= most:
            raise InfeasibleError(
                f"{most} spare servers for {needed} do not make {target:.4%}: best {enough(most):.4%}",
                where="bill.spares.availability", hint="repair faster, or lower the target",
            )  # fmt: skip
        high = min(2 * high, most)
    low = 0 if without >= target else high // 2
    while low < high:  # more servers are never worse, so bisection finds the fewest
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) >= target else (middle + 1, high)
    return low, enough(low), without


def spare_servers(needed: int, policy: SparesPolicy, *, groups: tuple[LeafGroup, ...] = ()) -> ServerSpares:
    """Spare servers by the policy and the catalog's failure rates. See `server_spares`."""
    rates = failure_rates(policy)
    down, repair = mean_down_h(policy.repair), policy.repair

    def at(server_h: float, switch_h: float) -> tuple[int, float, float]:
        return server_spares(
            needed, up_share(server_h, down), policy.availability, groups=groups,
            leaf_up=up_share(switch_h, repair.switch_h), degraded_is_down=policy.degraded_is_down,
        )  # fmt: skip

    server_up = up_share(rates["server"].mtbf_h, down)
    leaf_up = up_share(rates["switch"].mtbf_h, repair.switch_h)
    k, reached, without = at(rates["server"].mtbf_h, rates["switch"].mtbf_h)
    worst, _, _ = at(rates["server"].low_h, rates["switch"].low_h)
    between = hours_between_failures(rates["server"].mtbf_h, needed + k)
    why = (
        f"server up {server_up:.4%} = {rates['server'].mtbf_h:,.0f} h / ({rates['server'].mtbf_h:,.0f} + {down:.3g} h)"
        f"{f', leaf up {leaf_up:.5%}' if groups else ''};"
        f" P(up >= {needed:,} of {needed + k:,}) = {reached:.4%} >= {policy.availability:.4%}"
    )
    return ServerSpares(needed, k, worst, reached, without, server_up, leaf_up, between, why)


def part_spares(expected: float, service: float) -> int:
    """Fewest spares s with P(Poisson(expected) <= s) >= service: no failed part waits in so much of the time.

    expected  parts that fail while one order for replenishment is under way
    """
    if not (0 <= expected < math.inf and 0 < service < 1):
        raise ScenarioError(f"{expected:g} failures at a service level of {service:g}", where="bill.spares")
    return int(stats.poisson.ppf(service, expected)) if expected else 0


def failure_table(parts: Mapping[str, tuple[str, int]], policy: SparesPolicy) -> pl.DataFrame:
    """Failures a year and spare parts, one row a part name.

    parts  price name -> (kind: gpu | nic | switch | optic | dac | psu | server, how many are installed)

    Columns: part, kind, installed, mtbf_h, mtbf_low_h, mtbf_high_h, per_year, per_year_low, per_year_high, lead_weeks,
    in_lead_time, spares, spares_worst (at the worst published rate), formula, source. Servers have no spare parts of
    their own here (lead_weeks is null): N+k is `spare_servers`.
    Raises ScenarioError for a kind without a failure rate.
    """
    rates = failure_rates(policy)
    rows = []
    for name, (kind, installed) in parts.items():
        if kind not in rates:
            raise ScenarioError(
                f"no failure rate for {kind!r}", where=f"bill.spares.rates.{kind}", hint=f"known: {', '.join(rates)}"
            )
        rows.append(_part_row(name, kind, installed, rates[kind], policy))
    return pl.DataFrame(rows)


def installed_parts(bill: Bill, policy: SparesPolicy) -> dict[str, tuple[str, int]]:
    """Parts of a bill that fail, as `failure_table` wants them: price name -> (kind of failure, how many).

    Optics fail by the link, so two transceivers count as one part; power supplies come with the servers.
    """
    kinds = {"gpu": "gpu", "server": "server", "nic": "nic", "switch": "switch", "optic": "optic", "cable": "dac"}
    parts: dict[str, tuple[str, int]] = {}
    for line in bill.lines:
        if line.kind in kinds:
            each = line.quantity // 2 if line.kind == "optic" else line.quantity
            kind, before = parts.get(line.name, (kinds[line.kind], 0))
            parts[line.name] = (kind, before + each)
    if policy.psus_per_server:
        parts["psu"] = ("psu", bill.servers * policy.psus_per_server)
    return parts


def blast_table(fabric: Fabric, policy: SparesPolicy) -> pl.DataFrame:
    """What single failures of the fabric take along, and how often.

    The columns of `fabric.failures.blast_radius`, and: per_year (of all such parts), down_h, uplink_lost (0..1: worst
    share of a switch's bandwidth upward that is gone; of a spine, its share of the bisection), server_hours (servers
    down x hours in a year, all such parts; degraded servers count with `degraded_is_down`), formula.
    """
    rates, repair = failure_rates(policy), policy.repair
    rows = []
    for row in blast_radius(fabric).iter_rows(named=True):
        is_link = row["part"].endswith("link")
        rate, down = (rates["optic"], repair.link_h) if is_link else (rates["switch"], repair.switch_h)
        per_year = row["count"] * HOURS_PER_YEAR / rate.mtbf_h
        servers = row["servers_lost"] + (row["servers_degraded"] if policy.degraded_is_down else 0)
        formula = (
            f"{row['count']:,} x {HOURS_PER_YEAR} h / {rate.mtbf_h:,.0f} h = {per_year:.3g} a year"
            f" x {servers:,} servers x {down:g} h"
        )
        extra = {"per_year": per_year, "down_h": down, "uplink_lost": 1 - row["uplink_left"]}
        rows.append({**row, **extra, "server_hours": per_year * servers * down, "formula": formula})
    return pl.DataFrame(rows)


def _part_row(name: str, kind: str, installed: int, rate: FailureRate, policy: SparesPolicy) -> dict[str, object]:
    weeks = _lead_weeks(kind, policy.replenish)
    hours = (weeks or 0) * HOURS_PER_WEEK
    expected, worst = installed * hours / rate.mtbf_h, installed * hours / rate.low_h
    spares = part_spares(expected, policy.item_service) if weeks is not None else 0
    per_year = installed * HOURS_PER_YEAR / rate.mtbf_h
    formula = f"{installed:,} x {HOURS_PER_YEAR} h / {rate.mtbf_h:,.0f} h = {per_year:.3g} a year"
    if weeks is not None:
        formula += (
            f"; {installed:,} x {weeks} weeks x {HOURS_PER_WEEK} h / {rate.mtbf_h:,.0f} h = {expected:.3g} in the"
            f" lead time, Poisson <= {spares} in {policy.item_service:.0%}"
        )
    return {
        "part": name, "kind": kind, "installed": installed,
        "mtbf_h": rate.mtbf_h, "mtbf_low_h": rate.low_h, "mtbf_high_h": rate.high_h,
        "per_year": per_year,
        "per_year_low": installed * HOURS_PER_YEAR / rate.high_h,
        "per_year_high": installed * HOURS_PER_YEAR / rate.low_h,
        "lead_weeks": weeks, "in_lead_time": expected, "spares": spares,
        "spares_worst": part_spares(worst, policy.item_service) if weeks is not None else 0,
        "formula": formula, "source": rate.source,
    }  # fmt: skip


def _lead_weeks(kind: str, replenish: Replenishment) -> int | None:
    return getattr(replenish, f"{kind}_weeks", None)


def _group_up(group: LeafGroup, leaf_up: float, degraded_is_down: bool) -> float:
    if group.leaves == 0:
        return 1.0
    return leaf_up**group.leaves if degraded_is_down else 1.0 - (1.0 - leaf_up) ** group.leaves


def _regrouped(servers: int, groups: tuple[LeafGroup, ...]) -> tuple[LeafGroup, ...]:
    """So many servers in groups like these: whole groups of the largest kind, the rest in one of its own."""
    like = max(groups, key=lambda group: group.servers)
    whole, rest = divmod(servers, like.servers)
    tail = (LeafGroup(rest, like.leaves),) if rest else ()
    return (LeafGroup(like.servers, like.leaves),) * whole + tail
