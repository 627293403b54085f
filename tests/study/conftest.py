"""One small chain, run once for all tests of the study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from metaroce.model.reading import parse_yaml, set_value, validate
from metaroce.model.scenario import Scenario
from metaroce.study.api import Options, StudyResult, study

SMALL = """
schema_version: 1
name: small
seeds: 2
requests: {kind: generator, rate: 12/s, duration: 2min, burst: {share: 83 %, window: 12s}}
service:
  llm: llama-3.1-70b
  tensor_parallel: 8
  chunk_tokens: 2048
  rag: {mean: 10ms, p95: 20ms}
  slos:
    - {metric: ttft, quantile: 0.95, limit: 400ms}
    - {metric: tpot, quantile: 0.95, limit: 50ms}
capacity: {window: 2min}
orders: {paths: 20}
money: {draws: 200}
sensitivity: {enabled: false}
"""


def scenario(changes: Sequence[str] = ()) -> Scenario:
    """The small scenario with `key=value` texts laid over it."""
    document = parse_yaml(SMALL, "small.yaml")
    for change in changes:
        document = set_value(document, change)
    return validate(Scenario, document)


@pytest.fixture(scope="session")
def small_scenario():
    """Makes the small scenario, changed."""
    return scenario


@pytest.fixture(scope="session")
def result() -> StudyResult:
    """A study of the small scenario; each replica is a server of eight GPUs."""
    return study(scenario(), Options(folder=Path()))
