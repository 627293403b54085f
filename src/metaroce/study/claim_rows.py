"""The claims of the three seed reports, each with how we measure it and which inputs may explain the difference."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from metaroce.cost.jitter import check_reported_jitter
from metaroce.study.capacity import pooled
from metaroce.study.chain import Chain
from metaroce.study.claims import Claim

Measure = Callable[[Chain, int], float | None]
CASCADE = "not built: the dynamic cascade (room cluster) is a later step"
LEVELS = 5


def _quantile_ms(metric: str, quantile: float) -> Measure:
    return lambda chain, at: (
        pooled(chain.settled.bench.runs(max(at, chain.settled.bench.fewest)), metric, quantile) / 1e6
    )


def _window(name: str, scale: float = 1.0) -> Measure:
    def measure(chain: Chain, at: int) -> float | None:
        windows = chain.settled.network.windows
        return windows[-1].figures[name].value * scale if windows and name in windows[-1].figures else None

    return measure


def _tier(product: str, tier: str, column: str, minus: float = 0.0) -> Measure:
    def measure(chain: Chain, at: int) -> float | None:
        if chain.orders is None:
            return None
        tiers = next(one.tiers for one in chain.orders.products if one.name == product)
        value = tiers.filter(pl.col("tier") == tier)[column][0]
        return None if value is None else float(value) - (chain.scenario.orders.order_week if minus else 0.0)

    return measure


def _over_alternative(chain: Chain, at: int) -> float | None:
    network = chain.alternatives.network if chain.alternatives else None
    return None if network is None else network.at_ours_ns / 1e6


def _needed_gpus(chain: Chain, at: int) -> float | None:
    return chain.gpus.value if chain.is_feasible else None


def _formula_gpus(chain: Chain, at: int) -> float | None:
    return float(chain.alternatives.formula.count.planned) if chain.alternatives else None


def _bought(chain: Chain, at: int) -> float | None:
    """50 cards after five levels that each add the scheduler's margin."""
    return 50 * (1 + chain.scenario.capacity.reservation.scheduler) ** LEVELS


def _margin_error(chain: Chain, at: int) -> float | None:
    return 3.0 * chain.scenario.capacity.reservation.product


def _reported(position: int) -> tuple[float, str, Measure, str]:
    check = check_reported_jitter()[position]
    return check.claimed or 0.0, check.name, lambda chain, at: check.ours, f"{check.formula}; {check.why}"


