"""What the simulator promises as a whole: shares, conservation, repeatability, refusals."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from metaroce.kit.errors import InputError
from metaroce.model.fabric_settings import LawSettings, SimSettings
from metaroce.sim import api
from metaroce.sim.hpcc import hpcc_settings


def same(a, b):
    """Every array and number of two results is equal, bit for bit."""
    for part in ("flows", "ports", "series", "totals"):
        for field in dataclasses.fields(getattr(a, part)):
            x, y = (np.asarray(getattr(getattr(r, part), field.name)) for r in (a, b))
            if x.tobytes() != y.tobytes():
                return False
    return True


def incast(lab, senders=6, size=2_000_000, **star):
    return lab.star_case(
        lab.star([100 * lab.G] * (senders + 1), **star), list(range(senders)), [senders] * senders, size
    )


@pytest.mark.parametrize("law", ["none", "dcqcn"])
def test_two_flows_share_a_link_fairly_and_fill_it(lab, law):
    case = incast(lab, 2, 20_000_000)
    result = case.run(hpcc_settings(law).model_copy(update={"clock": "ps"}))
    link = 8 * 40_000_000 * 1.048 / 100e9 * 1e12
    first, last = sorted(result.flows.finish_ps.tolist())
    assert link < last < link * (1.01 if law == "none" else 1.2)
    assert first > 0.85 * last
    assert result.ports.headroom_drops.sum() == 0


def test_three_pairs_do_not_disturb_each_other(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 6), [0, 1, 2], [3, 4, 5], 500_000)
    assert (case.run().flows.slowdown == 1).all()


def test_flows_start_when_they_should(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0, 0], [1, 1], 1000, [0, 70 * lab.US])
    result = case.run()
    assert result.flows.start_ps.tolist() == [0, 70 * lab.US]
    assert (result.flows.slowdown == 1).all()


@pytest.mark.parametrize("until_us", [1, 10, 100, 400])
def test_bytes_are_conserved_at_any_moment(lab, until_us):
    case = incast(lab)
    settings = hpcc_settings().model_copy(update={"until": until_us * lab.US, "corruption": 1e-3})
    result = case.run(settings)
    assert result.unaccounted_bytes() == 0
    assert result.totals.in_flight_bytes > 0
    assert result.totals.end_ps == until_us * lab.US
    assert (result.totals.dropped_bytes > 0) == (result.ports.corrupted.sum() > 0)


def test_same_seed_same_bytes_other_seed_other_marks(lab):
    case = incast(lab)
    one, again, other = (case.run(hpcc_settings(), seed=seed) for seed in (1, 1, 2))
    assert one.ports.marks.sum() > 0
    assert same(one, again)
    assert not same(one, other)


def test_slices_and_growth_do_not_change_the_result(lab, monkeypatch):
    case = incast(lab)
    whole = case.run(hpcc_settings())
    told = []
    monkeypatch.setattr(api, "_SLICE", 1000)
    sliced = case.run(hpcc_settings(), progress=lambda what, share: told.append((what, share)))
    assert same(whole, sliced)
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 10
    assert told[-1][0].startswith("simulated ")


def test_stopping_between_slices(lab, monkeypatch):
    monkeypatch.setattr(api, "_SLICE", 1000)

    def stop(what, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        incast(lab).run(progress=stop)


def test_nothing_to_do(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 2), [], [], [])
    result = case.run()
    assert result.totals.events == 0 and len(result.flow_table()) == 0


def test_tables_have_a_row_per_flow_and_port(lab):
    result = incast(lab).run()
    assert result.flow_table().shape == (6, 13)
    assert result.port_table().height == 14
    assert result.flow_table()["slowdown"].min() >= 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"paths": [[0, 2]]}, "does not lead from endpoint 0 to 1"),
        ({"paths": [[1, 2]]}, "does not lead"),
        ({"paths": [[-1, 3]]}, "does not lead"),
        ({"paths": [[0, 99]]}, "outside"),
        ({"paths": np.zeros((2, 2), np.int32)}, "shape"),
    ],
)
def test_bad_paths_are_refused(lab, change, words):
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0], [1], 1000)
    with pytest.raises(InputError, match=words):
        dataclasses.replace(case, paths=np.array(change["paths"], np.int32)).run()


def test_buffers_must_hold_their_headroom(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 2, buffer=50_000), [0], [1], 1000)
    with pytest.raises(InputError, match="does not hold") as error:
        case.run()
    assert "switch s" in str(error.value)


def test_laws_by_traffic_class(lab):
    fabric = lab.star([100 * lab.G] * 5)
    case = lab.star_case(fabric, [0, 1, 2, 3], [4] * 4, 3_000_000, traffic_class=[0, 0, 1, 1])
    settings = hpcc_settings().model_copy(update={"class_laws": {1: LawSettings(name="none")}})
    finish = case.run(settings).flows.finish_ps
    assert finish[2:].max() < finish[:2].min()  # who does not yield wins
    many = {n: LawSettings(name="none", min_rate=10**6 + n) for n in range(5)}
    with pytest.raises(InputError, match="6 different"):
        case.run(settings.model_copy(update={"class_laws": many}))


SCRIPT = """
import hashlib, numpy as np
from metaroce.fabric.graph import Endpoint, Link, Switch, assemble
from metaroce.loads.flows import make_flows
from metaroce.sim.api import simulate
from metaroce.sim.hpcc import hpcc_settings
np.seterr(over="ignore")
G = 10**9
links = [Link(i, 5, 100 * G, 10**6) for i in range(5)]
fabric = assemble([Endpoint(f"h{i}") for i in range(5)], [Switch("s", 1, 0, 0)], links)
flows = make_flows([0, 1, 2, 3], [4] * 4, 60_000, [0, 0, 5_000_000, 5_000_000], priority=[3, 3, 3, 2])
down = fabric.port_reverse
s = hpcc_settings()
s = s.model_copy(update=dict(
    ecn=s.ecn.model_copy(update=dict(kmin=5000, kmax=50_000)), timeout=100_000_000, corruption=0.002,
    cnp=s.cnp.model_copy(update=dict(as_ack_flag=False, delay=1_000_000)),
    buffer=s.buffer.model_copy(update=dict(size=400_000)),
    pfc=s.pfc.model_copy(update=dict(headroom="auto"))))
ways = [np.stack([a, down[b]], 1) for a, b in ((flows.src, flows.dst), (flows.dst, flows.src))]
r = simulate(fabric, flows, *ways, s, seed=5)
print(r.totals, r.flows.finish_ps.tolist(), r.flows.resent.tolist(), r.flows.cnps.tolist(), r.ports.marks.sum(),
      r.ports.pauses_sent.tolist(), r.ports.corrupted.tolist(), r.series.paused_ps.sum())
"""


def test_compiled_equals_uncompiled():
    """A small case with marks, CNPs, pauses, losses and time-outs, in two processes: with and without the compiler."""
    answers = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
            env={"PATH": "/usr/bin:/bin", "HOME": str(Path.home()), "NUMBA_DISABLE_JIT": off},
        ).stdout
        for off in ("0", "1")
    ]  # fmt: skip
    assert answers[0] == answers[1]
    assert "pauses" not in answers[0] and "finished=4" in answers[0]


def test_defaults_run(lab):
    result = incast(lab).run(SimSettings())
    assert result.totals.finished == 6 and result.unaccounted_bytes() == 0
