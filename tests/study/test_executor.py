"""The pool gives what a loop gives, in the order of the tasks, and says how far it is."""

from __future__ import annotations

import math

import pytest

from metaroce.study.executor import Executor


def test_one_worker_or_two_give_the_same():
    tasks = list(range(12))
    said: list[tuple[str, float | None]] = []
    with Executor(2) as pool:
        found = pool.map(math.factorial, tasks, what="working", progress=lambda what, share: said.append((what, share)))
    assert found == Executor(1).map(math.factorial, tasks) == [math.factorial(n) for n in tasks]
    assert [share for _, share in said] == [n / 12 for n in range(1, 13)]


def test_a_fault_of_a_task_comes_out():
    with Executor(2) as pool, pytest.raises(ValueError, match="factorial"):
        pool.map(math.factorial, [1, -1])


def test_one_worker_starts_no_process_and_prepares_nothing():
    alone = Executor(1)
    alone.prepare(lambda: pytest.fail("one worker compiles when it needs to"))
    assert alone.map(math.sqrt, [4.0, 9.0]) == [2.0, 3.0]
    assert Executor(0).workers == 1
