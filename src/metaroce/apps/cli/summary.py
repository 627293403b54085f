"""What a scenario says, in a dozen lines; and whether the names in it lead anywhere."""

from __future__ import annotations

from pathlib import Path

from metaroce.catalog.read import lookup
from metaroce.kit.errors import ScenarioError
from metaroce.kit.units import format_ns, format_ps, format_rate, format_size
from metaroce.model.bill import RackKind
from metaroce.model.devices import Nic, Switch
from metaroce.model.requests import EmpiricalTokens, GeneratedRequests, TraceRequests
from metaroce.model.scenario import Scenario
from metaroce.model.supply import SupplyChain
from metaroce.model.topology import Explicit
from metaroce.model.transfers import GivenTransfers
from metaroce.serving.hardware import find_hardware


def check_names(scenario: Scenario, folder: Path) -> None:
    """Raise ScenarioError when a name is not in the catalog, hardware does not fit the model, or a trace is absent.

    folder  where relative paths of the scenario start
    """
    find_hardware(scenario.service)
    topology = scenario.fabric.topology
    lookup(Nic, "nics", topology.nic, field="fabric.topology.nic")
    lookup(Switch, "switches", topology.switch, field="fabric.topology.switch")
    if not isinstance(topology, Explicit) and topology.spine_switch is not None:
        lookup(Switch, "switches", topology.spine_switch, field="fabric.topology.spine_switch")
    lookup(RackKind, "racks", scenario.bill.rack.kind, field="bill.rack.kind")
    for field, path in _traces(scenario).items():
        if not (folder / path).is_file():
            raise ScenarioError(
                f"no such file: {folder / path}", where=field, hint="relative paths start at the scenario's folder"
            )


def summary(scenario: Scenario) -> str:
    """The scenario in a dozen lines for people."""
    rows = {
        "requests": _requests(scenario.requests),
        "service": _service(scenario),
        "promises": _promises(scenario),
        "fabric": _fabric(scenario),
        "transfers": _transfers(scenario),
        "servers": _chain(scenario.orders.servers),
        "switches": _chain(scenario.orders.switches),
        "order": f"in week {scenario.orders.order_week}, wanted {scenario.orders.wanted_in_weeks} weeks later",
        "seeds": f"{scenario.seeds}, from {scenario.seed}",
    }
    lines = [f"valid: {scenario.name}", f"  {scenario.description}", ""]
    return "\n".join(lines + [f"  {name:<10} {text}" for name, text in rows.items()])


def _traces(scenario: Scenario) -> dict[str, str]:
    requests = scenario.requests
    if isinstance(requests, TraceRequests):
        return {"requests.path": requests.path}
    counts = {"input_tokens": requests.input_tokens, "output_tokens": requests.output_tokens}
    return {f"requests.{name}.path": one.path for name, one in counts.items() if isinstance(one, EmpiricalTokens)}


def _requests(requests: GeneratedRequests | TraceRequests) -> str:
    if isinstance(requests, TraceRequests):
        return f"trace {requests.path}, {requests.copies} x"
    text = f"{requests.rate:.4g}/s for {format_ns(requests.duration)}"
    if requests.office:
        text += f", office hours {format_ns(requests.office.opens)} to {format_ns(requests.office.closes)}"
    burst = requests.burst
    if burst:
        text += f", {burst.share:.0%} of them in {format_ns(burst.window)} of every {format_ns(burst.period)}"
    return text


def _service(scenario: Scenario) -> str:
    found = find_hardware(scenario.service)
    return f"{found.llm.product} in {found.precision} on {found.gpus} x {found.gpu.product} a replica"


def _promises(scenario: Scenario) -> str:
    limits = [f"P{100 * slo.quantile:.4g} {slo.metric} <= {format_ns(slo.limit)}" for slo in scenario.service.slos]
    return ", ".join([*limits, f"{100 * scenario.service.availability:.6g} % answered"])


def _fabric(scenario: Scenario) -> str:
    plan = scenario.fabric
    topology = plan.topology
    if isinstance(topology, Explicit):
        shape = f"{len(topology.endpoints)} endpoints, {len(topology.switches)} switches, {len(topology.links)} links"
    else:
        ports = f"{topology.nics_per_server} x {format_rate(topology.nic_rate)}"
        shape = f"{topology.kind} of {topology.switch}, {ports} a server"
    ecn = f"ECN {format_size(plan.ecn.kmin)}-{format_size(plan.ecn.kmax)}" if plan.ecn.enabled else "no ECN"
    return f"{shape}, {plan.law.name}, {ecn}, {'PFC' if plan.pfc.enabled else 'no PFC'}"


def _transfers(scenario: Scenario) -> str:
    transfers = scenario.fabric.transfers
    if not isinstance(transfers, GivenTransfers):
        return f"from the model, {transfers.steps} steps a window"
    sizes = f"{format_size(transfers.smallest)}-{format_size(transfers.largest)}"
    return (
        f"{transfers.count} of {sizes} a request, {transfers.budget_share:.4g} of them in {format_ps(transfers.budget)}"
    )


def _chain(chain: SupplyChain) -> str:
    return " <- ".join(f"{tier.name} ({tier.lead_time_weeks} weeks)" for tier in chain.tiers)
