"""Pause times and the frame rates that hold a port."""

from __future__ import annotations

import pytest

from metaroce.qos.pause import holding_frames_per_s, pause_ps

ROWS = [(10, 3355, 298), (25, 1342, 745), (100, 336, 2980), (200, 168, 5961), (400, 84, 11921), (800, 42, 23842)]


@pytest.mark.parametrize(("gbit", "us", "frames"), ROWS)
def test_longest_pause_and_its_rate(gbit, us, frames):
    assert pause_ps(gbit * 10**9) / 1e6 == pytest.approx(us, abs=0.5)
    assert holding_frames_per_s(gbit * 10**9) == pytest.approx(frames, abs=0.6)
    assert pause_ps(gbit * 10**9) * holding_frames_per_s(gbit * 10**9) == pytest.approx(1e12)


def test_a_pause_of_nothing_resumes():
    assert pause_ps(10**11, 0) == 0
    assert pause_ps(10**11, 1) == 5120
