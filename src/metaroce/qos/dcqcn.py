"""DCQCN parameters by speed: what ConnectX ships, what the simulators of HPCC scale, what the paper says."""

from __future__ import annotations

from dataclasses import dataclass

from metaroce.kit.errors import InputError

M = 1_000_000
G = 1_000_000_000
US = 1_000_000  # ps


@dataclass(frozen=True, slots=True)
class Dcqcn:
    """Parameters of one DCQCN sender and receiver.

    g                   weight of a new mark in alpha
    initial_alpha       alpha before the first mark
    alpha_timer_ps      without a CNP for so long, alpha decays
    decrease_period_ps  at most one rate cut in this time
    increase_timer_ps   a step of recovery each
    byte_counter        bytes sent, a step of recovery each
    fast_steps          steps of fast recovery before additive increase
    additive_rate       bit/s added a step
    hyper_rate          bit/s added a step when timer and counter are both past fast recovery
    min_rate            bit/s
    max_cut             a cut takes at most this share of the rate
    cnp_interval_ps     the receiver sends at most one CNP per flow in this time
    """

    g: float
    initial_alpha: float
    alpha_timer_ps: int
    decrease_period_ps: int
    increase_timer_ps: int
    byte_counter: int
    fast_steps: int
    additive_rate: int
    hyper_rate: int
    min_rate: int
    max_cut: float
    cnp_interval_ps: int


def connectx() -> Dcqcn:
    """What ConnectX cards ship, the same at every speed.

    Source: NVIDIA DCQCN parameters (dce_tcp_g 1019 of 1024 is the weight of the OLD alpha, so g = 5/1024; rpg_*).
    """
    return Dcqcn(
        g=5 / 1024, initial_alpha=1023 / 1024, alpha_timer_ps=1 * US, decrease_period_ps=4 * US,
        increase_timer_ps=300 * US, byte_counter=32_767, fast_steps=1, additive_rate=5 * M, hyper_rate=50 * M,
        min_rate=1 * M, max_cut=0.5, cnp_interval_ps=4 * US,
    )  # fmt: skip


def hpcc_vendor(rate: int) -> Dcqcn:
    """The vendor's timers with increases that grow with the speed: 5 and 50 Mbit/s per 25 Gbit/s.

    Source: HPCC simulator, DCQCN "vendor" settings: 1 / 4 / 300 us, g 1/256; at 400G 80 and 800 Mbit/s. The counter is
    off there; min_rate is its 1/100 of the line.
    """
    return Dcqcn(
        g=1 / 256, initial_alpha=1.0, alpha_timer_ps=1 * US, decrease_period_ps=4 * US, increase_timer_ps=300 * US,
        byte_counter=0, fast_steps=1, additive_rate=5 * M * rate // (25 * G), hyper_rate=50 * M * rate // (25 * G),
        min_rate=rate // 100, max_cut=0.5, cnp_interval_ps=4 * US,
    )  # fmt: skip


def paper(rate: int) -> Dcqcn:
    """The settings of the paper, with increases that grow with the speed from the 40 Mbit/s it gives for 40G.

    Source: Zhu et al., DCQCN, SIGCOMM 2015, section 5: g 1/256, timers 55 us, CNPs 50 us, 10 MB, F = 5. It gives no
    hyper rate and no floor: ten times the additive rate and 1/1000 of the line are ours.
    """
    return Dcqcn(
        g=1 / 256, initial_alpha=1.0, alpha_timer_ps=55 * US, decrease_period_ps=50 * US, increase_timer_ps=55 * US,
        byte_counter=10_000_000, fast_steps=5, additive_rate=40 * M * rate // (40 * G),
        hyper_rate=400 * M * rate // (40 * G), min_rate=rate // 1000, max_cut=0.5, cnp_interval_ps=50 * US,
    )  # fmt: skip


def template(name: str, rate: int) -> Dcqcn:
    """A template by name: "connectx", "hpcc-vendor" or "paper". Raises InputError for another name."""
    templates = {"connectx": connectx(), "hpcc-vendor": hpcc_vendor(rate), "paper": paper(rate)}
    if name not in templates:
        raise InputError(f"{name!r} is no DCQCN template", hint=f"known: {', '.join(templates)}")
    return templates[name]


def cut(parameters: Dcqcn, rate: float, alpha: float) -> float:
    """Rate after a cut, bit/s: Rc (1 - alpha / 2), by at most `max_cut` and not below `min_rate`.

    Source: Zhu et al., DCQCN, SIGCOMM 2015, eq. 1.
    """
    return max(rate * max(1 - alpha / 2, 1 - parameters.max_cut), float(parameters.min_rate))
