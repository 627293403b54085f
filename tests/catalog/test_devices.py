"""The catalog of devices holds what it claims: capacities, sources, and which values are assumed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from metaroce.catalog.read import lookup, read_catalog
from metaroce.kit.errors import ScenarioError
from metaroce.model.devices import Cable, Nic, Sourced, Switch

SWITCHES, NICS, CABLES = (read_catalog(k, f) for k, f in ((Switch, "switches"), (Nic, "nics"), (Cable, "cables")))
G = 10**9


@pytest.mark.parametrize(
    ("name", "terabit"), [("tomahawk3-32x400g", 12.8), ("tomahawk4-64x400g", 25.6), ("tomahawk5-64x800g", 51.2)]
)
def test_generations(name, terabit):
    assert SWITCHES[name].capacity == terabit * 1e12


def test_a_chip_of_half_the_capacity_has_about_half_the_buffer():
    half, full = SWITCHES["tomahawk3-32x400g"], SWITCHES["tomahawk4-64x400g"]
    assert half.buffer / full.buffer == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(("gbit", "ports"), [(100, 512), (200, 256), (400, 128), (800, 64), (1600, 0)])
def test_cages_split_into_ports(gbit, ports):
    assert SWITCHES["tomahawk5-64x800g"].radix(gbit * G) == ports


@pytest.mark.parametrize("name", SWITCHES)
def test_pools_fit_the_memory(name):
    switch = SWITCHES[name]
    assert (switch.shared_pool or 0) + (switch.headroom_pool or 0) <= switch.buffer * 1.01
    for rate in (25, 50, 100, 200, 400, 800):
        assert switch.radix(rate * G) * rate * G <= switch.capacity


@pytest.mark.parametrize("entry", [*SWITCHES.items(), *NICS.items(), *CABLES.items()], ids=lambda e: e[0])
def test_every_entry_has_a_source(entry):
    assert len(entry[1].source) > 10


@pytest.mark.parametrize("name", NICS)
def test_the_host_interface_carries_one_port(name):
    assert NICS[name].host_rate >= NICS[name].rate


@pytest.mark.parametrize("gbit", [100, 200, 400, 800])
def test_every_speed_has_cables_from_the_rack_to_two_kilometres(gbit):
    reaches = sorted(cable.reach_m for cable in CABLES.values() if cable.rate == gbit * G)
    assert reaches[0] <= 5 and reaches[-1] >= 2000


def test_a_wrong_name_is_answered_with_near_ones():
    with pytest.raises(ScenarioError, match="'tomahawk5-64x400g'") as error:
        lookup(Switch, "switches", "tomahawk5-64x400g", field="topology.switch")
    assert "tomahawk5-64x800g" in error.value.hint


def test_assumptions_must_name_fields():
    with pytest.raises(ValidationError, match="names no field: wattage"):
        Sourced(source="x", assumed=("wattage",))


@pytest.mark.parametrize("kind", [Switch, Nic, Cable])
def test_every_field_is_explained(kind):
    assert all("description" in field for field in kind.model_json_schema()["properties"].values())
