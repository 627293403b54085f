"""The search finds the threshold, tries no count twice, and says when there is none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metaroce.study.search import smallest


@given(st.integers(1, 500), st.integers(1, 600), st.integers(1, 500))
def test_finds_the_threshold_and_tries_nothing_twice(threshold: int, start: int, limit: int) -> None:
    tried: list[int] = []

    def passes(n: int) -> bool:
        assert 1 <= n <= limit
        tried.append(n)
        return n >= threshold

    found = smallest(passes, start=start, limit=limit)
    assert found == (threshold if threshold <= limit else None)
    assert len(tried) == len(set(tried))
    assert len(tried) <= 22


def test_one_trial_beside_a_good_guess_is_enough() -> None:
    tried: list[int] = []
    smallest(lambda n: tried.append(n) or n >= 4, start=4, limit=4096)
    assert tried == [4, 3]
