"""Bill of materials: quantities by hand, racks and hall that bind, and what does not fit."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.catalog.read import read_catalog
from metaroce.cost.api import capex, price_book
from metaroce.fabric.build import build
from metaroce.fabric.inventory import inventory
from metaroce.kit import units
from metaroce.kit.errors import ScenarioError
from metaroce.model import devices
from metaroce.model.accelerators import Server
from metaroce.model.bill import BillPlan, RackPlan
from metaroce.model.money import Money, Price
from metaroce.model.topology import Explicit, FatTree, LeafSpine, NamedEndpoint, NamedLink, NamedSwitch, Rail
from metaroce.study.bill import bill_of_materials, cable_for, fit_hall, fit_racks, total_power_w, with_spares

SERVER = read_catalog(Server, "servers")["dgx-h100"]
SWITCHES, NICS = read_catalog(devices.Switch, "switches"), read_catalog(devices.Nic, "nics")


def parts_of(topology, servers=None):
    return inventory(build(topology, servers, switches=SWITCHES, nics=NICS))


@pytest.fixture(scope="module")
def rail():
    return parts_of(Rail(kind="rail", host_cable_m=3.0), 128)


def test_1024_gpus_on_a_rail_fabric_by_hand(rail):
    bill = bill_of_materials(1020, "dgx-h100", SERVER, rail, BillPlan())
    got = {(line.kind, line.name): line.quantity for line in bill.lines if line.kind != "switch"}
    assert got == {
        ("gpu", "h100-sxm"): 1024,
        ("server", "dgx-h100"): 128,
        ("nic", "connectx7-400g"): 1024,
        ("cable", "dac-400g"): 1024,
        ("optic", "sr-400g"): 2048,  # two ends of 1,024 leaf-spine links
        ("fibre", "fibre"): 1024,
        ("rack", "rack"): 34,
    }
    assert [(line.item, line.quantity) for line in bill.lines if line.kind == "switch"] == [
        ("leaf switch", 16), ("spine switch", 8),
    ]  # fmt: skip
    assert bill.gpus == 1024 and bill.servers == 128
    assert bill.power_w == pytest.approx(128 * 10_200 + 24 * 913 + 1024 * 0.2 + 2048 * 8)
    assert bill.power_w == pytest.approx(total_power_w(bill.lines))
    assert bill.problems == ()


def test_every_line_says_why_and_has_a_price(rail):
    prices = read_catalog(Price, "prices")
    bill = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan())
    for line in bill.lines:
        assert any(digit in line.why for digit in "0123456789"), line
        assert line.name in prices, line
    assert bill.quantity("switch") == 24


def test_purchase_price_is_near_a_published_cluster(rail):
    """August 2024 sheet of tech-talk-cto.com, 128 nodes: 39.68 M$ nodes, 1.728 M$ switches, 2.62 M$ cables."""
    lines = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan()).lines
    total = sum(line.value for line in capex(lines, price_book(Money())))
    assert total == pytest.approx(39.68e6 + 1.728e6 + 2.62144e6, rel=0.1)


def test_optics_everywhere_when_copper_is_not_wanted(rail):
    bill = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan(dac_reach_m=0))
    assert bill.quantity("cable") == 0
    assert bill.quantity("optic") == 4096
    assert bill.quantity("fibre") == 2048


def test_a_fat_tree_has_cores_and_longer_optics():
    bill = bill_of_materials(256, "dgx-h100", SERVER, parts_of(FatTree(kind="fat-tree", k=16), 32), BillPlan())
    tiers = [line.item for line in bill.lines if line.kind == "switch"]
    assert tiers == ["leaf switch", "spine switch", "core switch"]
    assert {line.name for line in bill.lines if line.kind == "optic"} == {"sr-400g", "dr-400g"}


def test_switches_without_a_model_take_the_class_of_their_ports():
    fabric = Explicit(
        kind="explicit",
        endpoints=tuple(NamedEndpoint(name=f"h{i}", server=i // 8, rail=i % 8) for i in range(16)),
        switches=(NamedSwitch(name="s", tier=1),),
        links=tuple(NamedLink(a=f"h{i}", b="s", rate="400G", cable_m=2) for i in range(16)),
    )
    parts = parts_of(fabric)
    blank = pl.lit("").alias("model")
    nameless = replace(parts, switches=parts.switches.with_columns(blank), nics=parts.nics.with_columns(blank))
    bill = bill_of_materials(16, "dgx-h100", SERVER, nameless, BillPlan())
    line = next(line for line in bill.lines if line.kind == "switch")
    assert line.name == "switch-6400g"  # 16 x 400G
    assert line.power_w == pytest.approx(6.4 * 25)
    assert {"switch-6400g", "nic-400g"} <= {line.name for line in bill.lines}
    assert {line.name for line in bill.lines} <= set(read_catalog(Price, "prices"))


def test_dual_port_cards_are_counted_by_the_card():
    topology = LeafSpine(nic="connectx6dx-100g", nic_rate="100G", uplink_rate="400G")
    bill = bill_of_materials(32, "dgx-h100", SERVER, parts_of(topology, 4), BillPlan())
    assert bill.quantity("nic") == 4 * 8 // 2


@pytest.mark.parametrize(
    ("rate", "length", "name"),
    [
        ("400G", 3.0, "dac-400g"), ("400G", 3.1, "sr-400g"), ("400G", 40, "sr-400g"), ("400G", 300, "dr-400g"),
        ("400G", 1999, "fr-400g"), ("400G", 5000, "lr-400g"), ("800G", 2.5, "sr-800g"), ("100G", 4.0, "sr-100g"),
        ("25G", 2.0, "dac-100g"), ("400G", 0.0, "sr-400g"),
    ],
)  # fmt: skip
def test_cable_by_speed_and_length(rate, length, name):
    assert cable_for(units.rate(rate), length, 3.0)[0] == name


def test_no_cable_reaches():
    with pytest.raises(ScenarioError, match="reaches 20000 m"):
        cable_for(400_000_000_000, 20_000, 3.0)
    with pytest.raises(ScenarioError, match="no cable"):
        cable_for(3_200_000_000_000, 3, 3.0)


@pytest.mark.parametrize(
    ("kind", "each", "binds"), [("air-15kw", 1, "power"), ("air-42kw", 4, "power"), ("liquid-132kw", 5, "space")]
)
def test_power_or_space_binds(kind, each, binds):
    fit = fit_racks(128, SERVER, 0, 0.0, RackPlan(kind=kind))
    assert (fit.servers_per_rack, fit.binds) == (each, binds)
    assert fit.server_racks == -(-128 // each)
    assert fit.network_racks == 0


def test_a_server_too_strong_for_the_rack():
    with pytest.raises(ScenarioError) as caught:
        fit_racks(1, SERVER, 0, 0.0, RackPlan(kind="air-10kw"))
    assert "10.2 kW into 10 kW" in caught.value.what
    with pytest.raises(ScenarioError, match="8 units into 2"):
        fit_racks(1, SERVER, 0, 0.0, RackPlan(units=6))
    with pytest.raises(ScenarioError, match="air-11kw"):
        fit_racks(1, SERVER, 0, 0.0, RackPlan(kind="air-11kw"))


def test_network_racks_by_power_and_by_space():
    by_space = fit_racks(8, SERVER, 100, 1000.0, RackPlan(kw=30, units=48))
    assert by_space.network_racks == 5  # 44 usable units / 2 = 22 switches a rack
    by_power = fit_racks(8, SERVER, 10, 100_000.0, RackPlan(kw=30, units=48))
    assert by_power.network_racks == 4


def test_hall_power_binds_and_says_how_many_fit(rail):
    plan = BillPlan(rack=RackPlan(hall_kw=1000, hall_racks=100))
    bill = bill_of_materials(1024, "dgx-h100", SERVER, rail, plan)
    each_kw = bill.power_w / 1000 / 128
    assert bill.hall.binds == "power" and not bill.hall.fits
    assert bill.hall.largest_gpus == int(1000 / each_kw) * 8
    assert [problem.severity for problem in bill.problems] == ["error"]
    assert f"{bill.hall.largest_gpus:,} GPUs" in bill.problems[0].what


def test_hall_racks_bind(rail):
    bill = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan(rack=RackPlan(hall_racks=17)))
    assert bill.hall.binds == "racks" and not bill.hall.fits
    assert bill.hall.largest_gpus == 64 * 8  # 16 server racks x 4, and one of the two network racks


def test_a_hall_that_is_just_large_enough(rail):
    bill = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan())
    exact = RackPlan(hall_kw=bill.power_w / 1000, hall_racks=34)
    again = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan(rack=exact))
    assert again.hall.fits and again.hall.largest_gpus >= 1024
    assert again.problems == ()


@given(servers=st.integers(1, 500), kw=st.floats(50, 20_000), more=st.floats(0, 5_000), racks=st.integers(1, 300))
def test_a_larger_hall_never_holds_fewer(servers, kw, more, racks):
    def largest(**limits):
        plan = RackPlan(**limits)
        return fit_hall(
            servers, SERVER, 2000.0 * servers, fit_racks(servers, SERVER, servers, 2000.0 * servers, plan), plan
        )

    assert largest(hall_kw=kw + more).largest_gpus >= largest(hall_kw=kw).largest_gpus
    one = largest(hall_racks=racks)
    assert largest(hall_racks=racks + 1).largest_gpus >= one.largest_gpus
    assert one.fits == (one.largest_gpus >= servers * SERVER.gpus)
    both = largest(hall_kw=kw, hall_racks=racks)
    assert both.largest_gpus == min(one.largest_gpus, largest(hall_kw=kw).largest_gpus)


def test_a_fabric_too_small_is_told(rail):
    bill = bill_of_materials(2048, "dgx-h100", SERVER, rail, BillPlan())
    assert "1,024 endpoints" in bill.problems[0].what and "2,048 NIC ports" in bill.problems[0].what


def test_spares_join_the_bill_without_power(rail):
    bill = bill_of_materials(1024, "dgx-h100", SERVER, rail, BillPlan())
    lines = with_spares(bill, {"connectx7-400g": 3, "psu": 13, "sr-400g": 0}, {"psu": "Poisson"})
    added = lines[len(bill.lines) :]
    assert [(line.item, line.kind, line.quantity, line.power_w) for line in added] == [
        ("spare connectx7-400g", "nic", 3, 0.0), ("spare psu", "psu", 13, 0.0),
    ]  # fmt: skip
    assert added[1].why == "Poisson"


def test_no_gpus_no_bill(rail):
    with pytest.raises(ScenarioError, match="0 GPUs"):
        bill_of_materials(0, "dgx-h100", SERVER, rail, BillPlan())
