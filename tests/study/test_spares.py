"""Failures and spares against hand arithmetic, published failure intervals and enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaroce.catalog.read import read_catalog
from metaroce.fabric.build import build
from metaroce.fabric.inventory import inventory
from metaroce.kit.errors import InfeasibleError, ScenarioError
from metaroce.model import devices
from metaroce.model.accelerators import Server
from metaroce.model.bill import BillPlan, FailureRate, RepairTimes, SparesPolicy
from metaroce.model.topology import LeafSpine, Rail
from metaroce.study.bill import bill_of_materials
from metaroce.study.spares import (
    LeafGroup,
    blast_table,
    failure_rates,
    failure_table,
    hours_between_failures,
    installed_parts,
    leaf_groups,
    mean_down_h,
    part_spares,
    server_spares,
    servers_for,
    spare_servers,
    up_distribution,
    up_share,
)

DEVICES = {"switches": read_catalog(devices.Switch, "switches"), "nics": read_catalog(devices.Nic, "nics")}


def test_published_failure_intervals_of_128_nodes():
    """1,024 GPUs: 28.8 h (RSC-1), 80 h (RSC-2), 49.5 h (Llama 3)."""
    server = failure_rates(SparesPolicy())["server"]
    assert hours_between_failures(server.low_h, 128) == pytest.approx(28.8, abs=0.05)
    assert hours_between_failures(server.high_h, 128) == pytest.approx(80, abs=0.2)
    assert hours_between_failures(server.mtbf_h, 128) == pytest.approx(49.5, abs=0.05)


def test_mttf_of_1024_gpus_and_of_llama_3():
    """Llama 3: 16,384 GPUs, an interruption every 3.1 h."""
    assert hours_between_failures(failure_rates(SparesPolicy())["server"].mtbf_h, 2048) == pytest.approx(3.09, abs=0.01)


def test_server_up_by_hand():
    repair = RepairTimes(swap_share=0.5, swap_h=10, restart_h=2)
    assert mean_down_h(repair) == 6
    assert up_share(594, 6) == 0.99


def test_binomial_case_by_hand():
    """Two needed, each up 90 %: none spare .81, one .972, two .9963."""
    k, reached, without = server_spares(2, 0.9, 0.97)
    assert (k, without) == (1, pytest.approx(0.81))
    assert reached == pytest.approx(0.9**3 + 3 * 0.9**2 * 0.1)
    assert server_spares(2, 0.9, 0.99)[0] == 2
    assert server_spares(2, 0.9, 0.80)[0] == 0


def test_leaf_takes_its_group_by_hand():
    """Two leaves of two servers that never fail, a leaf up 90 %: P(4) = .81, P(2) = .18, P(0) = .01."""
    up = up_distribution((LeafGroup(2, 1),) * 2, 1.0, 0.9)
    assert up == pytest.approx([0.01, 0, 0.18, 0, 0.81])
    k, reached, without = server_spares(2, 1.0, 0.95, groups=(LeafGroup(2, 1),), leaf_up=0.9)
    assert without == pytest.approx(0.9)
    assert k == 2 and reached == pytest.approx(0.99)  # one spare alone on the next leaf would not carry two
    assert server_spares(2, 1.0, 0.95, groups=(LeafGroup(2, 1),))[0] == 0  # leaves that never fail


@given(
    sizes=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=3),
    server_up=st.floats(0.05, 1),
    leaf_up=st.floats(0.05, 1),
    degraded=st.booleans(),
)
@settings(max_examples=40)
def test_distribution_is_the_enumeration_of_all_states(sizes, server_up, leaf_up, degraded):
    groups = tuple(LeafGroup(servers, leaves) for servers, leaves in sizes)
    expected = np.zeros(sum(s for s, _ in sizes) + 1)
    units = [(i, j) for i, (s, _) in enumerate(sizes) for j in range(s)]
    leaves = [(i, j) for i, (_, n) in enumerate(sizes) for j in range(n)]
    for state in itertools.product((True, False), repeat=len(units) + len(leaves)):
        weight = math.prod(server_up if up else 1 - server_up for up in state[: len(units)])
        weight *= math.prod(leaf_up if up else 1 - leaf_up for up in state[len(units) :])
        alive = dict(zip(leaves, state[len(units) :], strict=True))
        count = 0
        for unit, up in zip(units, state[: len(units)], strict=True):
            mine = [alive[leaf] for leaf in leaves if leaf[0] == unit[0]]
            count += up and (not mine or (all(mine) if degraded else any(mine)))
        expected[count] += weight
    got = up_distribution(groups, server_up, leaf_up, degraded_is_down=degraded)
    assert got == pytest.approx(expected, abs=1e-12)


@given(needed=st.integers(1, 60), server_up=st.floats(0.7, 0.9999), target=st.floats(0.5, 0.99999))
def test_fewest_spares(needed, server_up, target):
    k, reached, without = server_spares(needed, server_up, target)
    assert reached >= target
    assert reached == pytest.approx(stats.binom.sf(needed - 1, needed + k, server_up))
    if k:
        assert stats.binom.sf(needed - 1, needed + k - 1, server_up) < target
        assert without < target


@given(needed=st.integers(1, 40), up=st.floats(0.8, 0.99), size=st.integers(1, 8), leaf_up=st.floats(0.95, 0.9999))
def test_leaves_that_fail_need_no_fewer_spares(needed, up, size, leaf_up):
    alone = server_spares(needed, up, 0.99)[0]
    grouped, reached, _ = server_spares(needed, up, 0.99, groups=(LeafGroup(size, 1),), leaf_up=leaf_up)
    assert grouped >= alone
    assert reached >= 0.99


def test_a_promise_that_cannot_be_kept():
    with pytest.raises(InfeasibleError, match="spare servers"):
        server_spares(10, 0.05, 0.999)


@pytest.mark.parametrize("bad", [(0, 0.9, 0.9), (1, 0.0, 0.9), (1, 1.1, 0.9), (1, 0.9, 1.0)])
def test_bad_input(bad):
    with pytest.raises(ScenarioError, match="target"):
        server_spares(*bad)


@pytest.mark.parametrize(
    ("replicas", "each", "server", "servers"),
    [(16, 1, 8, 2), (17, 1, 8, 3), (3, 4, 8, 2), (3, 3, 8, 2), (5, 16, 8, 10), (5, 12, 8, 10), (1, 8, 8, 1)],
)
def test_servers_for_replicas(replicas, each, server, servers):
    assert servers_for(replicas, each, server) == servers


def test_leaf_groups_of_built_fabrics():
    whole = leaf_groups(build(LeafSpine(servers_per_leaf=8), 24, **DEVICES))
    assert [(group.servers, group.leaves) for group in whole] == [(8, 1), (8, 1), (8, 1)]
    rails = leaf_groups(build(Rail(kind="rail", servers_per_pod=16), 32, **DEVICES))
    assert [(group.servers, group.leaves) for group in rails] == [(16, 8), (16, 8)]


def test_rails_survive_a_leaf_unless_told_otherwise():
    rails = (LeafGroup(16, 8),)
    careful = spare_servers(32, SparesPolicy(degraded_is_down=True, availability=0.9999), groups=rails)
    relaxed = spare_servers(32, SparesPolicy(availability=0.9999), groups=rails)
    assert careful.spares >= relaxed.spares
    assert careful.without_spares < relaxed.without_spares
    assert careful.spares_worst >= careful.spares


def test_spare_servers_says_why():
    result = spare_servers(128, SparesPolicy())
    assert result.availability >= 0.999 > result.without_spares
    assert result.hours_between == pytest.approx(6330 / (128 + result.spares))
    assert "P(up >= 128 of 131)" in result.why and "6,330 h" in result.why


@pytest.mark.parametrize(
    ("expected", "service", "spares"), [(0, 0.95, 0), (1.0, 0.95, 3), (0.05, 0.95, 0), (0.06, 0.95, 1)]
)
def test_part_spares_by_hand(expected, service, spares):
    """Poisson(1): .3679 .7358 .9197 .9810; Poisson(.05): .9512; Poisson(.06): .9418 .9983."""
    assert part_spares(expected, service) == spares


@given(expected=st.floats(0.001, 200), service=st.floats(0.5, 0.9999))
def test_part_spares_are_the_fewest(expected, service):
    spares = part_spares(expected, service)
    assert stats.poisson.cdf(spares, expected) >= service
    assert spares == 0 or stats.poisson.cdf(spares - 1, expected) < service


def test_failure_table_by_hand():
    own = FailureRate(mtbf_h=8760, low_h=876, high_h=87_600, per="NIC", source="own records")
    table = failure_table({"my-nic": ("nic", 100)}, SparesPolicy(rates={"nic": own}))
    row = table.row(0, named=True)
    assert (row["per_year"], row["per_year_low"], row["per_year_high"]) == (100, 10, 1000)
    assert row["lead_weeks"] == 20
    assert row["in_lead_time"] == pytest.approx(100 * 20 * 168 / 8760)
    assert row["spares"] == stats.poisson.ppf(0.95, 100 * 20 * 168 / 8760)
    assert row["spares_worst"] > row["spares"]
    assert "100 x 8760 h / 8,760 h = 100 a year" in row["formula"]


def test_parts_of_a_bill():
    fabric = build(Rail(kind="rail", host_cable_m=3.0), 128, **DEVICES)
    server = read_catalog(Server, "servers")["dgx-h100"]
    bill = bill_of_materials(1024, "dgx-h100", server, inventory(fabric), BillPlan())
    parts = installed_parts(bill, SparesPolicy())
    assert parts == {
        "h100-sxm": ("gpu", 1024),
        "dgx-h100": ("server", 128),
        "connectx7-400g": ("nic", 1024),
        "tomahawk5-64x800g": ("switch", 24),
        "dac-400g": ("dac", 1024),
        "sr-400g": ("optic", 1024),  # links: two transceivers each
        "psu": ("psu", 768),
    }
    table = failure_table(parts, SparesPolicy())
    assert table.height == len(parts)
    assert (table["per_year_low"] <= table["per_year"]).all() and (table["per_year"] <= table["per_year_high"]).all()


def test_blast_radius_by_hand():
    """24 servers on 3 leaves of 8: a leaf takes a third of the fleet with it."""
    fabric = build(LeafSpine(servers_per_leaf=8, spines=4), 24, **DEVICES)
    rows = {row["part"]: row for row in blast_table(fabric, SparesPolicy()).iter_rows(named=True)}
    leaf, spine = rows["leaf"], rows["spine"]
    assert (leaf["count"], leaf["servers_lost"]) == (3, 8)
    assert leaf["per_year"] == pytest.approx(3 * 8760 / 300_000)
    assert leaf["server_hours"] == pytest.approx(leaf["per_year"] * 8 * 4)
    assert (spine["count"], spine["servers_lost"], spine["server_hours"]) == (4, 0, 0)
    assert spine["uplink_lost"] == pytest.approx(1 / 4)
    assert rows["endpoint-leaf link"]["per_year"] == pytest.approx(24 * 8 * 8760 / 607_000)


def test_degraded_servers_count_when_told():
    fabric = build(Rail(kind="rail", servers_per_pod=16), 32, **DEVICES)
    kept, lost = (
        blast_table(fabric, SparesPolicy(degraded_is_down=flag)).row(0, named=True)["server_hours"]
        for flag in (False, True)
    )
    assert kept == 0
    assert lost == pytest.approx(16 * 8760 / 300_000 * 16 * 4)


def test_unknown_kind():
    with pytest.raises(ScenarioError, match="no failure rate for 'fan'"):
        failure_table({"x": ("fan", 1)}, SparesPolicy())
