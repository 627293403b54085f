"""DCQCN as published: cut the rate on every CNP, climb back by timer and byte counter in three phases.

Source: Zhu et al., SIGCOMM 2015, section 3 (equations 1 to 4), parameters of section 5; hyper increase as in QCN
(IEEE 802.1Qau). Use with a CNP interval of 50 us.
Own variables: s.target [bit/s], s.alpha [0..1], s.stage [timer stage T], s.x0 [byte stage BC], s.x1 [bytes counted],
s.x2 [1 after the first CNP], s.x3 [hyper-increase steps].
Timers: 0 alpha, 1 increase.
"""

PARAMS = {
    "g": 1 / 256,
    "initial_alpha": 1.0,
    "alpha_timer_ps": 55e6,  # without a CNP for so long, alpha decays: K
    "increase_timer_ps": 55e6,  # T
    "byte_counter": 10e6,  # bytes, B
    "fast_steps": 5.0,  # F
    "additive_rate": 40e6,  # bit/s
    "hyper_rate": 400e6,  # bit/s; the paper gives none
    "max_cut": 0.5,
}


def on_cnp(s, c, p, now):
    if s.x2 == 0.0:
        s.x2 = 1.0
        s.alpha = p[1]
    s.target = s.rate
    s.rate = s.rate * max(1.0 - s.alpha / 2.0, 1.0 - p[8])
    s.alpha = (1.0 - p[0]) * s.alpha + p[0]
    s.stage = 0.0
    s.x0 = 0.0
    s.x1 = 0.0
    s.x3 = 0.0
    s.at0 = now + int(p[2])
    s.at1 = now + int(p[3])


def on_timer(s, c, p, now):
    if s.timer == 0:
        s.alpha = (1.0 - p[0]) * s.alpha
        s.at0 = now + int(p[2])
    else:
        s.at1 = now + int(p[3])
        s.stage = s.stage + 1.0
        if min(s.stage, s.x0) > p[5]:
            s.x3 = s.x3 + 1.0
            s.target = s.target + s.x3 * p[7]
        elif max(s.stage, s.x0) > p[5]:
            s.target = s.target + p[6]
        s.target = min(s.line, s.target)
        s.rate = (s.rate + s.target) / 2.0


def on_sent(s, c, p, now):
    if s.x2 > 0.0 and p[4] > 0.0:
        s.x1 = s.x1 + s.sent
        if s.x1 >= p[4]:
            s.x1 = s.x1 - p[4]
            s.x0 = s.x0 + 1.0
            if min(s.stage, s.x0) > p[5]:
                s.x3 = s.x3 + 1.0
                s.target = s.target + s.x3 * p[7]
            elif max(s.stage, s.x0) > p[5]:
                s.target = s.target + p[6]
            s.target = min(s.line, s.target)
            s.rate = (s.rate + s.target) / 2.0