def _supply_levers(product: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What makes a chain calmer or wilder, each alone."""

    def tiers(*numbers: int, **values: object) -> tuple[str, ...]:
        texts = ((key.replace("__", "."), value) for key, value in values.items())
        return tuple(f"orders.{product}.tiers.{n}.{key}={value}" for key, value in texts for n in numbers)

    return (
        ("no defensive orders", tiers(0, 1, 2, over_ordering__factor=1)),
        ("defensive orders doubled", tiers(0, 1, 2, over_ordering__factor=2)),
        ("forecasts move by 5 % a week", tiers(1, 2, 3, ordering__forecast_alpha=0.05)),
        ("forecasts never move", tiers(1, 2, 3, ordering__forecast="constant")),
        ("every tier sees the end demand", tiers(1, 2, 3, ordering__sees_end_demand="true")),
        ("orders staged over 8 weeks", ("orders.spread_weeks=8",)),
        ("the market is three times as large", (f"orders.{product}.tiers.1.other_buyers.units_per_week=12",)),
        ("every order takes three weeks more", tiers(0, 1, 2, order_delay_weeks=4)),
    )


_LATENCY = (
    ("prompts 15 % shorter", ("requests.input_tokens.median=867", "requests.input_tokens.p95=3470")),
    ("H200 instead of H100", ("service.gpu=h200",)),
    ("burst floats in the minute", ("requests.burst.phase=floating",)),
    ("prefill in steps of 4096 tokens", ("service.chunk_tokens=4096",)),
)
_NETWORK = (
    ("transfers up to 1 MB", ("fabric.transfers.largest=1MB",)),
    ("230 transfers a request", ("fabric.transfers.count=230",)),
    (
        "5 % background load in the same queue",
        ("fabric.background.load=5 %", "fabric.windows.packets=400000", "fabric.windows.requests=200"),
    ),
    ("2 packets in 10,000 lost, 67 ms time-out", ("fabric.corruption=0.02 %",)),
)

SLA_TIGHTENING = (
    Claim(
        "TTFT P95 over RoCE",
        287.0,
        "ms",
        _quantile_ms("ttft", 0.95),
        _LATENCY,
        "the report measured it; ours is the smallest count that keeps 300 ms",
    ),
    Claim(
        "TTFT P95 over kernel TCP",
        312.0,
        "ms",
        _over_alternative,
        (
            (
                "TCP with 60 ms at P95",
                ("capacity.alternative.request.mean=27ms", "capacity.alternative.request.p95=60ms"),
            ),
            (
                "TCP with 120 ms at P95",
                ("capacity.alternative.request.mean=54ms", "capacity.alternative.request.p95=120ms"),
            ),
            *_LATENCY[:2],
        ),
        "same GPUs; TCP's 210 ms at P95 is drawn per request, percentiles are not added",
    ),
    Claim(
        "network share of the budget, P95",
        120.0,
        "ms",
        _quantile_ms("network", 0.95),
        _NETWORK,
        "120 ms at 400G would be 6 GB in one queue: not reachable by queueing, only by time-outs",
    ),
    Claim(
        "transfers done within 15 us",
        99.0,
        "%",
        _window("share in budget", 100.0),
        (
            ("transfers of 64 KB each", ("fabric.transfers.smallest=64KB",)),
            ("spread over the rails", ("fabric.transfers.spread=rails",)),
            ("transfers up to 128 KB", ("fabric.transfers.largest=128KB",)),
        ),
    ),
    Claim(
        "switch orders, peak over ordinary (cloud -> equipment)",
        4.0,
        "x",
        _tier("switches", "equipment", "peak_over_ordinary"),
        _supply_levers("switches"),
    ),
    Claim(
        "PHY orders, peak over ordinary (equipment -> chip)",
        3.76,
        "x",
        _tier("switches", "chip", "peak_over_ordinary"),
        _supply_levers("switches"),
    ),
    Claim(
        "wafer orders, peak over ordinary (chip -> foundry)",
        7.3,
        "x",
        _tier("switches", "foundry", "peak_over_ordinary"),
        _supply_levers("switches"),
    ),
    Claim(
        "weeks from the clause to the peak at the foundry",
        11.0,
        "weeks",
        _tier("switches", "foundry", "peak_week", 1.0),
        _supply_levers("switches"),
    ),
)

ENTERPRISE_ROLLOUT = (
    Claim(
        "GPUs by the plain formula",
        18.0,
        "GPUs",
        _formula_gpus,
        (),
        "1,000,000 x 0.5 s = 139 GPU-hours / 20 h = 7, x 2.5",
    ),
    Claim(
        "GPUs for the objectives",
        18.0,
        "GPUs",
        _needed_gpus,
        (
            ("answers three times as long", ("requests.output_tokens.median=300", "requests.output_tokens.p95=900")),
            ("TTFT P99 within 300 ms", ("service.slos.0.limit=300ms",)),
            ("three times the requests", ("requests.rate=3000000/d",)),
            ("8B model on one GPU", ("service.llm=llama-3.1-8b", "service.tensor_parallel=1")),
        ),
        "the report's 0.5 s is not tied to a model; ours is what this model on this GPU needs",
    ),
    Claim(
        "50 needed cards become",
        80.0,
        "GPUs",
        _bought,
        (
            ("10 % a level", ("capacity.reservation.scheduler=10 %",)),
            ("9.86 % a level", ("capacity.reservation.scheduler=9.86 %",)),
        ),
        "five levels of 20 % multiply to 2.49, not 1.6",
    ),
    Claim(
        "AllReduce bandwidth use after the ECN template",
        81.0,
        "%",
        None,
        (),
        "not built: collectives on the fabric are a later step",
    ),
    Claim("zone recovery", 4.3, "min", None, (), CASCADE),
)

_margin = (
    (
        "margins of 100 % each",
        (
            "capacity.reservation.scheduler=100 %",
            "capacity.reservation.device_plugin=100 %",
            "capacity.reservation.nic_driver=100 %",
        ),
    ),
)


def _money_claims() -> tuple[Claim, ...]:
    rows = []
    for position, check in enumerate(check_reported_jitter()):
        if check.claimed is not None:
            value, name, measure, note = _reported(position)
            rows.append(Claim(name, value, check.unit, measure, (), note))
    return tuple(rows)


JITTER_STORM = (
    Claim(
        "a swing of 3 % after three margins",
        52.0,
        "%",
        _margin_error,
        _margin,
        "1.2 x 1.15 x 1.3 = 1.794; only a dynamic model (reaction delay, retries) can give more",
    ),
    *_money_claims(),
    Claim("recovery with four defences", 4.3, "min", None, (), CASCADE),
    Claim("recovery without", 72.0, "min", None, (), CASCADE),
    Claim("nodes above 85 % buffer use after 21 min", 128.0, "nodes", None, (), CASCADE),
    Claim(
        "jitter entropy warns before P99",
        32.0,
        "min",
        None,
        (),
        "not built: jitter alarms (room health) are a later step",
    ),
)

CLAIMS = {
    "sla-tightening": SLA_TIGHTENING,
    "enterprise-rollout": ENTERPRISE_ROLLOUT,
    "jitter-storm": JITTER_STORM,
}
