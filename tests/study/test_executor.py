"""Tasks come back in order from one process or two, prepared work is waited for, errors keep their kind."""

from __future__ import annotations

import pytest

from metaroce.kit.errors import ScenarioError
from metaroce.study.executor import Executor


def square(number: int) -> int:
    return number * number


def refuse(number: int) -> int:
    raise ScenarioError(f"{number} is too many", where="here")


def nothing() -> None:
    return None


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(workers):
    told = []
    with Executor(workers) as executor:
        executor.prepare(nothing)
        found = executor.map(square, range(7), what="squares", progress=lambda what, share: told.append((what, share)))
    assert found == [0, 1, 4, 9, 16, 25, 36]
    assert told[-1] == ("squares", 1.0)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_task_is_the_callers(workers):
    with Executor(workers) as executor, pytest.raises(ScenarioError, match="0 is too many") as caught:
        executor.map(refuse, range(3))
    assert caught.value.where == "here"
