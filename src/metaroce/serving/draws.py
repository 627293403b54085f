"""What is drawn once per request, before the engine starts: times around the engine, and the router's two candidates.

Every draw has its own named stream and depends on the request's number only, so two runs that differ in hardware,
replicas or network meet the same luck.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.rng import stream
from metaroce.model.service import Lognormal


def draw_lognormal_ns(law: Lognormal, count: int, seed: int, name: str) -> NDArray[np.int64]:
    """int64[count] ns from the lognormal with this mean and P95."""
    if law.mean == 0:
        return np.zeros(count, np.int64)
    sigma = law.sigma
    normal = stream(seed, "serving", name).standard_normal(count)
    return np.rint(np.exp(math.log(law.mean) - sigma**2 / 2 + sigma * normal)).astype(np.int64)


def draw_candidates(count: int, replicas: int, seed: int) -> NDArray[np.int32]:
    """int32[count, 2] replicas that the router compares; two different ones when there are two."""
    uniform = stream(seed, "serving", "router").random((count, 2))
    first = (uniform[:, 0] * replicas).astype(np.int32)
    if replicas == 1:
        return np.stack([first, first], axis=1)
    apart = 1 + (uniform[:, 1] * (replicas - 1)).astype(np.int32)
    return np.ascontiguousarray(np.stack([first, (first + apart) % replicas], axis=1))
