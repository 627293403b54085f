"""Times drawn per request, and the router's candidates."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from metaroce.model.service import Lognormal, Service
from metaroce.serving.draws import draw_candidates, draw_lognormal_ns


@pytest.mark.parametrize(("mean", "p95"), [(40, 60), (40, 100), (40, 150), (40, 40)])
def test_the_lognormal_has_its_mean_and_p95(mean, p95):
    values = draw_lognormal_ns(Lognormal(mean=f"{mean}ms", p95=f"{p95}ms"), 400_000, 1, "rag") / 1e6
    assert values.mean() == pytest.approx(mean, rel=0.02)
    assert np.quantile(values, 0.95) == pytest.approx(p95, rel=0.02)


@pytest.mark.parametrize(("mean", "p95"), [(40, 39), (40, 160)])
def test_no_lognormal_has_these(mean, p95):
    with pytest.raises(ValidationError, match="no lognormal"):
        Lognormal(mean=f"{mean}ms", p95=f"{p95}ms")


def test_candidates_are_two_different_replicas_evenly():
    for replicas in (2, 3, 17):
        pick = draw_candidates(60_000, replicas, 1)
        assert (pick[:, 0] != pick[:, 1]).all()
        counts = np.bincount(pick.reshape(-1), minlength=replicas)
        assert len(counts) == replicas and counts.min() > 0.9 * counts.mean()
    assert not draw_candidates(10, 1, 1).any()


@pytest.mark.parametrize("change", [{"chunk_tokens": 100}, {"tensor_parallel": 4, "expert_parallel": 6}])
def test_services_that_contradict_themselves(change):
    with pytest.raises(ValidationError):
        Service(**change)
