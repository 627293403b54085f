"""The chain backwards: what a budget or a date allows, and what that does to the objectives."""

from __future__ import annotations

from dataclasses import dataclass

from metaroce.cost.owning import capex
from metaroce.cost.prices import price_book
from metaroce.study.capacity import Judged
from metaroce.study.chain import Chain
from metaroce.study.hardware import lines_for
from metaroce.study.search import smallest


@dataclass(frozen=True, slots=True)
class Fit:
    """What fits a limit.

    limit     the limit in words
    servers   that fit; 0 = none
    serving   replicas on them, once the spares stand aside (margins are the first to go)
    judged    the objectives with that many replicas; () when nothing serves
    keeps     whether they are kept
    text      one sentence
    """

    limit: str
    servers: int
    gpus: int
    serving: int
    judged: tuple[Judged, ...]
    keeps: bool
    text: str


def within_budget(chain: Chain, usd: float) -> Fit:
    """The largest fleet whose bill (with its own fabric, spares and racks) costs at most `usd`."""
    book = price_book(chain.scenario.money)

    def too_dear(servers: int) -> bool:
        lines = lines_for(chain.scenario, chain.settled.hardware, servers)
        return sum(line.value for line in capex(lines, book)) > usd

    assert chain.order is not None
    most = chain.order.reserved.ordered
    first = smallest(too_dear, start=most, limit=most)
    servers = most if first is None else first - 1
    return _fit(chain, f"a budget of ${usd:,.0f}", servers)


def within_weeks(chain: Chain, weeks: int) -> Fit:
    """The servers that nine of ten simulated markets deliver within `weeks` of the order."""
    assert chain.orders is not None
    ready = chain.orders.ready
    gpus = float(ready["p10"][min(weeks, len(ready) - 1)])
    return _fit(chain, f"{weeks} weeks after the order", int(gpus // chain.settled.hardware.server.gpus))


def within_hall(chain: Chain) -> Fit | None:
    """What the hall takes, when that is less than the order; None when all of it fits."""
    assert chain.order is not None
    hall = chain.order.bill.hall
    if hall.fits or hall.largest_gpus is None:
        return None
    return _fit(chain, f"the hall ({hall.why})", hall.largest_gpus // chain.settled.hardware.server.gpus)


def _fit(chain: Chain, limit: str, servers: int) -> Fit:
    assert chain.order is not None
    hardware, bench, reserved = chain.settled.hardware, chain.settled.bench, chain.order.reserved
    gpus = servers * hardware.server.gpus
    spare = min(reserved.spare, max(0, servers - 1))
    serving = min(reserved.replicas, (servers - spare) * hardware.server.gpus // hardware.gpus)
    if serving < bench.fewest:
        return Fit(limit, servers, gpus, 0, (), False, f"{limit}: {servers} servers, too few for one replica")
    point = bench.point(serving)
    worst = "; ".join(
        f"{one.name} {one.value.value / 1e6:,.4g} ms ({'keeps' if one.met else 'breaks'} {one.slo.limit / 1e6:,.4g} ms)"
        for one in point.judged
    )
    text = f"{limit}: {servers} servers ({gpus} GPUs), {serving} replicas serving beside {spare} spare servers: {worst}"
    keeps = point.met or serving >= reserved.replicas  # with an owned base the rest is rented
    return Fit(limit, servers, gpus, serving, point.judged, keeps, text)
