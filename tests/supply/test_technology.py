"""New silicon in the middle of a run: lead time 12 -> 24 weeks, die 23 % larger."""

from __future__ import annotations

import numpy as np
import pytest

from metaroce.model.supply import Capacity, Ordering, Pulse, SupplyChain, TechnologyChange, Tier
from metaroce.supply.api import run


def chain(change: TechnologyChange | None, **foundry) -> SupplyChain:
    return SupplyChain(base_demand=100, tiers=(
        Tier(name="chip", lead_time_weeks=2, ordering=Ordering(forecast="constant", safety_factor=0)),
        Tier(name="foundry", lead_time_weeks=12, units_per_parent=0.1, change=change,
             ordering=Ordering(safety_factor=0), **foundry),
    ))  # fmt: skip


def test_a_larger_die_needs_more_wafers_and_amplifies_on_top() -> None:
    result = run(chain(TechnologyChange(week=20, unit_factor=1.23)), np.full(200, 100.0), keep_traces=True)
    incoming, order = result.traces.of("incoming")[:, 1, 0], result.traces.of("order")[:, 1, 0]
    np.testing.assert_allclose(incoming[:20], 10)
    np.testing.assert_allclose(incoming[20], 12.3)  # the chip maker orders as before
    assert order[20:30].max() > 12.3 + 2  # the foundry also refills a pipeline of 13 weeks
    np.testing.assert_allclose(order[-1], 12.3, rtol=1e-3)


def test_a_longer_lead_time_alone_makes_a_wave_of_orders() -> None:
    """The pipeline of 13 weeks becomes one of 25: 12 more weeks of demand are ordered at once."""
    result = run(chain(TechnologyChange(week=20, lead_time_weeks=24)), np.full(200, 100.0), keep_traces=True)
    order = result.traces.of("order")[:, 1, 0]
    assert order[20] == pytest.approx(10 + 12 * 10)
    np.testing.assert_allclose(order[22:], 10, atol=1e-9)
    received = result.traces.of("received")[:, 1, 0]
    starts = np.flatnonzero(received == 0)
    assert starts.tolist() == list(range(32, 44))  # nothing comes out while the longer process fills
    assert result.delivered.sum() == pytest.approx(200 * 100, rel=1e-9)


def test_new_silicon_turns_a_wave_into_a_shortage_for_the_buyer() -> None:
    limited = {"capacity": Capacity(over_ordinary=1.15)}
    change = TechnologyChange(week=10, lead_time_weeks=24, unit_factor=1.23)
    pulse = Pulse(extra=300, week=10, weeks=2)
    old = run(chain(None, **limited), pulse)
    new = run(chain(change, **limited), pulse)
    assert new.tiers["peak_over_ordinary"][1] > old.tiers["peak_over_ordinary"][1]
    assert new.tiers["backlog_peak"][0] > old.tiers["backlog_peak"][0]
    assert new.fill_rate < old.fill_rate
