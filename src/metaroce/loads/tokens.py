"""Token counts of generated requests: drawn per column and per column only, so inputs and outputs stay independent."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.errors import InputError
from metaroce.model.requests import FixedTokens, LognormalTokens
from metaroce.model.service import Z95


def sigma_of(law: LognormalTokens) -> float:
    """Standard deviation of the logarithm."""
    return math.log(law.p95 / law.median) / Z95


def draw_lognormal(law: LognormalTokens, count: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """int32[count] in 1..law.max; p95 = median exp(1.645 sigma)."""
    sigma = sigma_of(law)
    drawn = rng.standard_normal(count)
    np.exp(drawn * sigma, out=drawn)
    return np.clip(np.rint(drawn * law.median), 1, law.max).astype(np.int32)


def draw_fixed(law: FixedTokens, count: int) -> NDArray[np.int32]:
    """int32[count], all the same."""
    return np.full(count, law.tokens, np.int32)


def draw_from(lengths: NDArray[np.int32], count: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """int32[count] drawn from `lengths` with replacement. Raises InputError when there are none."""
    if not len(lengths):
        raise InputError("no token counts to draw from", hint="name a trace with requests")
    return lengths[rng.integers(0, len(lengths), count)]
