"""Errors say what, where, and what to do, and survive a process border."""

from __future__ import annotations

import pickle

from metaroce.kit.errors import Problem, ScenarioError


def test_the_text_has_three_parts() -> None:
    error = ScenarioError("rate is 0", where='lab.yaml:14  rate: "0G"', hint='give a rate such as "400G"')
    assert str(error) == 'error: rate is 0\n  --> lab.yaml:14  rate: "0G"\n  = help: give a rate such as "400G"'
    assert str(Problem("line skipped", "a.csv:3")) == "warning: line skipped\n  --> a.csv:3"


def test_errors_cross_process_borders() -> None:
    error = pickle.loads(pickle.dumps(ScenarioError("a", where="b", hint="c")))
    assert (type(error), error.what, error.where, error.hint) == (ScenarioError, "a", "b", "c")
