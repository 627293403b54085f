"""Decode steps in a row whose batch does not change: how many fit, and what they take, without doing them one by one.

Arguments are named as in `_batch`; `sums` is the network tape.
"""

from __future__ import annotations

import math

from metaroce.kit.jit import inlined


@inlined
def tape_sum(sums, at, k):
    """Network time of k steps in a row from tape position `at`."""
    m = len(sums) - 1
    if m == 0:
        return 0
    total = 0
    if k >= m:
        total = k // m * sums[m]
        k = k % m
    end = at + k
    if end <= m:
        return total + sums[end] - sums[at]
    return total + sums[m] - sums[at] + sums[end - m]


@inlined
def span_of(sums, at, k, s0, g):
    """Time of k decode steps: s0 for the first, g more for each further one, and the network's."""
    return k * s0 + g * (k * (k - 1) // 2) + tape_sum(sums, at, k)


@inlined
def steps_until(sums, at, k, s0, g, span, mean):
    """The smallest number of steps <= k that take at least `span`, knowing that k steps do.

    The root of g/2 k^2 + (s0 + mean - g/2) k = span, then corrected by looking at the steps around it.
    """
    b = s0 + mean - 0.5 * g
    guess = math.ceil(2.0 * span / (b + math.sqrt(b * b + 2.0 * g * span)))
    guess = min(max(guess, 1), k)
    while guess > 1 and span_of(sums, at, guess - 1, s0, g) >= span:
        guess -= 1
    while guess < k and span_of(sums, at, guess, s0, g) < span:
        guess += 1
    return guess


@inlined
def blocks_for(s, p, crossing, k):
    """New blocks that the decoding requests need in the next k steps."""
    needed = 0
    if k >= s.block:
        needed = k // s.block * p.running
        k = k % s.block
    end = p.phase + k
    for at in range(p.phase, min(end, s.block)):
        needed += crossing[at]
    for at in range(end - s.block):
        needed += crossing[at]
    return needed


@inlined
def steps_with_room(s, p, crossing, k):
    """The largest number of steps <= k for which the free blocks suffice."""
    free = s.blocks - p.used
    if (k + s.block) * p.running <= free * s.block:
        return k
    rounds = min(free // p.running, k // s.block)
    left = free - rounds * p.running
    done = rounds * s.block
    while done < k and crossing[(p.phase + done) % s.block] <= left:
        left -= crossing[(p.phase + done) % s.block]
        done += 1
    return done
