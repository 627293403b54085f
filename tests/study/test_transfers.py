"""Demands of a scenario on the fabric: bytes by hand, mean packets by drawing, whole steps from layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaroce.kit.errors import ScenarioError
from metaroce.loads.requests import make_requests
from metaroce.model.reading import parse_yaml, validate
from metaroce.model.scenario import Scenario
from metaroce.model.transfers import Windows
from metaroce.serving.hardware import find_hardware
from metaroce.study.api import Options, study
from metaroce.study.network import build_fabric
from metaroce.study.traffic import slice_window
from metaroce.study.transfers import demand_flows, demand_of, packets_per_request, step_samples

SECOND = 10**9
MOE = """
seeds: 1
requests: {{kind: generator, rate: 4/s, duration: 1min}}
service:
  llm: qwen3-30b-a3b
  gpu: {gpu}
  expert_parallel: 16
  slos: [{{metric: tpot, quantile: 0.95, limit: 200ms}}]
fabric: {{transfers: {{kind: model, steps: 3}}, topology: {topology}}}
orders: {{paths: 10}}
money: {{draws: 100}}
sensitivity: {{enabled: false}}
"""
RAIL = "{kind: rail}"
HALF = "{kind: rail, nics_per_server: 4, nic_rate: 200G, nic: connectx6-200g}"


def moe(gpu: str = "h100-sxm", topology: str = RAIL) -> Scenario:
    return validate(Scenario, parse_yaml(MOE.format(gpu=gpu, topology=topology), "moe.yaml"))


@pytest.fixture(scope="module")
def requests():
    return make_requests(np.arange(200) * SECOND // 20, 1_000, 10)


def whole(requests):
    return slice_window(requests, 12 * SECOND, 1.0, 0.0, Windows(), 1)


def test_one_server_or_nothing_to_send_leaves_the_fabric_empty(small_scenario):
    scenario = small_scenario()
    hardware = find_hardware(scenario.service)
    assert demand_of(scenario, hardware, 1, 0.0).is_nothing
    assert not demand_of(scenario, hardware, 2, 0.0).is_nothing
    assert demand_of(small_scenario(["fabric.transfers={kind: model}"]), hardware, 9, 50.0).is_nothing


def test_given_transfers_hold_no_kv_caches(small_scenario):
    scenario = small_scenario(["service.kv_transfer=true"])
    with pytest.raises(ScenarioError, match="kv_transfer"):
        demand_of(scenario, find_hardware(scenario.service), 4, 0.0)


def test_mean_packets_of_a_request_are_those_that_are_drawn(small_scenario, requests):
    scenario = small_scenario()
    demand = demand_of(scenario, find_hardware(scenario.service), 4, 0.0)
    flows = demand_flows(build_fabric(scenario, 4), demand, requests, whole(requests), scenario.fabric, 1)
    drawn = np.ceil(flows.size / scenario.fabric.mtu).sum() / len(requests)
    assert packets_per_request(demand, requests, scenario.fabric) == pytest.approx(drawn, rel=0.03)


def test_kv_caches_by_hand(small_scenario, requests):
    """Llama 3.1 70B: 80 layers x 8 heads x 128 x keys and values x 2 B = 327,680 B a token, over eight NICs."""
    scenario = small_scenario(["service.kv_transfer=true", "fabric.transfers={kind: model}"])
    fabric = build_fabric(scenario, 4)
    demand = demand_of(scenario, find_hardware(scenario.service), 4, 0.0)
    assert demand.kv_per_token == 327_680
    flows = demand_flows(fabric, demand, requests, whole(requests), scenario.fabric, 1)
    assert flows.total_bytes == 200 * 1_000 * 327_680
    for group in range(5):
        mine = flows.group == group
        assert len(set(flows.dst[mine])) == 8
        assert set(fabric.endpoint_server[flows.dst[mine]]) == {group % 4}
        assert len(set(fabric.endpoint_server[flows.src[mine]]) - {group % 4}) == 1
        assert (fabric.endpoint_rail[flows.src[mine]] == fabric.endpoint_rail[flows.dst[mine]]).all()
    packets = np.ceil(flows.size / scenario.fabric.mtu).sum() / len(requests)
    assert packets_per_request(demand, requests, scenario.fabric) == pytest.approx(packets, rel=0.01)


def test_experts_send_between_the_servers_of_one_replica(requests):
    scenario = moe()
    hardware = find_hardware(scenario.service)
    demand = demand_of(scenario, hardware, 4, 16 * 32.0)
    assert (demand.members, demand.tokens_per_gpu, demand.layers) == (16, 32, hardware.llm.moe_layers)
    fabric = build_fabric(scenario, 4)
    flows = demand_flows(fabric, demand, requests, whole(requests), scenario.fabric, 1)
    assert len(set(flows.group)) == 2 * 3 * 2  # two replicas, three layers, dispatch and combine
    source, target = fabric.endpoint_server[flows.src], fabric.endpoint_server[flows.dst]
    assert (source != target).all()
    assert (source // 2 == target // 2).all()
    dispatch = flows.take(flows.group % 2 == 0)
    # half of the visited experts are on the other server, on average: 16 GPUs x 32 tokens x 8 experts / 2
    row = dispatch.total_bytes / (2 * 3 * 16 * 32 * 8 / 2)
    assert row == pytest.approx(hardware.llm.hidden * (1 + 4 / 128), rel=0.05)  # FP8, a scale every 128 values
    assert flows.total_bytes - dispatch.total_bytes == pytest.approx(
        2 * 3 * 16 * 32 * 8 / 2 * hardware.llm.hidden * 2, rel=0.05
    )  # back in BF16


def test_a_step_is_the_sum_of_its_layers():
    demand = demand_of(moe(), find_hardware(moe().service), 4, 512.0)
    collective = np.array([30_000_000, 50_000_000] * 4)
    steps = step_samples(demand, collective, 4_000_000, seed=1)
    each = 30_000_000 + 50_000_000 + 2 * (22_000_000 - 4_000_000)  # the kernel's 22 us hold the way
    np.testing.assert_array_equal(steps, np.full(64, demand.layers * each))
    assert not len(step_samples(demand, np.zeros(0, np.int64), 0, seed=1))


def test_layers_that_are_not_alike_mix():
    demand = demand_of(moe(), find_hardware(moe().service), 4, 512.0)
    collective = np.repeat(np.array([20, 60]) * 1_000_000, 4)
    steps = step_samples(demand, collective, 22_000_000, seed=1)
    layers = demand.layers
    assert (steps > layers * 40_000_000).all() and (steps < layers * 120_000_000).all()
    assert steps.mean() == pytest.approx(layers * 80_000_000, rel=0.05)


@pytest.mark.parametrize(
    ("gpu", "topology"),
    [
        ("h100-sxm", RAIL),
        ("l40s", HALF),
    ],
)
def test_experts_over_two_servers_run_through(gpu, topology):
    found = study(moe(gpu, topology), Options(folder=Path()))
    assert found.exit_status == 0
    hardware = found.chain.settled.hardware
    step = found.chain.settled.network.windows[-1].figures["step P50"].value
    assert step > 2 * hardware.llm.moe_layers * 20
