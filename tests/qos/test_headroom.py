"""Headroom against published tables and worked numbers."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.qos import headroom as hr

G = 10**9

# operations facts: longest 802.3 response, k = 1, lossless MTU 4096, port MTU 9216; rows by cable length
ESTIMATES = {
    25: (19409, 20514, 22408, 28721, 35034, 82382),
    100: (39978, 44398, 51973, 77226, 102478, 291872),
    200: (44386, 53224, 68376, 118881, 169386, 548174),
    400: (74576, 92253, 122556, 223566, 324576, 1082152),
    800: (77102, 112455, 173061, 375081, 577102, 2092253),
}
LENGTHS = (5, 40, 100, 300, 500, 2000)


@pytest.mark.parametrize("gbit", ESTIMATES)
def test_estimate_with_the_longest_response(gbit):
    found = [hr.estimate(gbit * G, length).total for length in LENGTHS]
    assert found == pytest.approx(ESTIMATES[gbit], abs=1)


@pytest.mark.parametrize(("gbit", "size"), [(25, 3157), (100, 12626), (200, 25253), (400, 50505), (800, 101010)])
def test_bytes_on_a_hundred_metres(gbit, size):
    assert hr.cable_bytes(gbit * G, 100) == pytest.approx(size, abs=0.5)


@pytest.mark.parametrize(("gbit", "us"), [(25, 1.64), (100, 2.02), (200, 1.16), (400, 1.16), (800, 0.58)])
def test_response_times(gbit, us):
    assert hr.response_bytes(gbit * G) * 8 / (gbit * G) * 1e6 == pytest.approx(us, abs=0.005)


def test_rates_between_the_table_take_the_next_one_above():
    assert hr.response_quanta(56 * G) == hr.response_quanta(100 * G) == 394
    with pytest.raises(InputError, match="above 800G"):
        hr.response_quanta(1600 * G)


# (table, model, rows): the published headroom tables of six NVIDIA switches
TABLES = [
    ("ACS-MSN2700", hr.MELLANOX["spectrum"], 15),
    ("ACS-MSN3700", hr.MELLANOX["spectrum-2"], 18),
    ("ACS-MSN4700", hr.MELLANOX["spectrum-3"], 21),
    ("ACS-SN5600", hr.MELLANOX["spectrum-4"], 24),
    ("Mellanox-SN5640-C512X2", hr.MELLANOX["spectrum-5"], 42),
    ("ACS-SN6600", hr.MELLANOX["spectrum-6"], 14),
]


@pytest.mark.parametrize(("sku", "model", "rows"), TABLES, ids=[t[0] for t in TABLES])
def test_nvidia_tables_to_the_byte(shared, sku, model, rows):
    with (shared / "data/pg_profiles.csv").open() as stream:
        table = [row for row in csv.DictReader(stream) if row["path"].endswith("/" + sku)]
    table = list({(row["speed"], row["cable"]): row for row in table}.values())  # a simulated twin repeats one
    assert len(table) == rows
    for row in table:
        found = hr.mellanox(model, int(row["speed"]) * 10**6, float(row["cable"].removesuffix("m")))
        assert found == int(row["xoff"]), (row["speed"], row["cable"])


@pytest.mark.parametrize(
    ("model", "gbit", "metres", "xoff"),
    [
        ("spectrum", 100, 5, 30720), ("spectrum", 100, 300, 104448), ("spectrum-3", 400, 40, 77824),
        ("spectrum-4", 100, 5, 113664), ("spectrum-4", 400, 300, 677888), ("spectrum-4", 800, 300, 1150976),
    ],
)  # fmt: skip
def test_nvidia_values_that_need_no_table(model, gbit, metres, xoff):
    assert hr.mellanox(hr.MELLANOX[model], gbit * G, metres) == xoff


@pytest.mark.parametrize(("metres", "xoff"), [(5, 393192), (40, 445770)])
def test_tomahawk_5_fit(metres, xoff):
    assert hr.broadcom(400 * G, metres).total == pytest.approx(xoff, rel=0.02)


@pytest.mark.parametrize(("gbit", "kilobytes"), [(100, 43.0), (200, 74.6), (400, 137.9), (800, 264.3)])
def test_nic_receive_buffer(gbit, kilobytes):
    assert hr.mlx5_receive_buffer(gbit * G, 7, 4200) / 1000 == pytest.approx(kilobytes, abs=0.06)


@given(st.integers(1, 800), st.floats(0, 5000), st.floats(0, 1e5), st.integers(64, 9216), st.floats(1, 4))
def test_headroom_is_never_below_the_cable_and_grows_with_every_part(gbit, metres, response, mtu, factor):
    given_parts = {"response": response, "sender_mtu": mtu, "own_mtu": mtu, "interface": 800}
    found = hr.general(gbit * G, metres, **given_parts, factor=factor)
    assert found.total >= hr.cable_bytes(gbit * G, metres)
    assert hr.general(gbit * G, metres + 10, **given_parts, factor=factor).total >= found.total
    assert hr.general(gbit * G, metres, **given_parts, factor=factor + 1).total >= found.total
