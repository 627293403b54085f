"""The verbs of cost: price a bill, own it, rent instead, count jitter, and close the two-column account."""

from __future__ import annotations

from metaroce.cost.account import Account, Entry, Swing, account
from metaroce.cost.base_burst import BaseBurst, base_burst
from metaroce.cost.jitter import ClaimCheck, ReportedJitter, check_reported_jitter, jitter_cost
from metaroce.cost.lines import Factor, Line, Term, amount, merged, scaled
from metaroce.cost.owning import Bought, avoided_gpus, capex, owned_gpu_hour, owning_per_year, yearly_share
from metaroce.cost.prices import PriceBook, price_book, rental_name
from metaroce.cost.renting import rented_burst, shortage

__all__ = [
    "Account", "BaseBurst", "Bought", "ClaimCheck", "Entry", "Factor", "Line", "PriceBook", "ReportedJitter", "Swing",
    "Term", "account", "amount", "avoided_gpus", "base_burst", "capex", "check_reported_jitter", "jitter_cost",
    "merged", "owned_gpu_hour", "owning_per_year", "price_book", "rental_name", "rented_burst", "scaled", "shortage",
    "yearly_share",
]  # fmt: skip
