"""From replicas to servers: margins on replicas, whole servers, spares on top; ports that do not fit are refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.catalog.read import read_catalog
from metaroce.kit.errors import ScenarioError
from metaroce.model.accelerators import Server
from metaroce.serving.hardware import find_hardware
from metaroce.study.hardware import check_ports, lines_for, plan_order, plan_servers, server_name, servers_of

PER_REPLICA = {"service.tensor_parallel=8": 8, "service.tensor_parallel=4": 4, "service.tensor_parallel=2": 2}


@pytest.mark.parametrize("setting", PER_REPLICA)
@given(replicas=st.integers(1, 60))
def test_whole_servers_hold_the_replicas_and_no_server_is_idle(small_scenario, setting, replicas):
    hardware = find_hardware(small_scenario([setting, "service.gpu=h200"]).service)
    assert hardware.gpus == PER_REPLICA[setting]
    servers = servers_of(replicas, hardware)
    assert (servers - 1) * 8 < replicas * hardware.gpus <= servers * 8


@pytest.mark.parametrize("replicas", [1, 2, 5, 11])
@pytest.mark.parametrize("margins", [(0.2, 0.15, 0.3), (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)])
def test_margins_multiply_on_the_replicas_and_round_up(small_scenario, replicas, margins):
    names = ("scheduler", "device_plugin", "nic_driver")
    changes = [f"capacity.reservation.{name}={margin}" for name, margin in zip(names, margins, strict=True)]
    scenario = small_scenario([*changes, "service.tensor_parallel=4", "service.gpu=h200"])
    hardware = find_hardware(scenario.service)
    found = plan_servers(scenario, hardware, replicas)
    product = math.prod(1 + margin for margin in margins)
    assert found.reserved == math.ceil(replicas * product - 1e-9)
    assert found.needed == math.ceil(replicas * 4 / 8)
    assert found.servers == math.ceil(found.reserved * 4 / 8)
    assert found.ordered == found.servers + found.spare
    assert found.from_margins == found.servers - found.needed >= 0
    if not any(margins):
        assert found.reserved == replicas


def test_the_bill_is_for_all_that_is_ordered(small_scenario):
    scenario = small_scenario()
    hardware = find_hardware(scenario.service)
    order = plan_order(scenario, hardware, 5)
    assert order.bill.servers == order.reserved.ordered
    assert order.bill.gpus == order.reserved.ordered * 8
    assert order.fabric.endpoints == order.reserved.ordered * hardware.server.nics
    assert order.lines == lines_for(scenario, hardware, order.reserved.ordered)
    spares = sum(row["spares"] for row in order.failures.iter_rows(named=True) if row["kind"] != "server")
    added = sum(line.quantity for line in order.lines) - sum(line.quantity for line in order.bill.lines)
    assert added == spares > 0


def test_more_replicas_never_order_less(small_scenario):
    scenario = small_scenario()
    hardware = find_hardware(scenario.service)
    ordered = [plan_servers(scenario, hardware, replicas).ordered for replicas in range(1, 40)]
    assert ordered == sorted(ordered)


def test_every_server_of_the_catalog_is_known_by_name(small_scenario):
    for name, server in read_catalog(Server, "servers").items():
        change = {"server": server, "gpu": server.gpu, "tensor_parallel": 1, "llm": "llama-3.1-8b"}
        service = small_scenario().service.model_copy(update=change)
        assert server_name(find_hardware(service)) == name


@pytest.mark.parametrize(
    ("topology", "part"),
    [
        ("{kind: rail, nics_per_server: 4}", "connects 4 NICs of each server, NVIDIA DGX H100"),
        ("{kind: rail, nic_rate: 200G, nic: connectx6-200g}", "NIC links run at 200G"),
    ],
)
def test_ports_that_do_not_fit_are_refused(small_scenario, topology, part):
    scenario = small_scenario([f"fabric.topology={topology}"])
    with pytest.raises(ScenarioError) as caught:
        check_ports(scenario, find_hardware(scenario.service))
    assert part in str(caught.value)
    assert caught.value.where.startswith("fabric.topology")
