"""The kernel against a slow simulator written differently, against itself uncompiled, and in the corners."""

from __future__ import annotations

import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.jit import plain
from metaroce.model.supply import Capacity, Ordering, OtherBuyers, OverOrdering, Part, SupplyChain, Tier
from metaroce.supply import _gaming, _kernel, _orders, _state, _stock
from metaroce.supply.api import amplification, run
from metaroce.supply.columns import MOMENTS
from metaroce.supply.demand import draw
from metaroce.supply.plan import make_plan


def slow_chain(demand: list[float], tiers: list[dict[str, int]], base: float) -> list[list[tuple[float, float, float]]]:
    """Order-up-to with moving averages in a serial chain, told with lists: (order, on hand, backlog) by week, tier."""
    for tier in tiers:
        pipeline = tier["delay"] + tier["lead"]
        tier.update(stock=0.0, owing=0.0, owed=base * pipeline, seen=[base] * tier["window"], queue=0.0,
                    letters=[base] * tier["delay"], trucks=[base] * tier["lead"])  # fmt: skip
    story = []
    for asked in demand:
        week, outgoing, sent = [], asked, []
        for tier in tiers:
            came = tier["trucks"].pop(0)
            tier["stock"] += came
            tier["owed"] -= came
            tier["owing"] += outgoing
            shipped = min(tier["stock"], tier["owing"])
            tier["stock"] -= shipped
            tier["owing"] -= shipped
            sent.append(shipped)
            tier["seen"] = [*tier["seen"][1:], outgoing]
            target = sum(tier["seen"]) / tier["window"] * (tier["delay"] + tier["lead"])
            order = max(0.0, target - (tier["stock"] - tier["owing"] + tier["owed"]))
            tier["owed"] += order
            tier["letters"].append(order)
            week.append((order, tier["stock"], tier["owing"]))
            outgoing = tier["letters"].pop(0)
        sent.append(outgoing)
        for k, tier in enumerate(tiers):
            tier["queue"] += sent[k + 1]
            started = min(tier["queue"], tier["capacity"])
            tier["queue"] -= started
            tier["trucks"].append(started)
        story.append(week)
    return story


@given(
    st.lists(st.floats(0, 50), min_size=5, max_size=40),
    st.lists(
        st.fixed_dictionaries({
            "delay": st.integers(0, 3), "lead": st.integers(1, 4), "window": st.integers(1, 5),
            "capacity": st.sampled_from((8.0, 15.0, 1e9)),
        }), min_size=1, max_size=4,
    ),
)  # fmt: skip
def test_equals_a_slow_simulator(demand: list[float], tiers: list[dict[str, int]]) -> None:
    chain = SupplyChain(base_demand=10, tiers=tuple(
        Tier(name=str(k), order_delay_weeks=tier["delay"], lead_time_weeks=tier["lead"], initial_stock=0,
             capacity=Capacity(units_per_week=tier["capacity"]),
             ordering=Ordering(forecast="moving_average", forecast_weeks=tier["window"], safety_factor=0))
        for k, tier in enumerate(tiers)
    ))  # fmt: skip
    traces = run(chain, demand, keep_traces=True).traces
    ours = np.stack([traces.of(name)[:, :, 0] for name in ("order", "on_hand", "backlog")], axis=2)
    np.testing.assert_allclose(ours, slow_chain(demand, tiers, 10.0), rtol=1e-9, atol=1e-7)


def every_feature() -> SupplyChain:
    policies = ("pass_through", "order_up_to", "proportional", "sterman")
    forecasts = ("naive", "moving_average", "exponential", "constant")
    rules = ("linear", "uniform", "proportional", "others_first")
    return SupplyChain(base_demand=20, demand_cv=0.3, demand_correlation=0.5, tiers=tuple(
        Tier(
            name=policy, ordering=Ordering(policy=policy, forecast=forecast, sees_end_demand=policy == "sterman"),
            over_ordering=OverOrdering(factor=1.3, lead_time_reaction=1.0, cancellation=0.5), allocation=rule,
            capacity=Capacity(over_ordinary=1.05), other_buyers=OtherBuyers(share_of_market=0.5, demand_cv=0.4),
        )
        for policy, forecast, rule in zip(policies, forecasts, rules, strict=True)
    ))  # fmt: skip


