"""Random numbers, serialisation times and the choice of a queue."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.jit import plain
from metaroce.kit.units import wire_time
from metaroce.sim import _wire


def test_random_numbers_are_splitmix64():
    """First outputs for the seed 1234567, as published with the algorithm."""
    g = SimpleNamespace(random=np.uint64(1234567))
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    with np.errstate(over="ignore"):
        got = [plain(_wire.uniform)(g) for _ in expected]
    assert got == [(value >> 11) / 2**53 for value in expected]


@given(
    size=st.integers(1, 70_000), rate=st.sampled_from([10**9, 25 * 10**9, 40 * 10**9, 10**11, 4 * 10**11, 3 * 10**10])
)
def test_wire_time_is_the_cellars(size, rate):
    whole = 8 * 10**12 % rate == 0
    port = SimpleNamespace(rate=rate, byte_ps=8 * 10**12 // rate if whole else 0)
    exact = plain(_wire.wire_time)(SimpleNamespace(whole_ns=0), port, size)
    assert exact == wire_time(size, rate)
    assert plain(_wire.wire_time)(SimpleNamespace(whole_ns=1), port, size) == exact // 1000 * 1000


def test_choice_of_a_queue():
    port = SimpleNamespace(turn=0)
    assert [plain(_wire.choose)(port, 0b1010, 0) for _ in range(4)] == [1, 3, 1, 3]
    assert [plain(_wire.choose)(port, 0b1001010, 0b1000000) for _ in range(2)] == [6, 6]
    assert plain(_wire.choose)(port, 0b1010, 0b1000000) in (1, 3)
