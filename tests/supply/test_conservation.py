"""What must hold in every chain and every week: no unit appears or vanishes, and nobody ships what he does not have."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaroce.model.supply import Capacity, Ordering, OtherBuyers, OverOrdering, SupplyChain, TechnologyChange, Tier
from metaroce.supply.api import run

POLICIES = ("order_up_to", "proportional", "sterman", "pass_through")
FORECASTS = ("exponential", "moving_average", "naive", "constant")
RULES = ("proportional", "linear", "uniform", "chain_first", "others_first")


@st.composite
def tiers(draw, name: str, others: bool, changes: bool) -> Tier:
    games = draw(st.booleans())
    over = OverOrdering(
        factor=draw(st.sampled_from((1.0, 1.2, 2.0))), lead_time_reaction=draw(st.sampled_from((0.0, 0.5, 3.0))),
        cancellation=draw(st.sampled_from((0.0, 0.5, 1.0))),
    ) if games else OverOrdering()  # fmt: skip
    ordering = Ordering(
        policy=draw(st.sampled_from(POLICIES)), forecast=draw(st.sampled_from(FORECASTS)),
        forecast_weeks=draw(st.integers(1, 6)), forecast_alpha=draw(st.floats(0.05, 1)),
        safety_factor=draw(st.sampled_from((0.0, 2.0))), safety_weeks=draw(st.sampled_from((0.0, 1.5))),
        sees_end_demand=draw(st.booleans()), whole_units=draw(st.booleans()),
    )  # fmt: skip
    change = TechnologyChange(
        week=draw(st.integers(1, 30)),
        lead_time_weeks=draw(st.integers(1, 8)),
        unit_factor=draw(st.sampled_from((1.0, 1.23, 0.5))),
    )
    buyers = OtherBuyers(units_per_week=draw(st.sampled_from((0.0, 50.0))) if others else 0, demand_cv=0.3)
    return Tier(
        name=name, ordering=ordering,
        lead_time_weeks=draw(st.integers(1, 6)), order_delay_weeks=draw(st.integers(0, 3)),
        units_per_parent=draw(st.sampled_from((1.0, 8.0, 0.02))), over_ordering=over,
        capacity=Capacity(over_ordinary=draw(st.sampled_from((None, 0.9, 1.3))), grows_to=2, ramp_weeks=20),
        other_buyers=buyers,
        allocation=draw(st.sampled_from(RULES)), change=change if changes and draw(st.booleans()) else None,
    )  # fmt: skip


@st.composite
def chains(draw, *, others: bool, changes: bool) -> SupplyChain:
    count = draw(st.integers(1, 4))
    levels = tuple(draw(tiers(f"tier{k}", others, changes)) for k in range(count))
    return SupplyChain(
        tiers=levels, base_demand=draw(st.sampled_from((1.0, 100.0))), demand_cv=draw(st.sampled_from((0.0, 0.4)))
    )


def rough_demand(chain: SupplyChain, seed: int) -> np.ndarray:
    steps = np.random.default_rng(seed).choice([0.0, 1.0, 1.0, 1.0, 6.0], 40)
    return chain.base_demand * steps


def changes_by_week(values: np.ndarray) -> np.ndarray:
    return np.diff(values, axis=0)


@given(st.one_of(chains(others=True, changes=False), chains(others=False, changes=True)), st.integers(0, 2**31))
def test_units_are_conserved_at_every_tier_in_every_week(chain: SupplyChain, seed: int) -> None:
    result = run(chain, rough_demand(chain, seed), paths=3, seed=seed, keep_traces=True)
    of = result.traces.of
    scale = 1 + np.abs(result.traces.values).max(axis=(0, 2, 3))[None, :, None]

    def same(a: np.ndarray, b: np.ndarray, k: slice | int = slice(None)) -> None:
        assert (np.abs(a - b) <= 1e-9 * scale[:, k]).all()

    same(changes_by_week(of("on_hand")), (of("received") - of("shipped"))[1:])
    same(changes_by_week(of("open_orders")), (of("order") - of("received") - of("cancelled"))[1:])
    alone = not any(tier.other_buyers.units_per_week for tier in chain.tiers)
    for k in range(1, len(chain.tiers)):
        bill, again = bill_by_week(chain.tiers[k])
        asked_back = of("cancelled")[:, k - 1] * bill[:, None]
        open_before = of("backlog")[:-1, k] * again[1:, None]
        same(of("backlog")[1:, k], open_before + (of("incoming") - of("shipped"))[1:, k] - asked_back[1:], k)
        if alone:
            on_the_way = of("in_transit")[:, k - 1] + of("unstarted")[:, k - 1]
            came = of("shipped")[:, k] / bill[:, None]
            assert np.allclose(
                changes_by_week(on_the_way), (came - of("received")[:, k - 1])[1:], atol=1e-9 * scale.max()
            )


def bill_by_week(tier: Tier) -> tuple[np.ndarray, np.ndarray]:
    bill = np.full(40, tier.units_per_parent)
    if tier.change is not None:
        bill[tier.change.week :] *= tier.change.unit_factor
    return bill, np.r_[1.0, bill[1:] / bill[:-1]]


@given(st.one_of(chains(others=True, changes=False), chains(others=False, changes=True)), st.integers(0, 2**31))
def test_stocks_are_never_negative_and_never_held_back(chain: SupplyChain, seed: int) -> None:
    result = run(chain, rough_demand(chain, seed), paths=3, seed=seed, keep_traces=True)
    values = result.traces.values
    assert values.min() >= -1e-9 * values.max()
    for name in ("on_hand", "backlog", "order", "shipped", "unstarted"):
        assert result.traces.of(name).min() >= 0 or np.isclose(
            result.traces.of(name).min(), 0, atol=1e-9 * values.max()
        )
    both = np.minimum(result.traces.of("on_hand"), result.traces.of("backlog"))
    cancelled_after_shipping = 1e-9 * values.max()
    assert both.max() <= cancelled_after_shipping
    assert (result.delivered.cumsum(axis=0) <= result.demand.cumsum(axis=0) + 1e-9 * values.max()).all()


@given(chains(others=True, changes=False))
def test_constant_demand_repeats_itself(chain: SupplyChain) -> None:
    """Every policy starts in its own steady state, unless capacity is short or units are rounded."""
    quiet = tuple(
        tier.model_copy(update={
            "capacity": Capacity(),
            "ordering": tier.ordering.model_copy(update={"whole_units": False, "safety_weeks": 6.0}),
            "other_buyers": OtherBuyers(units_per_week=tier.other_buyers.units_per_week),
        })
        for tier in chain.tiers
    )  # fmt: skip
    steady = chain.model_copy(update={"tiers": quiet, "demand_cv": 0.0})
    result = run(steady, np.full(60, chain.base_demand), keep_traces=True)
    values = result.traces.values
    assert np.allclose(values, values[:1], rtol=1e-9, atol=1e-9 * values.max())
    assert result.fill_rate == 1.0
    assert result.tiers["variance_ratio"].null_count() == len(quiet)


@given(chains(others=False, changes=True), st.integers(0, 2**31), st.sampled_from((0.25, 4.0, 1024.0)))
def test_scaling_demand_scales_everything(chain: SupplyChain, seed: int, factor: float) -> None:
    rough = tuple(
        tier.model_copy(update={"ordering": tier.ordering.model_copy(update={"whole_units": False})})
        for tier in chain.tiers
    )
    chain = chain.model_copy(update={"tiers": rough})
    demand = rough_demand(chain, seed)
    large = chain.model_copy(update={"base_demand": chain.base_demand * factor})
    small_run = run(chain, demand, paths=3, seed=seed, keep_traces=True).traces.values
    large_run = run(large, demand * factor, paths=3, seed=seed, keep_traces=True).traces.values
    assert np.allclose(small_run * factor, large_run, rtol=1e-6, atol=1e-6 * large_run.max())
