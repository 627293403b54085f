"""Windows on the packet simulator against closed forms on an idle fabric, and what becomes of lost transfers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metaroce.kit.errors import ScenarioError
from metaroce.loads.requests import make_requests
from metaroce.serving.hardware import find_hardware
from metaroce.study.api import Options, study
from metaroce.study.network import PEAK_WINDOW, WindowTask, build_fabric, run_window
from metaroce.study.transfers import demand_of

SECOND = 10**9
HEADER, MTU, PS_PER_BYTE = 82, 4096, 20  # 400G


@pytest.fixture(scope="module")
def run_of(small_scenario):
    """A window of widely spaced requests on a fabric of four servers, under changed settings."""

    def run(*changes: str, requests: int = 3):
        scenario = small_scenario(changes)
        fabric = build_fabric(scenario, 4)
        table = make_requests(np.arange(requests) * SECOND, 100, 10)
        demand = demand_of(scenario, find_hardware(scenario.service), 4, 0.0)
        return run_window(WindowTask(scenario, fabric, PEAK_WINDOW, table, demand, 1))

    return run


def sizes(size: int, *more: str) -> list[str]:
    return [f"fabric.transfers.smallest={size}B", f"fabric.transfers.largest={size}B", *more]


@pytest.mark.parametrize("size", [1_000, 21_700, 65_536, 500_000])
def test_a_lone_request_is_its_bytes_through_one_port(run_of, size):
    """23 transfers, each whole packets with headers, leave one 400G port one after another, then 5 us of way.

    Without congestion control, which makes large transfers slower than the port.
    """
    packets = -(-size // MTU)
    wire_ps = 23 * (size + packets * HEADER) * PS_PER_BYTE
    run = run_of(*sizes(size, "fabric.law.name=none"))
    assert len(run.request_ps) == 3
    assert len(run.flow_ps) == 69
    assert (run.request_ps >= wire_ps).all()
    assert (run.request_ps <= wire_ps * 1.001 + 5_000_000).all()
    assert run.request_ps.max() == run.flow_ps.max()
    assert run.counts["unfinished"] == run.counts["drops"] == run.counts["timeouts"] == 0


def test_the_budget_of_15_us_fits_20_kb_transfers_and_not_64_kib(run_of):
    assert run_of(*sizes(20_000)).request_ps.max() < 15_000_000
    big = run_of(*sizes(65_536))
    assert big.request_ps.min() > 30_000_000
    assert run_of(*sizes(65_536, "fabric.transfers.spread=rails")).request_ps.max() < 15_000_000


def test_small_transfers_do_not_wake_congestion_control(run_of):
    free, held = run_of("fabric.law.name=none"), run_of()
    np.testing.assert_array_equal(free.request_ps, held.request_ps)


def test_host_overhead_is_added_once_to_a_request(run_of):
    idle, slow = run_of("fabric.host_overhead=0ns"), run_of("fabric.host_overhead=7us")
    np.testing.assert_array_equal(slow.request_ps, idle.request_ps + 7_000_000)
    np.testing.assert_array_equal(slow.flow_ps, idle.flow_ps + 7_000_000)


def test_transfers_that_give_up_count_with_all_their_timeouts(run_of):
    run = run_of("fabric.corruption=100 %", "fabric.retries=2", "fabric.timeout=1ms", "fabric.host_overhead=0ns")
    assert run.counts["unfinished"] == 69
    assert (run.request_ps >= 3_000_000_000).all()


def test_background_in_the_same_queue_slows(run_of):
    load = ["fabric.background.load=40 %", "fabric.windows.packets=100000", "fabric.windows.requests=60"]
    alone = np.median(run_of(requests=12).request_ps)
    same = np.median(run_of(*load, requests=12).request_ps)
    assert same > alone


def test_the_fabric_is_as_large_as_its_servers_or_as_it_says(small_scenario):
    grown = build_fabric(small_scenario(), 9)
    assert set(grown.endpoint_server.tolist()) == set(range(9))
    assert grown.endpoints == 72
    fixed = small_scenario(["fabric.topology={kind: rail, servers: 12}"])
    assert build_fabric(fixed, 9).endpoints == 96
    with pytest.raises(ScenarioError, match="holds 12 servers, 13 are needed"):
        build_fabric(fixed, 13)


def test_a_trace_with_an_empty_mean_minute_runs_through(small_scenario, tmp_path):
    path = tmp_path / "quiet.csv"
    rows = [f"2023-11-16 {10 + n // 2}:{30 * (n % 2):02d}:00.0000000,500,10" for n in range(6)]
    path.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]) + "\n")
    changes = [
        f'requests={{kind: trace, path: "{path}"}}',
        "service.kv_transfer=true",
        "fabric.transfers={kind: model}",
        "service.slos.0.limit=2s",
    ]
    assert study(small_scenario(changes), Options(folder=Path())).exit_status == 0
