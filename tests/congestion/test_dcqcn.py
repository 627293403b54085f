"""The reaction point, step by step against the formulas of the paper and of the vendor."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from metaroce.congestion import dcqcn, dcqcn_paper
from metaroce.congestion.state import CLASS, NEVER, STATE

US = 10**6
LINE = 100e9


def flow():
    s = SimpleNamespace(**dict.fromkeys(STATE.names, 0.0))
    s.rate = s.line = LINE
    s.floor = 1e9
    s.at0 = s.at1 = s.at2 = s.at3 = NEVER
    return s


def run(law, s, until, *, params, cnps=(), now=0):
    """Fire timers and CNPs in order until `until`; returns the rates after each change."""
    c, rates = SimpleNamespace(**dict.fromkeys(CLASS.names, 0.0)), []
    p = [float(params.get(name, default)) for name, default in law.PARAMS.items()]
    cnps = list(cnps)
    while True:
        timers = [s.at0, s.at1, s.at2, s.at3]
        now = min([*timers, *cnps[:1]])
        if now > until:
            return rates
        before = s.rate
        if cnps and cnps[0] == now:
            cnps.pop(0)
            law.on_cnp(s, c, p, now)
        else:
            s.timer = timers.index(now)
            setattr(s, f"at{s.timer}", NEVER)
            law.on_timer(s, c, p, now)
        if s.rate != before:
            rates.append(s.rate)


HPCC = {"g": 1 / 256, "initial_alpha": 1.0, "byte_counter": 0.0, "additive_rate": 20e6, "hyper_rate": 200e6}


def test_vendor_cut_comes_4_us_after_the_first_cnp_with_alpha_decayed():
    s = flow()
    rates = run(dcqcn, s, 5 * US, params=HPCC, cnps=[0])
    alpha = (1 - 1 / 256) ** 4
    assert rates == [pytest.approx(LINE * (1 - alpha / 2))]
    assert s.target == LINE


def test_vendor_cuts_at_most_once_in_4_us_however_many_cnps():
    rates = run(dcqcn, flow(), 13 * US, params=HPCC, cnps=range(0, 12 * US, US // 10))
    assert len(rates) == 3


def test_vendor_recovers_half_way_then_adds_then_hyper():
    s = flow()
    rates = run(dcqcn, s, 1210 * US, params=HPCC, cnps=[0])
    low = rates[0]
    fast = (low + LINE) / 2
    assert rates[1] == pytest.approx(fast)
    assert rates[2] == pytest.approx((fast + LINE) / 2)  # the target is the line already
    assert len(rates) == 5


def test_vendor_target_moves_only_if_the_rate_was_raised_since_the_last_cut():
    s = flow()
    run(dcqcn, s, 9 * US, params=HPCC, cnps=[0, 5 * US])
    assert s.target == LINE
    clamped = flow()
    run(dcqcn, clamped, 9 * US, params={**HPCC, "clamp": 1.0}, cnps=[0, 5 * US])
    assert clamped.target < LINE


def test_paper_cuts_at_every_cnp():
    s = flow()
    rates = run(dcqcn_paper, s, 101 * US, params={}, cnps=[0, 50 * US, 100 * US])
    assert rates[0] == LINE / 2  # alpha begins at 1
    assert rates == pytest.approx([LINE / 2, LINE / 4, LINE / 8])
    assert s.alpha == 1.0


def test_paper_alpha_decays_each_55_us_without_cnp():
    s = flow()
    run(dcqcn_paper, s, 55 * 10 * US, params={}, cnps=[0])
    assert s.alpha == pytest.approx((1 - 1 / 256) ** 10)


def test_paper_five_fast_steps_then_additive():
    s = flow()
    run(dcqcn_paper, s, 55 * 5 * US, params={}, cnps=[0])
    assert s.rate == pytest.approx(LINE * (1 - 0.5 / 2**5))
    s.target = 50e9
    run(dcqcn_paper, s, 55 * 6 * US, params={})
    assert s.target == 50e9 + 40e6


@pytest.mark.parametrize("law", [dcqcn, dcqcn_paper])
def test_byte_counter_raises_too(law):
    s = flow()
    params = {**law.PARAMS, "byte_counter": 10_000.0}
    p = list(params.values())
    law.on_cnp(s, None, p, 0)
    s.rate, s.target, s.sent = 10e9, 50e9, 5000.0
    law.on_sent(s, None, p, 1)
    assert s.rate == 10e9
    law.on_sent(s, None, p, 2)
    assert s.rate > 29e9
