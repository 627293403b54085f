"""A study as plain numbers, for JSON, for comparison, and for whoever computes on: one key per link of the chain."""

from __future__ import annotations

import dataclasses
from typing import Any

from metaroce import __version__
from metaroce.report.as_json import plain
from metaroce.study.api import StudyResult
from metaroce.study.capacity import Need
from metaroce.study.chain import Chain


def as_data(result: StudyResult) -> dict[str, Any]:
    """Plain dicts, lists, numbers and texts; the same result gives the same data."""
    chain = result.chain
    return {
        "version": __version__,
        "name": chain.scenario.name,
        "preset": result.preset,
        "exit_status": result.exit_status,
        "feasible": chain.is_feasible,
        "why_not": chain.settled.why_not,
        "relaxed": plain(chain.settled.relaxed),
        "seeds": list(chain.seeds),
        "scenario": chain.scenario.model_dump(mode="json"),
        **links_of(chain),
        "sensitivity": plain(result.moved),
        "claims": plain(result.claims),
        "limits": plain(result.fits),
    }


def links_of(chain: Chain) -> dict[str, Any]:
    """The links of the chain, in order. Links that were not reached are null."""
    return {
        "requests": {
            "profile": plain(chain.load.profile),
            "asked": plain(chain.load.asked),
            "problems": [str(problem) for problem in chain.load.problems],
        },
        "rounds": plain(chain.settled.rounds),
        "fabric": _fabric(chain),
        "service": _service(chain),
        "capacity": _capacity(chain),
        "bill": _bill(chain),
        "orders": _orders(chain),
        "money": _money(chain),
    }


def _fabric(chain: Chain) -> dict[str, Any]:
    network = chain.settled.network
    return {
        "servers": network.servers,
        "endpoints": network.endpoints,
        "switches": network.switches,
        "idle": network.idle,
        "windows": plain(network.windows),
        "request_us": list(network.request_us),
    }


def _service(chain: Chain) -> dict[str, Any]:
    named = {f"{metric} P{q * 100:g}": value for (metric, q), value in chain.service.quantiles.items()}
    return plain(dataclasses.replace(chain.service, quantiles=named))


def _capacity(chain: Chain) -> dict[str, Any]:
    need: Need = chain.settled.need
    return {
        "replicas": need.replicas,
        "per_seed": list(need.per_seed),
        "gpus": plain(chain.gpus) if chain.is_feasible else None,
        "curve": plain(need.curve),
        "floor": plain(need.floor),
        "settled": chain.settled.settled,
        "alternatives": plain(chain.alternatives) if chain.alternatives else None,
        "margins": chain.scenario.capacity.reservation.product,
        "cascade": "not built",
    }


def _bill(chain: Chain) -> dict[str, Any] | None:
    order = chain.order
    if order is None:
        return None
    return {
        "reserved": plain(order.reserved),
        "lines": plain(order.lines),
        "racks": plain(order.bill.racks),
        "hall": plain(order.bill.hall),
        "power_w": order.bill.power_w,
        "failures": plain(order.failures),
        "problems": [str(problem) for problem in order.bill.problems],
    }


def _orders(chain: Chain) -> dict[str, Any] | None:
    return None if chain.orders is None else plain(chain.orders)


def _money(chain: Chain) -> dict[str, Any] | None:
    money = chain.money
    if money is None:
        return None
    return {
        "purchase_usd": _line(money.purchase_total),
        "purchase_by_seed_usd": plain(money.purchase_by_seed),
        "yearly_usd": _line(money.yearly_total),
        "gpu_hour_usd": _line(money.gpu_hour),
        "rent_hour_usd": plain(money.rent_hour),
        "split": plain(money.split),
        "account": plain(money.account),
        "purchase": [_line(line) for line in money.purchase],
        "yearly": [_line(line) for line in money.yearly],
    }


def _line(line: Any) -> dict[str, Any]:
    return {
        "name": line.name,
        "kind": line.kind,
        "value": line.value,
        "low": line.low,
        "high": line.high,
        "formula": line.formula,
    }