def outputs(chain: SupplyChain, weeks: int, paths: int, simulate) -> list[np.ndarray]:
    plan, tiers = make_plan(chain, weeks), len(chain.tiers)
    wanted = np.where(np.arange(weeks) == 6, 200.0, chain.base_demand)
    arrays = [
        np.zeros((weeks, tiers, 11, paths)), np.zeros((weeks, paths)), np.zeros((tiers + 1, MOMENTS, paths)),
        np.zeros((weeks, tiers, 11)),
    ]  # fmt: skip
    simulate(plan, draw(chain, wanted, 0, paths, 3), 2, 0, *arrays)
    return arrays


def test_uncompiled_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = outputs(every_feature(), 25, 5, _kernel.simulate)
    for module in (_gaming, _kernel, _orders, _state, _stock):
        for name, thing in vars(module).copy().items():
            if not isinstance(thing, types.ModuleType) and plain(thing) is not thing:
                monkeypatch.setattr(module, name, plain(thing))
    for ours, theirs in zip(outputs(every_feature(), 25, 5, _kernel.simulate), compiled, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_same_seed_same_bytes_and_other_seed_other_paths() -> None:
    demand = np.full(30, 20.0)
    runs = [run(every_feature(), demand, paths=50, seed=seed, keep_traces=True).traces.values for seed in (1, 1, 2)]
    assert runs[0].tobytes() == runs[1].tobytes()
    assert (runs[0] != runs[2]).any()


def test_streaming_gives_the_same_numbers() -> None:
    demand, count = np.full(30, 20.0), 1300  # more than one block
    kept = run(every_feature(), demand, paths=count, seed=4, warmup_weeks=3)
    streamed = amplification(every_feature(), demand, paths=count, seed=4, warmup_weeks=3)
    assert kept.tiers.equals(streamed.tiers)
    assert streamed.paths == kept.paths == count
    np.testing.assert_allclose(kept.weekly["mean"], streamed.weekly["mean"], rtol=1e-9, atol=1e-9)


def test_as_many_products_as_the_scarcest_part_allows() -> None:
    """A board needs 4 memories and 1 chip; chips are limited to half. The memories wait, and no board lacks a chip."""
    quick = Ordering(policy="pass_through", safety_factor=0)
    chain = SupplyChain(base_demand=10, tiers=(
        Tier(name="board", lead_time_weeks=2, order_delay_weeks=0, ordering=quick,
             buys_from=(Part(tier="memory", units=4), Part(tier="chip", units=1))),
        Tier(name="memory", lead_time_weeks=1, order_delay_weeks=0, ordering=quick, buys_from=()),
        Tier(name="chip", lead_time_weeks=1, order_delay_weeks=0, ordering=quick, capacity=Capacity(units_per_week=5)),
    ))  # fmt: skip
    result = run(chain, np.full(30, 10.0), keep_traces=True)
    shipped = result.traces.of("shipped")[:, :, 0]
    assert shipped[5:, 1].tolist() == [40.0] * 25
    assert shipped[5:, 2].tolist() == [5.0] * 25
    assert result.delivered[5:, 0].tolist() == [5.0] * 25


@pytest.mark.parametrize("rule", ["proportional", "linear", "uniform"])
def test_equal_customers_get_equal_shares(rule: str) -> None:
    quick = Ordering(policy="pass_through", safety_factor=0)
    shop = {"order_delay_weeks": 0, "lead_time_weeks": 1, "ordering": quick, "buys_from": (Part(tier="plant"),)}
    chain = SupplyChain(base_demand=10, tiers=(
        Tier(name="ours", **shop), Tier(name="theirs", other_buyers=OtherBuyers(units_per_week=10), **shop),
        Tier(name="plant", order_delay_weeks=0, lead_time_weeks=1, ordering=quick, allocation=rule,
             capacity=Capacity(units_per_week=15)),
    ))  # fmt: skip
    received = run(chain, np.full(20, 10.0), keep_traces=True).traces.of("received")[:, :, 0]
    np.testing.assert_allclose(received[5:, 0], 7.5)
    np.testing.assert_allclose(received[5:, 1], 7.5)
