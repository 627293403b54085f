"""Draw the pictures of the documentation from a real study: `python docs/images/make.py`.

study.png: latency over the GPU count for the built-in scenario, with the burst and with the same requests spread over
a minute. Same scenario, same seeds, same fabric times: only the arrival times differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from metaroce.loads.requests import RequestTable
from metaroce.loads.windows import dephase
from metaroce.model.scenario import Scenario
from metaroce.report.charts import capacity_curve
from metaroce.report.picture import png
from metaroce.study.api import Options, study
from metaroce.study.capacity import Bench
from metaroce.study.chain import Chain

HERE = Path(__file__).resolve().parent
SHOWN_MS = 420  # above it a curve says only that the queue grows
GRID = (*range(3, 12), *range(12, 34, 3))  # replicas


def main() -> None:
    """Write every picture."""
    (HERE / "study.png").write_bytes(png(study_picture(), width=760, scale=1.5))


def study_picture() -> dict[str, Any]:
    """The first objective over the GPU count, with and without the burst."""
    scenario = Scenario()
    scenario = scenario.model_copy(update={"sensitivity": scenario.sensitivity.model_copy(update={"enabled": False})})
    chain = study(scenario, Options()).chain
    calm = [
        dephase(table, scenario.capacity.dephase, seed)
        for table, seed in zip(chain.load.busiest, chain.seeds, strict=True)
    ]
    points = [
        *_points(chain, chain.load.busiest, "as they come: most in 12 s of a minute"),
        *_points(chain, calm, "the same, spread over the minute"),
    ]
    slo = scenario.service.slos[0]
    return capacity_curve(
        points, limit=slo.limit / 1e6, limit_name="objective", what="TTFT P95", chosen=round(chain.gpus.value)
    )


def _points(chain: Chain, tables: Sequence[RequestTable], series: str) -> Iterator[dict[str, Any]]:
    bench = Bench(tables, chain.seeds, chain.scenario.service, chain.settled.network.times)
    for replicas in sorted({*GRID, chain.settled.need.replicas or 1}):
        first = bench.point(replicas).judged[0]
        if not math.isfinite(first.value.value) or first.value.value > SHOWN_MS * 1e6:
            continue
        yield {
            "gpus": replicas * chain.settled.hardware.gpus,
            "value": first.value.value / 1e6,
            "low": first.value.low / 1e6,
            "high": first.value.high / 1e6,
            "meets": first.met,
            "series": series,
        }


if __name__ == "__main__":
    main()
