"""The planner's plain formula, shown beside the simulation: requests x GPU-seconds / useful hours, times a factor."""

from __future__ import annotations

import math
from dataclasses import dataclass

from metaroce.kit.errors import InputError


@dataclass(frozen=True, slots=True)
class PlainCount:
    """GPUs by the plain formula: `gpu_hours` a day, `mean` GPUs to do them, `planned` with the factor for the peak."""

    gpu_hours: float
    mean: int
    planned: int


def plain_count(
    *, requests_per_day: float, gpu_seconds: float, useful_hours: float = 20.0, peak_factor: float = 2.5
) -> PlainCount:
    """1,000,000 requests a day x 0.5 s = 139 GPU-hours; / 20 h = 7; x 2.5 = 18 (mean rounded up before the factor).

    It knows neither queueing nor batching nor a latency limit: the simulation does.

    >>> plain_count(requests_per_day=1_000_000, gpu_seconds=0.5)
    PlainCount(gpu_hours=138.88888888888889, mean=7, planned=18)
    """
    if min(requests_per_day, gpu_seconds, peak_factor) <= 0 or not 0 < useful_hours <= 24:
        raise InputError(
            "the plain formula needs positive requests, GPU-seconds and factor, and 0 to 24 useful hours a day",
            where="plain_count",
        )
    hours = requests_per_day * gpu_seconds / 3600
    mean = math.ceil(round(hours / useful_hours, 9))
    return PlainCount(hours, mean, math.ceil(round(mean * peak_factor, 9)))
