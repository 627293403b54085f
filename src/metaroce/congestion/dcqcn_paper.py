"""DCQCN as published: cut the rate on every CNP, climb back by timer and byte counter in three phases.

Source: Zhu et al., SIGCOMM 2015, section 3.1 (reaction point) and figure 7, parameters of section 5 and table of the
deployment; hyper increase as in QCN (IEEE 802.1Qau). Use with a CNP interval of 50 us.
Own variables: s.target [bit/s], s.alpha [0..1], s.stage [timer stage T], s.x0 [byte stage BC], s.x1 [bytes counted],
s.x2 [1 after the first CNP], s.x3 [hyper-increase steps].
Timers: 0 alpha, 1 increase.
"""

PARAMS = {
    "g": 1 / 256,
    "alpha_time": 55_000_000.0,  # ps without CNP after which alpha decays, K
    "increase_time": 55_000_000.0,  # ps, T
    "bytes": 10e6,  # byte counter, B
    "fast": 5.0,  # fast-recovery steps, F
    "rai": 40e6,  # bit/s
    "rhai": 200e6,  # bit/s
}


def on_cnp(s, c, p, now):
    if s.x2 == 0.0:
        s.x2 = 1.0
        s.alpha = 1.0
    s.target = s.rate
    s.rate = s.rate * (1.0 - s.alpha / 2.0)
    s.alpha = (1.0 - p[0]) * s.alpha + p[0]
    s.stage = 0.0
    s.x0 = 0.0
    s.x1 = 0.0
    s.x3 = 0.0
    s.at0 = now + int(p[1])
    s.at1 = now + int(p[2])


def on_timer(s, c, p, now):
    if s.timer == 0:
        s.alpha = (1.0 - p[0]) * s.alpha
        s.at0 = now + int(p[1])
    else:
        s.at1 = now + int(p[2])
        s.stage = s.stage + 1.0
        if min(s.stage, s.x0) > p[4]:
            s.x3 = s.x3 + 1.0
            s.target = s.target + s.x3 * p[6]
        elif max(s.stage, s.x0) > p[4]:
            s.target = s.target + p[5]
        s.target = min(s.line, s.target)
        s.rate = (s.rate + s.target) / 2.0


def on_sent(s, c, p, now):
    if s.x2 > 0.0:
        s.x1 = s.x1 + s.sent
        if s.x1 >= p[3]:
            s.x1 = s.x1 - p[3]
            s.x0 = s.x0 + 1.0
            if min(s.stage, s.x0) > p[4]:
                s.x3 = s.x3 + 1.0
                s.target = s.target + s.x3 * p[6]
            elif max(s.stage, s.x0) > p[4]:
                s.target = s.target + p[5]
            s.target = min(s.line, s.target)
            s.rate = (s.rate + s.target) / 2.0
