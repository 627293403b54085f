"""Streams are named, repeatable and independent."""

from __future__ import annotations

import numpy as np

from metaroce.kit.rng import kernel_seed, stream


def test_same_name_same_numbers_and_other_name_other_numbers() -> None:
    first, again = stream(1, "arrivals").random(5), stream(1, "arrivals").random(5)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, stream(1, "network").random(5))
    assert not np.array_equal(first, stream(2, "arrivals").random(5))
    assert kernel_seed(1, "a", 1) != kernel_seed(1, "a", 2)


def test_streams_are_uncorrelated() -> None:
    a, b = stream(7, "a").standard_normal(20_000), stream(7, "b").standard_normal(20_000)
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(20_000)
