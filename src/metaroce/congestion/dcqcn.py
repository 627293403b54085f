"""DCQCN as ConnectX adapters run it: alpha and the cut have their own clocks, a CNP only sets flags.

Source: Zhu et al., SIGCOMM 2015, section 3 (reaction point), with the vendor's parameters dce_tcp_g, dce_tcp_rtt,
rate_reduce_monitor_period, rpg_time_reset, rpg_threshold, rpg_ai_rate, rpg_hai_rate, clamp_tgt_rate.
Own variables: s.target [bit/s], s.alpha [0..1], s.stage [increase timers since the cut], s.x0 [CNP since the last
alpha update], s.x1 [CNP since the last cut check], s.x2 [1 after the first CNP], s.x3 [bytes since the last increase],
s.x4 [byte stage].
Timers: 0 alpha, 1 cut, 2 increase.
"""

PARAMS = {
    "g": 5 / 1024,  # weight of a new observation in alpha: 1 - dce_tcp_g / 1024
    "alpha_time": 1_000_000.0,  # ps between alpha updates, dce_tcp_rtt
    "cut_time": 4_000_000.0,  # ps between cuts, rate_reduce_monitor_period
    "increase_time": 300_000_000.0,  # ps, rpg_time_reset
    "bytes": 0.0,  # bytes between increases beside the timer, rpg_byte_reset; 0 = no byte counter
    "fast": 1.0,  # fast-recovery steps, rpg_threshold
    "rai": 5e6,  # bit/s, rpg_ai_rate
    "rhai": 50e6,  # bit/s, rpg_hai_rate
    "clamp": 0.0,  # 1: every cut sets the target to the rate, clamp_tgt_rate
}


def on_cnp(s, c, p, now):
    s.x0 = 1.0
    s.x1 = 1.0
    if s.x2 == 0.0:
        s.x2 = 1.0
        s.x0 = 0.0
        s.alpha = 1.0
        s.target = s.rate
        s.at0 = now + int(p[1])
        s.at1 = now + int(p[2]) + 1000  # the cut looks at alpha just after its update


def on_timer(s, c, p, now):
    if s.timer == 0:
        s.alpha = (1.0 - p[0]) * s.alpha + p[0] * s.x0
        s.x0 = 0.0
        s.at0 = now + int(p[1])
    elif s.timer == 1:
        s.at1 = now + int(p[2])
        if s.x1 > 0.0:
            if p[8] > 0.0 or s.stage + s.x4 > 0.0:
                s.target = s.rate
            s.rate = max(s.floor, s.rate * (1.0 - s.alpha / 2.0))
            s.stage = 0.0
            s.x4 = 0.0
            s.x3 = 0.0
            s.x1 = 0.0
            s.at2 = now + int(p[3])
    else:
        s.at2 = now + int(p[3])
        both = s.stage if p[4] == 0.0 else min(s.stage, s.x4)  # hyper increase when every counter is past the threshold
        if both > p[5]:
            s.target = min(s.line, s.target + p[7])
        elif max(s.stage, s.x4) >= p[5]:
            s.target = min(s.line, s.target + p[6])
        s.rate = s.rate / 2.0 + s.target / 2.0
        s.stage = s.stage + 1.0


def on_sent(s, c, p, now):
    if p[4] > 0.0 and s.x2 > 0.0:
        s.x3 = s.x3 + s.sent
        if s.x3 >= p[4]:
            s.x3 = s.x3 - p[4]
            if min(s.stage, s.x4) > p[5]:
                s.target = min(s.line, s.target + p[7])
            elif max(s.stage, s.x4) >= p[5]:
                s.target = min(s.line, s.target + p[6])
            s.rate = s.rate / 2.0 + s.target / 2.0
            s.x4 = s.x4 + 1.0
