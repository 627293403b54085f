"""Pauses, headroom, drops and marks of the shared-buffer switch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.fabric.graph import Endpoint, Link, Switch, assemble
from metaroce.fabric.paths import replay_paths
from metaroce.loads.flows import make_flows
from metaroce.model.fabric_settings import BufferSettings, EcnSettings, LawSettings, PfcSettings, SimSettings
from metaroce.sim._build import auto_headroom

PACKET = 1000


def blocked(lab, delay_ps, *, pool=61_500, alpha=0.5, frame_delay=0, headroom=None):
    """100G into a port so slow that only one packet leaves: everything else must be held, paused or lost.

    Returns the result after 8 us, when the sender has long been stopped and the second packet has not yet left.
    """
    fabric = lab.star([100 * lab.G, lab.G], delay_ps=delay_ps)
    settings = lab.BARE.model_copy(
        update={
            "pfc": PfcSettings(alpha=alpha, reserve=0, delay=f"{frame_delay} ps", frame=100),
            "buffer": BufferSettings(size=pool + (headroom if headroom is not None else 0)),
            "until": 8_000_000 + delay_ps,
        }
    )
    case = lab.star_case(fabric, [0], [1], 10**6)
    kept = [0, 0, 0, 0] if headroom is None else [headroom, 0, 0, 0]
    return case.run(settings, headroom=kept)


def packets_after_full(delay_ps, frame_delay):
    """Packets that reach a full group: the one that finds it full, and all that start before the pause acts.

    Packet k after it started k x 80 ns after a start that lies 80 ns + delay before its arrival; the pause acts 8 ns
    (100 B at 100G) + delay + frame_delay after that arrival.
    """
    reach = 80_000 + delay_ps + 8_000 + delay_ps + frame_delay
    return 1 + (reach - 1) // 80_000


@given(delay_ps=st.integers(0, 1_500_000), frame_delay=st.integers(0, 500_000), headroom=st.integers(0, 60_000))
def test_exact_loss_when_headroom_is_too_small(lab, delay_ps, frame_delay, headroom):
    """Lost = packets that come after the group is full - packets that fit into the headroom."""
    result = blocked(lab, delay_ps, frame_delay=frame_delay, headroom=headroom)
    after = packets_after_full(delay_ps, frame_delay)
    assert result.ports.headroom_drops.tolist() == [max(0, after - headroom // PACKET), 0, 0, 0]
    assert result.ports.pauses_received.tolist() == [1, 0, 0, 0]
    shared = 20 * PACKET  # alpha (pool - 20 packets) = 20,750 B holds no 21st
    assert result.ports.max_group[0] == shared + min(after, headroom // PACKET) * PACKET
    assert result.unaccounted_bytes() == 0


@pytest.mark.parametrize("delay_ps", [0, 40_000, 500_000, 1_234_567])
def test_headroom_of_one_byte_less_loses_one_packet(lab, delay_ps):
    need = packets_after_full(delay_ps, 0) * PACKET
    assert blocked(lab, delay_ps, headroom=need).ports.headroom_drops.sum() == 0
    assert blocked(lab, delay_ps, headroom=need - 1).ports.headroom_drops.sum() == 1


def test_automatic_headroom_is_the_worst_case_and_little_more(lab):
    """It allows for a full packet in front of the pause frame, which this case has not: one or two packets more."""
    fabric = lab.star([100 * lab.G] * 2)
    settings = lab.BARE.model_copy(update={"pfc": PfcSettings(frame=100)})
    need = packets_after_full(lab.US, 0) * PACKET
    assert need <= auto_headroom(fabric, settings)[0] <= need + 2.5 * PACKET


@given(
    flows=st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(1, 200_000), st.integers(0, 20_000_000)),
        min_size=1, max_size=60,
    ),
    incast=st.booleans(),
    mtu=st.sampled_from([256, 1000, 4096]), alpha=st.sampled_from([0.01, 0.125, 1.0, 8.0]),
    buffer=st.integers(600_000, 3_000_000), law=st.sampled_from(["none", "dcqcn", "dcqcn-paper"]),
    strict=st.sampled_from(["everywhere", "nowhere"]), delay=st.integers(0, 2_000_000),
)  # fmt: skip
def test_nothing_is_lost_or_reordered_with_pfc_and_enough_headroom(
    lab, flows, incast, mtu, alpha, buffer, law, strict, delay
):  # fmt: skip
    if incast:
        flows = [(src, 7, size, start) for src, _, size, start in flows]
    rows = [row for row in flows if row[0] != row[1]] or [(0, 7, 5000, 0)]
    case = lab.routed_case(lab.leaf_spine(4, 2, 2, buffer=buffer), *map(list, zip(*rows, strict=True)))
    base = SimSettings()
    settings = base.model_copy(
        update={
            "mtu": mtu,
            "pfc": PfcSettings(alpha=alpha, delay=f"{delay} ps"),
            "law": LawSettings(name=law),
            "control": base.control.model_copy(update={"strict": strict}),
        }
    )
    result = case.run(settings)
    assert result.totals.finished == len(rows)
    assert result.totals.dropped_bytes == 0 == result.unaccounted_bytes()
    assert result.flows.naks.sum() == 0  # a packet out of order would be answered with one
    assert result.flows.resent.sum() == 0
    assert (result.flows.slowdown >= 1 - 1e-12).all()
    assert result.ports.pauses_received.sum() == result.ports.pauses_sent.sum()


def test_pauses_spread_upstream_and_hold_bystanders(lab):
    """Four senders on one leaf fill the way to a slow receiver; a fifth flow to an idle receiver waits with them."""
    fabric = lab.leaf_spine(2, 5, 1, buffer=2_000_000)
    fabric.port_rate[[9, fabric.port_reverse[9]]] = 10 * lab.G
    case = lab.routed_case(fabric, [0, 1, 2, 3, 4], [9, 9, 9, 9, 8], [10**6] * 4 + [10**5])
    result = case.run()
    assert result.totals.finished == 5 and result.totals.dropped_bytes == 0
    assert (result.ports.pauses_received[:4] > 0).all()
    assert result.flows.slowdown[4] > 3
    assert (result.flows.paused_ps[:4] > 0).all()
    assert result.ports.paused_ps[:4].min() > 0
    assert result.series.paused_ps.sum() == result.ports.paused_ps.sum()


def test_a_ring_of_waiting_buffers_locks_and_the_flows_fail(lab):
    """h(i) -> s(i) -> s(i+1) -> s(i+2) -> h(i+2): ring links carry two flows, every buffer waits for the next."""
    links = [Link(i, 3 + i, 100 * lab.G, lab.US) for i in range(3)]
    links += [Link(3 + i, 3 + (i + 1) % 3, 100 * lab.G, lab.US) for i in range(3)]
    fabric = assemble([Endpoint(f"h{i}") for i in range(3)], [Switch(f"s{i}", 1, 0, 300_000) for i in range(3)], links)
    flows = make_flows([0, 1, 2], [2, 0, 1], 3_000_000)
    there, _ = replay_paths(fabric, [[i, 3 + i, 3 + (i + 1) % 3, 3 + (i + 2) % 3, (i + 2) % 3] for i in range(3)])
    back, _ = replay_paths(fabric, [[(i + 2) % 3, 3 + (i + 2) % 3, 3 + i, i] for i in range(3)])
    settings = lab.BARE.model_copy(update={"timeout": 10**9, "retries": 2})
    result = lab.Case(fabric, flows, there, back).run(settings)
    assert result.flows.failed.all()
    assert result.totals.in_flight_bytes > 0 == result.totals.dropped_bytes == result.unaccounted_bytes()
    assert (result.ports.paused_ps[there[:, 1]] > 0.9 * result.totals.end_ps).all()
    without = lab.Case(fabric, flows, there, back).run(settings.model_copy(update={"lossless": ()}))
    assert without.totals.finished == 3  # without pauses nothing can lock


def test_without_pfc_the_queue_is_bounded_and_drops_are_counted(lab):
    """Two at 100G into 100G: the queue may hold lossy_alpha x free, so half of the pool at alpha 1."""
    settings = lab.BARE.model_copy(
        update={"pfc": PfcSettings(enabled=False), "buffer": BufferSettings(size=100_000), "timeout": 100_000_000}
    )
    case = lab.star_case(lab.star([100 * lab.G] * 3), [0, 1], [2, 2], 400_000)
    result = case.run(settings)
    assert result.totals.finished == 2
    assert result.ports.max_queue[case.fabric.port_reverse[2]] == 50_000
    assert 50_000 <= result.buffer_peak[3] < 50_200  # ACKs are there too
    drops = result.ports.tail_drops
    assert drops[case.fabric.port_reverse[2]] == drops.sum() > 0
    assert result.totals.dropped_bytes == drops.sum() * PACKET
    assert result.flows.resent.sum() >= drops.sum()
    assert result.unaccounted_bytes() == 0


def test_another_priority_is_not_paused(lab):
    fabric = lab.star([100 * lab.G, lab.G, 100 * lab.G])
    case = lab.star_case(fabric, [0, 0], [1, 2], [10**6, 10**5], [0, 100 * lab.US], priority=[3, 4])
    settings = lab.BARE.model_copy(
        update={"lossless": (3, 4), "until": 300 * lab.US, "buffer": BufferSettings(size=300_000)}
    )
    result = case.run(settings)
    assert result.flows.paused_ps[0] > 100 * lab.US
    assert result.flows.slowdown[1] == 1


def marks(lab, seed=0, **ecn):
    case = lab.star_case(lab.star([100 * lab.G] * 3), [0, 1], [2, 2], 300_000)
    return case.run(lab.BARE.model_copy(update={"ecn": EcnSettings(**ecn)}), seed=seed)


@pytest.mark.parametrize("at", ["dequeue", "enqueue"])
def test_step_marking_marks_what_finds_or_leaves_more_than_the_threshold(lab, at):
    """Two senders, one drain: the queue grows to 300 packets while 600 come, one in two leaves, then it runs empty.

    Leaving: 200 on the way up from 100 to 300 and 200 down again. Coming: all but the first 200.
    """
    result = marks(lab, kmin=100_000, kmax=100_000, pmax=1.0, at=at)
    assert result.flows.marks.sum() == pytest.approx(400, abs=4)
    assert result.ports.max_queue.max() == pytest.approx(300 * PACKET, abs=2 * PACKET)
    assert result.ports.marks.sum() == result.flows.marks.sum()


def test_linear_marking_has_the_mean_of_its_ramp(lab):
    """The queue climbs from 0 to 300 and falls to 0; with kmin 0 and kmax 300 KB the mean probability is pmax / 2."""
    shares = [marks(lab, seed=s, kmin=0, kmax=300_000, pmax=0.4).flows.marks.sum() / 600 for s in range(20)]
    assert np.mean(shares) == pytest.approx(0.2, abs=3 * np.sqrt(0.2 * 0.8 / 600 / 20))


def test_thresholds_can_grow_with_the_rate(lab):
    low = marks(lab, kmin=25_000, kmax=25_000, pmax=1.0, reference_rate="25G")
    assert low.flows.marks.sum() == marks(lab, kmin=100_000, kmax=100_000, pmax=1.0).flows.marks.sum()


def test_series_adds_up_however_often_it_was_thinned_out(lab):
    case = lab.star_case(lab.star([100 * lab.G] * 3), [0, 1], [2, 2], 2_000_000)
    for width in (100_000, 1_000_000, 10**9):
        settings = SimSettings(bin=f"{width} ps", ecn=EcnSettings(kmin=50_000, kmax=200_000))
        result = case.run(settings)
        series = result.series
        assert series.sent_bytes.sum(0).tolist() == result.ports.sent_bytes.tolist()
        assert series.marks.sum(0).tolist() == result.ports.marks.tolist()
        assert series.max_queue.max(0).tolist() == result.ports.max_queue.tolist()
        assert series.bin_ps % width == 0 and len(series.sent_bytes) <= 512
        assert (len(series.sent_bytes) - 1) * series.bin_ps <= result.totals.end_ps
        assert (series.sent_bytes * 8 <= 100e9 * series.bin_ps / 1e12 + 8 * 4200).all()
