"""DCQCN as ConnectX adapters run it: alpha and the cut have their own clocks, a CNP only sets flags.

Source: Zhu et al., SIGCOMM 2015, section 3 (reaction point), and NVIDIA's "DCQCN parameters" (dce_tcp_g, dce_tcp_rtt,
rate_reduce_monitor_period, rpg_time_reset, rpg_byte_reset, rpg_threshold, rpg_ai_rate, rpg_hai_rate, rpg_gd,
clamp_tgt_rate). Without byte counter it is what the HPCC simulator calls DCQCN.
Own variables: s.target [bit/s], s.alpha [0..1], s.stage [increase timers since the cut], s.x0 [CNP since the last
update of alpha], s.x1 [CNP since the last look], s.x2 [1 after the first CNP], s.x3 [bytes counted], s.x4 [byte stage].
Timers: 0 alpha, 1 cut, 2 increase.
"""

PARAMS = {
    "g": 5 / 1024,  # weight of a new mark in alpha: 1 - dce_tcp_g / 1024
    "initial_alpha": 1023 / 1024,
    "alpha_timer_ps": 1e6,
    "decrease_period_ps": 4e6,
    "increase_timer_ps": 300e6,
    "byte_counter": 32_767.0,  # bytes; 0 = off
    "fast_steps": 1.0,
    "additive_rate": 5e6,  # bit/s
    "hyper_rate": 50e6,  # bit/s
    "max_cut": 0.5,  # share of the rate
    "clamp": 0.0,  # 1: every cut makes the rate the target; 0: only if the rate was raised since the last cut
}


def on_cnp(s, c, p, now):
    s.x0 = 1.0
    s.x1 = 1.0
    if s.x2 == 0.0:
        s.x2 = 1.0
        s.x0 = 0.0
        s.alpha = p[1]
        s.target = s.rate
        s.at0 = now + int(p[2])
        s.at1 = now + int(p[3]) + 1000  # the cut comes just after the update of alpha


def on_timer(s, c, p, now):
    if s.timer == 0:
        s.alpha = (1.0 - p[0]) * s.alpha + p[0] * s.x0
        s.x0 = 0.0
        s.at0 = now + int(p[2])
    elif s.timer == 1:
        s.at1 = now + int(p[3])
        if s.x1 > 0.0:
            if p[10] > 0.0 or s.stage + s.x4 > 0.0:
                s.target = s.rate
            s.rate = max(s.floor, s.rate * max(1.0 - s.alpha / 2.0, 1.0 - p[9]))
            s.stage = 0.0
            s.x4 = 0.0
            s.x3 = 0.0
            s.x1 = 0.0
            s.at2 = now + int(p[4])
    else:
        s.at2 = now + int(p[4])
        both = s.stage if p[5] == 0.0 else min(s.stage, s.x4)  # hyper increase once every counter is past fast recovery
        if both > p[6]:
            s.target = min(s.line, s.target + p[8])
        elif max(s.stage, s.x4) >= p[6]:
            s.target = min(s.line, s.target + p[7])
        s.rate = s.rate / 2.0 + s.target / 2.0
        s.stage = s.stage + 1.0


def on_sent(s, c, p, now):
    if p[5] > 0.0 and s.x2 > 0.0:
        s.x3 = s.x3 + s.sent
        if s.x3 >= p[5]:
            s.x3 = s.x3 - p[5]
            if min(s.stage, s.x4) > p[6]:
                s.target = min(s.line, s.target + p[8])
            elif max(s.stage, s.x4) >= p[6]:
                s.target = min(s.line, s.target + p[7])
            s.rate = s.rate / 2.0 + s.target / 2.0
            s.x4 = s.x4 + 1.0
