"""What happens next: a calendar of port events and a heap for everything far away or rare.

Strategy: there is at most one pending event per wire (its next arrival), per busy port (free again) and per paced
flow, each in its own slot, so a bucket is a sorted chain of slots and pushing allocates nothing. Nearly all of them lie
within one serialisation and propagation time, which is what the calendar spans. Equal times keep their order.
"""

from __future__ import annotations

import numpy as np

from metaroce.kit.jit import inlined, uncounted
from metaroce.sim._layout import BUCKETS, SLOT

_MASK = BUCKETS - 1
_WORDS = BUCKETS // 32 - 1
_DE_BRUIJN = 0x077CB531
_PLACE = np.array(
    [0, 1, 28, 2, 29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4, 8,
     31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6, 11, 5, 10, 9], np.int64,
)  # fmt: skip


@inlined
def lowest_bit(word):
    """Index of the lowest set bit of a 32-bit word (de Bruijn multiplication)."""
    return _PLACE[(((word & -word) * _DE_BRUIJN) & 0xFFFFFFFF) >> 27]


@uncounted
def later(times, whats, g, at, what):
    """Put an event into the heap of `times` and `whats`. Room for it was checked before."""
    child = g.heap_size
    g.heap_size = child + 1
    while child > 0:
        parent = (child - 1) >> 2
        if times[parent] <= at:
            break
        times[child] = times[parent]
        whats[child] = whats[parent]
        child = parent
    times[child] = at
    whats[child] = what


@uncounted
def pop_later(times, whats, g):
    """Take the earliest event from the heap; returns index << 3 | kind."""
    first = whats[0]
    size = g.heap_size - 1
    g.heap_size = size
    at, what = times[size], whats[size]
    hole = 0
    while True:
        child = 4 * hole + 1
        if child >= size:
            break
        best = child
        for other in range(child + 1, min(child + 4, size)):
            if times[other] < times[best]:
                best = other
        if times[best] >= at:
            break
        times[hole] = times[best]
        whats[hole] = whats[best]
        hole = best
    times[hole] = at
    whats[hole] = what
    return first


@inlined
def schedule(w, g, slot, at):
    """Let the event of `slot` happen at `at` >= now; it must not be pending."""
    w.slot_at[slot] = at
    bucket = at >> g.shift
    if bucket - (g.now >> g.shift) >= BUCKETS:
        later(w.heap_at, w.heap_what, g, at, (slot << 3) | SLOT)
        return
    bucket &= _MASK
    g.in_calendar += 1
    first = w.buckets[2 * bucket]
    if first < 0:
        w.buckets[2 * bucket] = slot
        w.buckets[2 * bucket + 1] = slot
        w.slot_next[slot] = -1
        w.occupied[bucket >> 5] |= 1 << (bucket & 31)
        return
    last = w.buckets[2 * bucket + 1]
    if at >= w.slot_at[last]:
        w.slot_next[last] = slot
        w.slot_next[slot] = -1
        w.buckets[2 * bucket + 1] = slot
        return
    before = -1
    while w.slot_at[first] <= at:
        before = first
        first = w.slot_next[first]
    w.slot_next[slot] = first
    if before < 0:
        w.buckets[2 * bucket] = slot
    else:
        w.slot_next[before] = slot


@inlined
def next_bucket(w, g):
    """The first occupied bucket from now on; -1 when the calendar is empty."""
    if g.in_calendar == 0:
        return -1
    here = (g.now >> g.shift) & _MASK
    word = here >> 5
    bits = w.occupied[word] >> (here & 31)
    if bits != 0:
        return here + lowest_bit(bits)
    while True:
        word = (word + 1) & _WORDS
        bits = w.occupied[word]
        if bits != 0:
            return (word << 5) + lowest_bit(bits)


@inlined
def take(w, g, bucket):
    """Remove and return the first slot of a bucket."""
    slot = w.buckets[2 * bucket]
    following = w.slot_next[slot]
    w.buckets[2 * bucket] = following
    if following < 0:
        w.occupied[bucket >> 5] &= ~(1 << (bucket & 31))
    g.in_calendar -= 1
    return slot
