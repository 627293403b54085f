"""ECN thresholds: the marking curve, defaults by speed, and whether marking can act before PFC does."""

from __future__ import annotations

from dataclasses import dataclass

from metaroce.qos.threshold import SharedPool, threshold

G = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Marking:
    """A marking curve: nothing up to kmin bytes, rising to pmax at kmax, every packet above."""

    kmin: int
    kmax: int
    pmax: float

    def probability(self, depth: float) -> float:
        """Share of packets marked at a queue of `depth` bytes, 0..1.

        Source: Zhu et al., DCQCN, SIGCOMM 2015, fig. 5.
        """
        if depth <= self.kmin:
            return 0.0
        if depth > self.kmax:
            return 1.0
        return self.pmax * (depth - self.kmin) / (self.kmax - self.kmin)


#: What vendors and papers ship, for a port of any speed.
SHIPPED = {
    "sonic": Marking(1_048_576, 2_097_152, 0.05),
    "sonic-7260": Marking(2_000_000, 10_000_000, 0.05),
    "cumulus": Marking(150_000, 1_500_000, 1.0),
    "cisco": Marking(150_000, 3_000_000, 0.07),
    "arista-leaf": Marking(256_000, 512_000, 1.0),
    "arista-spine": Marking(512_000, 768_000, 1.0),
    "dcqcn-paper-40g": Marking(5_000, 200_000, 0.01),
}


def by_speed(rate: int) -> Marking:
    """Thresholds that grow with the speed: 100 KB / 400 KB / 20 % per 25 Gbit/s, so 1.6 / 6.4 MB at 400G.

    Source: configurations of the HPCC simulator (KMIN_MAP, KMAX_MAP, PMAX_MAP); above 100G their rule drawn on.
    """
    return Marking(100_000 * rate // (25 * G), 400_000 * rate // (25 * G), 0.2)


def bandwidth_delay(rate: int, rtt_ps: int) -> float:
    """Bytes in flight at full rate: S * RTT / 8. kmin below this over the fan-in costs throughput."""
    return rate * rtt_ps / 8e12


@dataclass(frozen=True, slots=True)
class Placement:
    """Whether marking acts before PFC, for one queue fed in the worst way.

    pfc_depth        bytes in the egress queue when the first pause is sent: T(1) / m, one ingress feeding m queues
    incast_depth     bytes in it when n ingress groups feed it: n T(n)
    at_pfc           share of packets marked at the first pause of a queue fed by one ingress, m = 1
    marks_first      kmin < pfc_depth: marking begins before any pause
    reaches_kmax     kmax <= T(1): the whole curve lies before the pause
    kmax_in_slice    kmax <= the memory one queue can reach at all
    """

    pfc_depth: float
    incast_depth: float
    at_pfc: float
    marks_first: bool
    reaches_kmax: bool
    kmax_in_slice: bool


def placement(marking: Marking, pool: SharedPool, *, fan_in: int = 1, fan_out: int = 1) -> Placement:
    """Judge thresholds against the dynamic threshold of the chip.

    fan_in   ingress groups that feed the queue together, n
    fan_out  congested egress queues that one ingress feeds, m

    Our rule, after Zhu et al. 2015 section 4: kmin < T(1) / m and kmax <= T(1). Where the memory is sliced this takes
    an egress queue to live in one slice; a chip that sums over slices reaches deeper.
    """
    alone = threshold(pool, 1)
    return Placement(
        pfc_depth=alone / fan_out,
        incast_depth=fan_in * threshold(pool, fan_in),
        at_pfc=marking.probability(alone),
        marks_first=marking.kmin < alone / fan_out,
        reaches_kmax=marking.kmax <= alone,
        kmax_in_slice=marking.kmax <= pool.slice_size,
    )


def latest_ecn_threshold(buffer: int, ports: int, flight: float, beta: float) -> float:
    """Largest ECN threshold, bytes, with which marking begins before PFC on every port of a chip.

    Source: Zhu et al., DCQCN, SIGCOMM 2015, section 4: t_ECN < beta (B - 8 n t_flight) / (8 n (1 + beta)), with 8
    priorities on n ports, t_flight the headroom of one, and beta the alpha of the dynamic threshold. 12 MB, 32 ports,
    22.4 KB, beta 8: 21.75 KB.
    """
    return beta * (buffer - 8 * ports * flight) / (8 * ports * (1 + beta))


def static_pfc_threshold(buffer: int, ports: int, flight: float) -> float:
    """Largest static PFC threshold, bytes, that keeps every queue lossless.

    Source: Zhu et al., DCQCN, SIGCOMM 2015, section 4: t_PFC <= (B - 8 n t_flight) / (8 n); 24.47 KB as above.
    """
    return (buffer - 8 * ports * flight) / (8 * ports)
