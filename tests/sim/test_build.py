"""The memory of a run holds what fabric, flows and settings say."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.model.fabric_settings import BufferSettings, PfcSettings, SimSettings
from metaroce.sim import _build


def build(case, settings, headroom=None):
    amount = _build.headroom_bytes(case.fabric, settings, headroom)
    return _build.build_world(
        case.fabric, case.flows, case.paths, case.back, settings, headroom=amount, seed=0,
        laws=_build.laws_of(settings),
    )  # fmt: skip


@pytest.fixture
def case(lab):
    return lab.star_case(lab.star([100 * lab.G, 400 * lab.G, 30 * lab.G]), [0, 1], [2, 2], 10_000)


def test_headroom_is_kept_only_where_packets_enter_a_switch(case):
    given = _build.headroom_bytes(case.fabric, SimSettings(pfc=PfcSettings(headroom=5000)), None)
    assert given.tolist() == [5000] * 3 + [0] * 3
    assert _build.headroom_bytes(case.fabric, SimSettings(), 7000).tolist() == [7000] * 3 + [0] * 3
    assert _build.headroom_bytes(case.fabric, SimSettings(), np.arange(6)).tolist() == [0, 1, 2, 0, 0, 0]
    off = SimSettings(pfc=PfcSettings(enabled=False))
    assert _build.headroom_bytes(case.fabric, off, None).tolist() == [0] * 6


def test_pool_is_what_headroom_and_reserves_leave(case):
    settings = SimSettings(
        lossless=(3, 4), pfc=PfcSettings(headroom=5000, reserve=1000), buffer=BufferSettings(size=100_000)
    )
    assert build(case, settings).nodes["pool"].tolist() == [0, 0, 0, 100_000 - 2 * 3 * 6000]
    with pytest.raises(InputError, match="does not hold"):
        build(case, settings.model_copy(update={"buffer": BufferSettings(size=36_000)}))


def test_picoseconds_per_byte_where_they_are_whole(case):
    assert build(case, SimSettings()).ports["byte_ps"].tolist() == [80, 20, 0] * 2


def test_growing_keeps_everything(case):
    world = build(case, SimSettings())
    more = _build.grown(world)
    g = more.total[0]
    assert len(more.packets) == 2 * len(world.packets) == g.free
    seen, k = set(), int(g.free_first)
    while k >= 0:
        assert k not in seen
        seen.add(k)
        k = int(more.packets[k].next)
    assert len(seen) == g.free


def test_events_of_a_round_trip_fit_into_the_calendar(lab):
    for delay_ps in (0, 10**6, 10**9):
        fabric = lab.star([100 * lab.G] * 2, delay_ps=delay_ps)
        g = build(lab.star_case(fabric, [0], [1], 1000), SimSettings(pfc=PfcSettings(headroom=0))).total[0]
        assert (delay_ps + 4178 * 80) >> int(g.shift) < _build.BUCKETS
