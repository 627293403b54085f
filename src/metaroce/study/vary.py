"""Re-run the chain with inputs changed: the one mechanism behind sensitivity, what-if levers and the whys of claims.

Strategy: a change is text, as on the command line (`service.step_overhead=1ms`). Links whose inputs did not change
are taken over from the base run; random numbers are common, so a difference is the change and not the dice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from metaroce.model.reading import Document, set_value, validate
from metaroce.model.scenario import Scenario
from metaroce.serving.hardware import find_hardware
from metaroce.study.alternatives import Alternatives, explore
from metaroce.study.chain import Chain, finish_chain, seeds_of
from metaroce.study.executor import Executor
from metaroce.study.load import Load, load_requests
from metaroce.study.rounds import Settled, settle, with_times
from metaroce.study.service import figures_of


@dataclass(frozen=True, slots=True)
class Base:
    """What a variation starts from: the base run's scenario and the links that may be taken over."""

    scenario: Scenario
    folder: Path
    load: Load
    settled: Settled
    alternatives: Alternatives


def changed(scenario: Scenario, assignments: Sequence[str]) -> Scenario:
    """The scenario with `key=value` texts laid over it. Raises ScenarioError that names the assignment."""
    document = Document(scenario.model_dump(mode="json"), "scenario")
    for assignment in assignments:
        document = set_value(document, assignment)
    return validate(Scenario, document)


def base_of(chain: Chain, folder: Path) -> Base:
    """Start of variations around a feasible chain."""
    assert chain.alternatives is not None
    return Base(chain.scenario, folder, chain.load, chain.settled, chain.alternatives)


def vary(base: Base, assignments: Sequence[str], *, beside: bool = True) -> Chain:
    """The chain with these inputs changed, everything else and all random numbers as before.

    beside  False: the side answers (part load, other networks) are the base run's, for callers that read none of them
    """
    scenario = changed(base.scenario, assignments)
    seeds, same = seeds_of(scenario), _same(base.scenario, scenario)
    load = base.load
    drawn = ("requests", "seed", "seeds")
    if not all(same(part) for part in drawn) or scenario.capacity.window != base.scenario.capacity.window:
        load = load_requests(scenario, base.folder, seeds)
    settled = _settle_again(base, scenario, load)
    figures = figures_of(settled)
    if settled.need.replicas is None:
        return Chain(scenario, seeds, load, settled, figures, None, None, None, None)
    alternatives = base.alternatives
    if (beside and settled is not base.settled) or not same("capacity") or scenario.capacity.own == "base":
        alternatives = explore(scenario, load, settled, seeds)
    return finish_chain(scenario, seeds, load, settled, figures, alternatives)


def _settle_again(base: Base, scenario: Scenario, load: Load) -> Settled:
    """Links 2 to 4 with what can be taken over: all of it, the network times, or nothing."""
    seeds, same = seeds_of(scenario), _same(base.scenario, scenario)
    start = base.settled.need.replicas
    limit = scenario.capacity.max_replicas == base.scenario.capacity.max_replicas
    if load is base.load and same("fabric") and same("service") and same("bill") and limit:
        return base.settled
    given = scenario.fabric.transfers.kind == "given"  # then the service does not change what travels
    if load is base.load and same("fabric") and given:
        bench, need = with_times(scenario, load, seeds, base.settled.network.times, start=start or 1)
        return Settled(find_hardware(scenario.service), (), base.settled.network, need, bench, True)
    with Executor(1) as alone:
        return settle(scenario, load, seeds, executor=alone, start=start, brief=True)


def _same(before: Scenario, after: Scenario) -> Callable[[str], bool]:
    return lambda section: getattr(before, section) == getattr(after, section)
