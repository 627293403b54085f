"""DCQCN templates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import InputError
from metaroce.qos.dcqcn import connectx, cut, hpcc_vendor, paper, template

G, M = 10**9, 10**6


def test_the_card_does_not_scale_and_the_simulator_does():
    assert template("connectx", 100 * G) == template("connectx", 400 * G) == connectx()
    assert hpcc_vendor(100 * G).additive_rate == 20 * M and hpcc_vendor(100 * G).hyper_rate == 200 * M
    assert hpcc_vendor(400 * G).additive_rate == 80 * M and hpcc_vendor(400 * G).hyper_rate == 800 * M
    assert paper(40 * G).additive_rate == 40 * M


def test_the_vendor_template_is_what_the_reference_run_used(shared):
    text = (shared / "peers/sim/ns3_hpcc/w2_dcqcn/config.txt").read_text()
    config = dict(line.split(None, 1) for line in text.splitlines() if " " in line)
    mine = hpcc_vendor(100 * G)
    assert float(config["EWMA_GAIN"]) == mine.g
    assert int(config["RATE_DECREASE_INTERVAL"]) * M == mine.decrease_period_ps
    assert int(config["ALPHA_RESUME_INTERVAL"]) * M == mine.alpha_timer_ps
    assert int(config["RP_TIMER"]) * M == mine.increase_timer_ps
    assert config["RATE_AI"] == f"{mine.additive_rate // M}Mb/s"
    assert config["RATE_HAI"] == f"{mine.hyper_rate // M}Mb/s"
    assert config["MIN_RATE"] == f"{mine.min_rate // M}Mb/s"
    assert int(config["FAST_RECOVERY_TIMES"]) == mine.fast_steps


@given(st.floats(1e6, 4e11), st.floats(0, 1))
def test_a_cut_takes_half_at_most_and_keeps_the_floor(rate, alpha):
    after = cut(connectx(), rate, alpha)
    assert after <= rate
    assert after >= max(rate / 2, connectx().min_rate) - 1


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="'cx5' is no DCQCN template"):
        template("cx5", G)
