"""Token counts keep the median and p95 that were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream
from metaroce.loads.tokens import draw_fixed, draw_from, draw_lognormal
from metaroce.model.requests import FixedTokens, LognormalTokens


@given(st.integers(20, 5000), st.floats(1, 20), st.floats(1, 10))
def test_lognormal_keeps_median_p95_and_limit(median, spread, room):
    p95 = round(median * spread)
    law = LognormalTokens(median=median, p95=p95, max=round(p95 * room))
    drawn = draw_lognormal(law, 40_000, stream(1, "test"))
    assert drawn.dtype == np.int32
    assert drawn.min() >= 1
    assert drawn.max() <= law.max
    assert np.median(drawn) == pytest.approx(median, rel=0.06, abs=1)
    assert np.quantile(drawn, 0.95) == pytest.approx(p95, rel=0.08, abs=1)


def test_fixed_and_drawn_from_a_trace():
    assert draw_fixed(FixedTokens(tokens=7), 3).tolist() == [7, 7, 7]
    lengths = np.array([3, 50, 900], np.int32)
    drawn = draw_from(lengths, 3000, stream(1, "test"))
    assert drawn.dtype == np.int32
    assert sorted(set(drawn.tolist())) == [3, 50, 900]
    assert np.allclose(np.unique(drawn, return_counts=True)[1], 1000, atol=100)
    with pytest.raises(InputError):
        draw_from(lengths[:0], 1, stream(1, "test"))
