"""What a chain may be, and what the complaint says when it may not."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from metaroce.model.supply import Capacity, OtherBuyers, Part, SupplyChain, Tier


def test_defaults_are_a_chain() -> None:
    assert SupplyChain().sequence() == ("cloud", "equipment", "chip", "foundry")


def test_buyers_stand_before_their_suppliers() -> None:
    chain = SupplyChain(tiers=(
        Tier(name="server", buys_from=(Part(tier="gpu", units=8), Part(tier="nic", units=8))),
        Tier(name="foundry", buys_from=()), Tier(name="gpu", buys_from=(Part(tier="foundry"),)),
        Tier(name="nic", buys_from=(Part(tier="foundry"),)),
    ))  # fmt: skip
    assert chain.sequence() == ("server", "gpu", "nic", "foundry")


@pytest.mark.parametrize(
    ("tiers", "complaint"),
    [
        ((Tier(name="a"), Tier(name="a")), "two tiers are called 'a'"),
        ((Tier(name="a", buys_from=(Part(tier="b"),)),), "buys from 'b', which is no tier"),
        ((Tier(name="a", buys_from=(Part(tier="a"),)),), "buy in a circle: a"),
        ((Tier(name="a"), Tier(name="b", buys_from=(Part(tier="a"),))), "buy in a circle: a, b"),
        ((Tier(name="a", buys_from=()), Tier(name="b")), "nobody buys from 'b'"),
        ((Tier(name="a", buys_from=(Part(tier="b"), Part(tier="b"))), Tier(name="b")), "buys 'b' twice"),
    ],
)
def test_impossible_chains(tiers: tuple[Tier, ...], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        SupplyChain(tiers=tiers)


def test_one_size_only() -> None:
    with pytest.raises(ValidationError, match="given twice"):
        Capacity(units_per_week=3, over_ordinary=2)
    with pytest.raises(ValidationError, match="given twice"):
        OtherBuyers(units_per_week=3, share_of_market=0.2)
