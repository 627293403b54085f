"""Every law gives the same floats compiled, on numpy records and on plain objects, for any story."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.congestion.compiled import SLOTS, hook_table
from metaroce.congestion.laws import LAWS, parameters
from metaroce.congestion.state import CLASS, HOOKS, NEVER, STATE

STORY = st.lists(
    st.tuples(st.sampled_from(HOOKS), st.integers(0, 3), st.integers(1, 10**9), st.floats(0, 1e6)), max_size=60
)


def fresh():
    state = np.zeros(1, STATE).view(np.recarray)
    state.rate = state.line = 1e11
    state.floor, state.base_rtt = 1e8, 8e6
    for name in ("at0", "at1", "at2", "at3"):
        state[name] = NEVER
    return state


def plain_object(row):
    return SimpleNamespace(**{name: row[name].item() for name in row.dtype.names})


@pytest.mark.parametrize("name", sorted(LAWS))
@given(story=STORY)
def test_three_ways_agree(name, story):
    law = LAWS[name]
    table, mask = hook_table([law])
    p = np.zeros(24)
    p[: len(law.params)] = parameters(law, {})
    compiled, record, shared = fresh(), fresh()[0], np.zeros(1, CLASS).view(np.recarray)
    thing, group = plain_object(fresh()[0]), plain_object(shared[0])
    now = 0
    for hook, timer, step, amount in story:
        now += step
        present = hook in law.hooks
        assert (mask >> HOOKS.index(hook)) & 1 == present
        if not present:
            continue
        for row in (compiled[0], record, thing):
            row.timer, row.acked, row.sent, row.rtt = timer, amount, amount, 8e6 + amount
        table[HOOKS.index(hook)](compiled[0], shared[0], p, now)
        law.hooks[hook](record, shared[0], p, now)
        law.hooks[hook](thing, group, p, now)
        for field in STATE.names:
            assert compiled[0][field] == record[field] == getattr(thing, field), field
        for row in (compiled[0], record, thing):
            row.rate = min(max(row.rate, row.floor), row.line)


def test_laws_stand_side_by_side():
    table, mask = hook_table([LAWS["none"], LAWS["dcqcn"]])
    assert len(table) == SLOTS * len(HOOKS)
    assert mask == sum(1 << (len(HOOKS) + HOOKS.index(hook)) for hook in LAWS["dcqcn"].hooks)
    again, _ = hook_table([LAWS["none"], LAWS["dcqcn"]])
    assert all(a is b for a, b in zip(table, again, strict=True))  # compiled once
