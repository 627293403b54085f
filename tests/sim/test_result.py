"""Results thinned out in time keep their sums and their peaks."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaroce.sim._collect import halve_bins
from metaroce.sim._layout import BACKLOG, BYTES, PORT


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=12), st.integers(0, 100))
def test_halving(bins, open_peak):
    """(bytes sent, largest backlog) of every closed bin, and the largest backlog of the open one."""
    size = len(bins) + 1
    series = np.zeros((4, size, 1), np.int64)
    series[BYTES, :-1, 0] = np.cumsum([sent for sent, _ in bins])
    series[BACKLOG, :-1, 0] = [peak for _, peak in bins]
    ports = np.zeros(1, PORT).view(np.recarray)
    ports["bin_backlog"] = open_peak
    total = np.rec.array([(len(bins), 10, 10 * size)], dtype=[("bin", "i8"), ("bin_width", "i8"), ("bin_end", "i8")])
    halve_bins(SimpleNamespace(total=total, series=series, ports=ports))
    half = len(bins) // 2
    assert total[0].bin == half and total[0].bin_width == 20 and total[0].bin_end == 20 * (half + 1)
    for place in range(half):
        pair = bins[2 * place : 2 * place + 2]
        assert series[BACKLOG, place, 0] == max(peak for _, peak in pair)
        assert series[BYTES, place, 0] == sum(sent for sent, _ in bins[: 2 * place + 2])
    left = [peak for _, peak in bins[2 * half :]]
    assert ports["bin_backlog"][0] == max([open_peak, *left])
