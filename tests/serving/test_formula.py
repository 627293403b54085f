"""The plain formula."""

from __future__ import annotations

import pytest

from metaroce.kit.errors import InputError
from metaroce.serving.formula import plain_count


def test_the_planner_s_example():
    count = plain_count(requests_per_day=1_000_000, gpu_seconds=0.5, useful_hours=20, peak_factor=2.5)
    assert (round(count.gpu_hours), count.mean, count.planned) == (139, 7, 18)


def test_whole_numbers_are_not_rounded_up_by_noise():
    assert plain_count(requests_per_day=3600 * 24 * 3, gpu_seconds=1, useful_hours=24, peak_factor=1.1).planned == 4
    assert plain_count(requests_per_day=3600 * 20 * 7, gpu_seconds=1, useful_hours=20, peak_factor=1).mean == 7


@pytest.mark.parametrize("change", [{"gpu_seconds": 0}, {"useful_hours": 25}, {"peak_factor": -1}])
def test_nonsense_is_refused(change):
    with pytest.raises(InputError):
        plain_count(**({"requests_per_day": 1e6, "gpu_seconds": 0.5} | change))
