"""Events come out in the order of their times, whatever goes in when; equal times keep their order."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.jit import plain
from metaroce.sim import _calendar
from metaroce.sim._layout import BUCKETS, GLOBAL


def empty(slots, shift):
    g = np.zeros(1, GLOBAL).view(np.recarray)[0]
    g.shift = shift
    world = SimpleNamespace(
        slot_at=np.zeros(slots, np.int64), slot_next=np.full(slots, -1, np.int32),
        buckets=np.full(2 * BUCKETS, -1, np.int32), occupied=np.zeros(BUCKETS // 32, np.int64),
        heap_at=np.zeros(4096, np.int64), heap_what=np.zeros(4096, np.int64),
    )  # fmt: skip
    return world, g


def pop(w, g):
    """What the main loop does: the earlier of calendar and heap."""
    bucket = plain(_calendar.next_bucket)(w, g)
    at = int(w.slot_at[w.buckets[2 * bucket]]) if bucket >= 0 else None
    if g.heap_size and (at is None or w.heap_at[0] <= at):
        g.now = w.heap_at[0]
        return int(g.now), int(plain(_calendar.pop_later)(w.heap_at, w.heap_what, g)) >> 3
    g.now = at
    return at, int(plain(_calendar.take)(w, g, bucket))


@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5000)), max_size=80), shift=st.integers(0, 3),
    stretch=st.sampled_from([1, 7, 100]),
)  # fmt: skip
def test_pops_in_order(steps, shift, stretch):
    """Mixed pushes, near and beyond the calendar's horizon, and pops, against a sorted list."""
    w, g = empty(len(steps), shift)
    pending = []
    for slot, (pops, ahead) in enumerate(steps):
        at = int(g.now) + ahead * stretch
        # _calendar.later is compiled and takes records; the plain one is enough here
        if (at >> shift) - (int(g.now) >> shift) >= BUCKETS:
            plain(_calendar.later)(w.heap_at, w.heap_what, g, at, slot << 3)
        else:
            plain(_calendar.schedule)(w, g, slot, at)
        pending.append((at, slot))
        for _ in range(min(pops, len(pending))):
            at, slot = pop(w, g)
            assert at == min(pending)[0]
            pending.remove((at, slot))
    while pending:
        at, slot = pop(w, g)
        assert at == min(pending)[0]
        pending.remove((at, slot))
    assert plain(_calendar.next_bucket)(w, g) == -1 and g.heap_size == 0


def test_equal_times_keep_their_order():
    w, g = empty(10, 2)
    for slot in (4, 2, 9, 0):
        plain(_calendar.schedule)(w, g, slot, 1000)
    assert [pop(w, g)[1] for _ in range(4)] == [4, 2, 9, 0]


def test_lowest_bit():
    for bit in range(32):
        assert plain(_calendar.lowest_bit)((1 << bit) | (1 << 31)) == bit
