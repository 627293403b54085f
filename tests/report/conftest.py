"""One made-up report with every kind of block and chart: `python tests/report/conftest.py FILE` writes it as a page."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metaroce.report import charts
from metaroce.report.document import (
    Callout,
    Chart,
    Details,
    Figure,
    Figures,
    Provenance,
    Report,
    Section,
    Source,
    Table,
    Text,
    table,
)


def latencies(mean: float, tail: float, count: int = 4000) -> list[float]:
    """Quantiles of a lognormal-like law; no random numbers."""
    return [mean * math.exp(tail * _normal((i + 0.5) / count)) for i in range(count)]


def _normal(share: float) -> float:
    t = math.sqrt(-2 * math.log(min(share, 1 - share)))
    z = t - (2.515517 + 0.802853 * t + 0.010328 * t**2) / (1 + 1.432788 * t + 0.189269 * t**2 + 0.001308 * t**3)
    return math.copysign(z, share - 0.5)


def _wave(i: int) -> float:
    return 0.55 + 0.25 * math.sin(i / 9) + 0.08 * math.sin(i / 2.3)


def _tier(ordinary: float, growth: float, peak: int) -> dict[str, Any]:
    def orders(week: int, up: float, down: float) -> float:
        rise, fall = math.exp(-(((week - peak) / 4) ** 2)), math.exp(-(((week - peak - 12) / 5) ** 2))
        return ordinary * (1 + growth * (up * rise - down * fall))

    weeks = list(range(52))
    bands = {"p10": (0.7, 0.5), "p50": (1.0, 0.4), "p90": (1.3, 0.3)}
    return {"week": weeks, "ordinary": ordinary} | {k: [orders(w, *b) for w in weeks] for k, b in bands.items()}


def _curve(gpus: int) -> dict[str, Any]:
    value, low, high = (180 + load / (gpus - 20) ** 2 for load in (9e5, 7e5, 12e5))
    return {"gpus": gpus, "value": value, "low": low, "high": high}


REQUEST_COLUMNS = ["class", "requests", "P50 [ms]", "P95 [ms]", "P99 [ms]", "promise met"]

SPECS: dict[str, Callable[[], dict[str, Any]]] = {
    "distribution": lambda: charts.latency_distribution(
        {"RoCE": latencies(140, 0.4), "kernel TCP": latencies(210, 0.5)},
        slo={"limit": 300, "quantile": 0.95},
        what="Time to first token",
    ),
    "capacity": lambda: charts.capacity_curve(
        [_curve(gpus) for gpus in range(64, 161, 8)],
        limit=300,
        chosen=120,
        what="P95 time to first token",
    ),
    "breakdown": lambda: charts.breakdown_bars(
        {
            "RoCE": {"retrieval": 40, "queue": 61, "compute": 118, "network": 22, "serialisation": 20},
            "kernel TCP": {"retrieval": 40, "queue": 66, "compute": 118, "network": 210, "serialisation": 20},
        },
        limit=300,
    ),
    "series": lambda: charts.time_series(
        {
            "leaf uplinks": {
                "x": list(range(120)),
                "y": [_wave(i) for i in range(120)],
                "low": [_wave(i) - 0.08 for i in range(120)],
                "high": [_wave(i) + 0.09 for i in range(120)],
            },
            "server links": {"x": list(range(120)), "y": [_wave(i + 30) * 0.6 for i in range(120)]},
        },
        x_title="time [us]",
        y_title="link utilisation",
        levels={"planned 80 %": 0.8},
        share=True,
    ),
    "orders": lambda: charts.orders_by_tier(
        {
            "cloud": _tier(20, 0.6, 14),
            "equipment": _tier(20, 1.0, 16),
            "chip": _tier(160, 1.6, 18),
            "foundry": _tier(3.2, 2.4, 21),
        }
    ),
    "load": lambda: charts.load_curve(
        [40 + 80 * math.exp(-(((hour - 13) / 4.5) ** 2)) for hour in range(24)],
        own=80,
    ),
    "account": lambda: charts.account_bars(
        [{"name": "GPUs not bought", "value": 2.1e6, "low": 1.6e6, "high": 2.7e6}, {"name": "power", "value": 0.31e6}],
        [
            {"name": "buffers held back", "value": 0.28e6, "low": 0.2e6, "high": 0.4e6},
            {"name": "rescheduling", "value": 1.56e6, "low": 1.2e6, "high": 1.9e6},
            {"name": "penalties", "value": 0.89e6},
        ],
        {"name": "net", "value": -0.32e6, "low": -0.9e6, "high": 0.3e6},
    ),
    "tornado": lambda: charts.tornado(
        [
            {"name": "request rate", "at_low": 98, "at_high": 146, "low_label": "16/s", "high_label": "24/s"},
            {"name": "burst peak", "at_low": 110, "at_high": 133, "low_label": "3.7", "high_label": "5.5"},
            {"name": "P95 limit", "at_low": 131, "at_high": 114, "low_label": "240 ms", "high_label": "360 ms"},
            {"name": "NIC rate", "at_low": 121, "at_high": 120, "low_label": "320G", "high_label": "480G"},
            {
                "name": "prefill tokens per step",
                "at_low": 124,
                "at_high": 124,
                "low_label": "-20%",
                "high_label": "+20%",
            },
            {"name": "steps between checks of the queue", "at_low": 112, "at_high": 108},
            {"name": "years a server is used", "at_low": 120, "at_high": 120, "low_label": "4", "high_label": "6"},
        ],
        base=120,
        unit="",
        what="GPUs",
    ),
    "compare": lambda: charts.compare_bars(
        [
            {"name": "chat", "group": "RoCE", "value": 287, "low": 271, "high": 305},
            {"name": "chat", "group": "kernel TCP", "value": 412, "low": 395, "high": 440},
            {"name": "agents", "group": "RoCE", "value": 190, "low": 181, "high": 204},
            {"name": "agents", "group": "kernel TCP", "value": 312, "low": 300, "high": 330},
        ],
        unit="ms",
        what="P95 end to end",
        limit=300,
    ),
}


def chart(key: str, title: str, caption: str = "", alt: str = "") -> Chart:
    return Chart(title, SPECS[key], caption, alt)


def report() -> Report:
    """The whole made-up report."""
    return Report(
        "Office assistant: 120 GPUs meet P95 < 300 ms",
        "A 70B model behind retrieval, 20 requests/s in bursts. Scenario `office-assistant`, seeds 1 to 5.",
        (_answer(), _latency(), _fabric(), _orders(), _money()),
        data={"gpus": 120, "p95_ms": 287.25, "nothing": float("nan")},
        footer="metaroce 0.1.0. Same scenario, seed and version give the same bytes.",
    )


_HOW = Provenance(
    "How the headline numbers came about",
    (
        Source(
            "GPUs needed",
            "120",
            "smallest n with P95(n) <= 300 ms on every seed",
            "requests.rate = 20/s",
            "bisection, 12 runs",
        ),
        Source(
            "step time",
            "21.4 ms",
            "max(2 P T / F, bytes / B) + 2 n_l t_ar",
            "P = 70e9, T = 2048",
            "roofline, `<b>`",
        ),
    ),
)


def _answer() -> Section:
    return Section(
        "answer",
        "The answer",
        (
            Figures(
                (
                    Figure(
                        "GPUs needed",
                        "120",
                        "112 to 128 over 5 seeds",
                        note="15 servers of 8 H100",
                        source="GPUs needed",
                    ),
                    Figure(
                        "P95 time to first token", "287", "271 to 305 over seeds", "good", "promise 300 ms", unit="ms"
                    ),
                    Figure(
                        "Order",
                        "$ 6.42 M",
                        "5.71 to 7.18, 90 % of draws",
                        "plain",
                        "servers, 16 switches, cables, spares",
                    ),
                    Figure("All servers there", "week 31", "P10 27, P90 39", "warn", "wanted in week 20"),
                )
            ),
            Callout(
                "bad",
                "The last server comes **11 weeks late** in the median. Renting 40 GPUs till then costs $ 0.41 M.",
            ),
            Text(
                "The promise binds through its tail: at 112 GPUs one seed in five misses it. Requests come in bursts "
                "at the full minute (`burst.phase: locked`), and the queue of the first twelve seconds decides."
                "\n\nNetwork time is 8 % of the whole, so a faster fabric would not save GPUs."
            ),
            chart(
                "capacity",
                "P95 over the number of GPUs",
                "Bars span the seeds. Hollow points miss the promise.",
                "P95 falls from 645 ms at 64 GPUs to 270 ms at 120 GPUs, below the promise near 108 GPUs.",
            ),
            _HOW,
        ),
    )


def _latency() -> Section:
    return Section(
        "latency",
        "Latency",
        (
            chart(
                "distribution",
                "Time to first token",
                "Five seeds together, 12,000 requests each.",
                "287 ms at P95 over RoCE and 470 ms over kernel TCP; the promise is 300 ms.",
            ),
            chart("breakdown", "Where the P95 goes"),
            chart("compare", "RoCE and kernel TCP"),
            Table(
                "Requests",
                table("", REQUEST_COLUMNS, []).columns,
                (
                    ("chat", 48_211, 141.2034, 287.25, 402.125, True),
                    ("agents", 11_789, 96.5, 190.0, 1250.75, False),
                    ("batch <nightly>", 0, None, None, float("nan"), None),
                ),
                "Unserved requests miss every promise.",
                ("good", "bad", "muted"),
            ),
        ),
    )


def _fabric() -> Section:
    rows = [(f"leaf-{i}", 64, 25_600 + i, 0.004 * i, 1.5 * i**3, i * 7) for i in range(6)]
    return Section(
        "fabric",
        "Fabric",
        (
            Callout("ok", "No packet was lost, and no buffer dependency closes a cycle."),
            chart("series", "Link utilisation", "Bins of 1 us; the band is P10 to P90 over links."),
            table("Switches", ["switch", "ports", "rate [Gbit/s]", "ECN marks [%]", "queue P99 [KB]", "pauses"], rows),
            Details(
                "Settings of the simulation",
                (
                    Text("Marking at dequeue between `400KB` and `1600KB`."),
                    table(
                        "Settings", ["field", "value"], [("fabric.ecn.kmin", "400KB"), ("fabric.pfc.alpha", "0.125")]
                    ),
                ),
            ),
        ),
    )


def _orders() -> Section:
    return Section(
        "orders",
        "Orders",
        (
            Callout("warn", "The foundry is ordered **3.4 times** its ordinary week, seven weeks after the bill."),
            chart("orders", "Orders by tier", "Median and P10 to P90 of 400 courses of the market."),
        ),
    )


def _money() -> Section:
    return Section(
        "money",
        "Money",
        (
            Callout("note", "Every price is an assumption with a range; put your own quotes under `money.prices`."),
            chart("account", "What is gained and what is paid"),
            chart("load", "What to own and what to rent", "A working day."),
            chart("tornado", "What the number of GPUs hangs on", "Each input moved by 20 %."),
        ),
    )


@pytest.fixture(scope="session")
def sample() -> Report:
    return report()


@pytest.fixture(scope="session")
def specs() -> dict[str, dict[str, Any]]:
    return {name: make() for name, make in SPECS.items()}


if __name__ == "__main__":
    from metaroce.report import html

    Path(sys.argv[1]).write_text(html.render(report()), encoding="utf-8")
