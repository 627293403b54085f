"""The section of a report: what it says in good and in bad times, and that its charts can be drawn."""

from __future__ import annotations

from metaroce.model.supply import Capacity, Ordering, Pulse, SupplyChain, Tier
from metaroce.report.document import Callout, Chart, Table
from metaroce.supply.api import run
from metaroce.supply.view import supply_section


def plant(capacity: float) -> SupplyChain:
    rule = Ordering(policy="pass_through", safety_factor=0)
    tier = Tier(
        name="plant", order_delay_weeks=1, lead_time_weeks=2, ordering=rule, capacity=Capacity(units_per_week=capacity)
    )
    return SupplyChain(tiers=(tier,), base_demand=1, horizon_weeks=30)


def test_says_when_all_is_there() -> None:
    section = supply_section(run(plant(21), Pulse(extra=40, week=5)), product="servers")
    first, tiers = section.blocks[0], section.blocks[1]
    assert isinstance(first, Callout)
    assert first.kind == "ok"
    assert first.text == "40 servers ordered in week 5 are all in service after 4 weeks (P10 4, P90 4)."
    assert isinstance(tiers, Table)
    assert tiers.rows[0][:4] == ("plant", 1.0, 41.0, 5.0)


def test_says_when_it_is_not() -> None:
    first = supply_section(run(plant(1.5), Pulse(extra=40, week=5)), product="servers").blocks[0]
    assert isinstance(first, Callout)
    assert first.kind == "bad"
    assert "40 servers ordered in week 5 are not all there" in first.text


def test_charts_can_be_drawn() -> None:
    section = supply_section(run(SupplyChain(horizon_weeks=30), Pulse(extra=40, week=5), paths=20))
    charts = [block for block in section.blocks if isinstance(block, Chart)]
    assert len(charts) == 2
    for chart in charts:
        assert chart.make()
        assert chart.alt
