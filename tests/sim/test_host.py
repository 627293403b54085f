"""The NIC and the reliable connection: pacing, fairness, acknowledgements, go-back-N, CNPs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.model.fabric_settings import (
    BufferSettings,
    CnpSettings,
    EcnSettings,
    LawSettings,
    PfcSettings,
    SimSettings,
)  # fmt: skip


def one_flow(lab, size=200_000, **changes):
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0], [1], size)
    return case.run(lab.BARE.model_copy(update={"timeout": 100_000_000, "retries": 1000, **changes}), seed=3)


@given(corruption=st.floats(0, 0.2), seed=st.integers(0, 1000), interval=st.integers(1, 8), size=st.integers(1, 60_000))
def test_everything_arrives_whatever_is_lost(lab, corruption, seed, interval, size):
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0], [1], size)
    settings = lab.BARE.model_copy(
        update={"timeout": 50_000_000, "retries": 10**6, "corruption": corruption, "ack_interval": interval}
    )
    result = case.run(settings, seed=seed)
    assert result.totals.finished == 1
    assert result.flows.delivered_ps[0] > 0
    assert result.unaccounted_bytes() == 0
    lost = result.ports.corrupted.sum()
    if lost == 0:
        assert result.flows.slowdown[0] == 1 and result.flows.resent[0] == 0


def test_a_lost_packet_is_asked_for_once_and_costs_a_round_trip(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0], [1], 2_000_000)
    settings = lab.BARE.model_copy(update={"corruption": 5e-4})
    seen = 0
    for seed in range(10):
        result = case.run(settings, seed=seed)
        flows, naks = result.flows, result.flows.naks[0]
        if flows.timeouts[0]:
            continue  # the NAK itself or the last packet was lost
        seen += naks
        assert naks <= result.ports.corrupted.sum()
        assert naks * 2 <= flows.resent[0] <= naks * 55  # what is in flight in a round trip of 4.3 us
        round_trip = 4 * lab.US + 400_000
        assert 0 <= flows.fct_ps[0] - flows.ideal_ps[0] <= naks * round_trip
    assert seen > 5


def test_the_last_packet_lost_needs_the_timer(lab):
    """One packet per flow: a loss cannot be noticed by the receiver."""
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0] * 200, [1] * 200, 500, np.arange(200) * 10**6)
    settings = lab.BARE.model_copy(update={"timeout": 100_000_000, "corruption": 0.02})
    result = case.run(settings)
    late = result.flows.timeouts > 0
    assert late.any() and not late.all()
    assert (result.flows.fct_ps[late] >= 100_000_000).all()
    assert (result.flows.fct_ps[~late] < 50_000_000).all()


def test_a_flow_gives_up_after_its_retries(lab):
    result = one_flow(lab, corruption=1.0, retries=7)
    assert result.flows.failed.tolist() == [True]
    assert result.flows.finish_ps.tolist() == [-1] and np.isnan(result.flows.slowdown[0])
    assert result.flows.timeouts.tolist() == [7]
    assert result.totals.end_ps == 8 * 100_000_000


def test_acknowledgements_every_n_packets(lab):
    for interval, acks in ((1, 200), (4, 50), (7, 29), (1000, 1)):
        result = one_flow(lab, ack_interval=interval)
        assert result.ports.sent_packets[1] == acks
        assert result.totals.packets == 200


def test_queue_pairs_of_a_nic_take_turns(lab):
    """Four flows of one NIC to four idle receivers end within a packet of each other."""
    case = lab.star_case(lab.star([100 * lab.G] * 5), [0] * 4, [1, 2, 3, 4], 100_000)
    result = case.run(lab.BARE)
    assert np.ptp(result.flows.finish_ps) <= 4 * 80_000
    assert result.flows.finish_ps.max() == pytest.approx(4 * 100 * 80_000 + 4 * lab.US, rel=0.01)


def test_a_slow_law_paces_its_packets(lab, tmp_path):
    law = tmp_path / "half.py"
    law.write_text(
        '"""Half the line."""\nPARAMS = {"share": 0.5}\n\ndef on_start(s, c, p, now):\n    s.rate = s.line * p[0]\n'
    )
    result = one_flow(lab, law=LawSettings(name=str(law)))
    assert result.flows.fct_ps[0] == result.flows.ideal_ps[0] + 199 * 80_000
    slower = one_flow(lab, law=LawSettings(name=str(law), params={"share": 0.1}))
    assert slower.flows.fct_ps[0] == result.flows.ideal_ps[0] + 199 * 9 * 80_000


def test_a_window_limits_what_is_in_flight(lab, tmp_path):
    law = tmp_path / "window.py"
    law.write_text(
        '"""A fixed window."""\nPARAMS = {"bytes": 1000.0}\n\ndef on_start(s, c, p, now):\n    s.window = p[0]\n'
    )
    round_trip = 2 * 80_000 + 2 * 4_800 + 4 * lab.US
    one = one_flow(lab, law=LawSettings(name=str(law)))
    assert one.flows.fct_ps[0] == 200 * round_trip
    ten = one_flow(lab, law=LawSettings(name=str(law), params={"bytes": 10_000}))
    assert ten.flows.fct_ps[0] == pytest.approx(20 * round_trip, rel=0.05)
    tenth = one_flow(lab, 20_000, law=LawSettings(name=str(law), params={"bytes": 100}))
    assert tenth.flows.fct_ps[0] == 19 * 10 * round_trip + round_trip  # below one packet the window becomes a rate


def test_cnps_keep_their_interval_and_delay(lab):
    ecn = EcnSettings(kmin=0, kmax=0, pmax=1.0)
    case = lab.star_case(lab.star([100 * lab.G, 50 * lab.G]), [0], [1], 1_000_000)
    for interval_us, delay in ((4, 0), (50, 0), (50, 7_000_000)):
        cnp = CnpSettings(interval=f"{interval_us} us", delay=f"{delay} ps")
        result = case.run(lab.BARE.model_copy(update={"ecn": ecn, "cnp": cnp}))
        duration = result.flows.delivered_ps[0] - 2 * lab.US
        assert result.flows.marks[0] == pytest.approx(1000, abs=3)
        assert result.flows.cnps[0] == pytest.approx(duration / (interval_us * lab.US), abs=2)
    as_flag = case.run(lab.BARE.model_copy(update={"ecn": ecn, "cnp": CnpSettings(as_ack_flag=True)}))
    assert as_flag.flows.cnps[0] == pytest.approx(as_flag.flows.marks[0], abs=1)


def test_control_packets_overtake_data_where_they_are_strict(lab):
    """0 -> 1 and 1 -> 0 at once: the ACKs of each flow share the links with the data of the other."""
    case = lab.star_case(lab.star([100 * lab.G] * 2), [0, 1], [1, 0], 400_000)
    settings = SimSettings(mtu=1000, law=LawSettings(name="none"))
    everywhere = case.run(settings).flows.fct_ps.max()
    nowhere = case.run(
        settings.model_copy(update={"control": settings.control.model_copy(update={"strict": "nowhere"})})
    ).flows.fct_ps.max()
    assert everywhere <= nowhere


def test_lossy_incast_recovers(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 9), list(range(8)), [8] * 8, 300_000)
    settings = lab.BARE.model_copy(
        update={
            "pfc": PfcSettings(enabled=False), "buffer": BufferSettings(size=100_000), "timeout": 50_000_000,
            "retries": 10_000,
        }
    )  # fmt: skip
    result = case.run(settings)
    assert result.totals.finished == 8 and result.unaccounted_bytes() == 0
    assert result.ports.tail_drops.sum() > 100
