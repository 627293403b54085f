"""The circle of fabric, service and capacity: the fabric follows the count, and the reasons hold the network too."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaroce.kit.errors import ScenarioError
from metaroce.study.api import Options, study
from metaroce.study.executor import Executor
from metaroce.study.hardware import plan_servers
from metaroce.study.rounds import settle

HERE = Options(folder=Path())


@pytest.mark.parametrize("rate", [6, 40])
def test_each_round_simulates_the_fabric_of_the_count_before(small_scenario, rate):
    chain = study(small_scenario([f"requests.rate={rate}/s"]), HERE).chain
    settled = chain.settled
    counts = [one.replicas for one in settled.rounds]
    before = counts[-2] if len(counts) > 1 else counts[-1]
    assert settled.rounds[-1].servers == plan_servers(chain.scenario, settled.hardware, before).ordered
    assert settled.network.servers == settled.rounds[-1].servers
    assert settled.network.endpoints == settled.network.servers * 8
    assert [one.number for one in settled.rounds] == list(range(1, len(counts) + 1))


def test_every_start_rests_at_the_same_count(small_scenario, result):
    chain = result.chain
    for start in (1, 30):
        again = settle(chain.scenario, chain.load, chain.seeds, executor=Executor(1), start=start)
        assert again.need.replicas == chain.settled.need.replicas
        assert again.network.request_us == chain.settled.network.request_us


def test_brief_rounds_find_the_same_count_without_extras(result):
    chain = result.chain
    brief = settle(chain.scenario, chain.load, chain.seeds, executor=Executor(1), brief=True)
    assert brief.need.replicas == chain.settled.need.replicas
    assert brief.need.per_seed == ()
    assert [one.window for one in brief.network.windows] == ["peak 12 s"]


def test_a_network_that_is_too_slow_leaves_no_count(small_scenario):
    found = study(small_scenario(["fabric.host_overhead=300ms"]), HERE)
    assert found.exit_status == 3
    assert "the floor is" in found.chain.settled.why_not
    assert found.chain.settled.need.floor[0].value.value > 300e6


def test_a_floor_that_the_network_makes_is_relaxed_too(small_scenario):
    settled = study(small_scenario(["fabric.host_overhead=300ms"]), HERE).chain.settled
    assert settled.relaxed is not None
    limit = settled.relaxed.limits[0][1].limit
    again = study(small_scenario(["fabric.host_overhead=300ms", f"service.slos.0.limit={limit}ns"]), HERE)
    assert again.chain.settled.need.replicas is not None


def test_a_fixed_fabric_that_the_count_outgrows_is_refused(small_scenario):
    with pytest.raises(ScenarioError, match="the fabric holds 5 servers"):
        study(small_scenario(["fabric.topology={kind: rail, servers: 5}"]), HERE)
