"""Jitter entropy and the Bullwhip Index of queue delays: how widely they scatter, not how long they are.

Bins are octaves of nanoseconds (1, 2-3, 4-7, ...), since the thresholds of the field (2.1 ... 3.5 bits) mean nothing
with other bins: 1 us bins read a healthy fabric as collapsing. Entropy is blind to level: a steady 300 us reads 0 bits,
so it needs a rule on the level and on the tail beside it. An M/M/1 queue reads 2.75 bits at any load (100 samples).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

BINS = 64
#: Bits from which a level holds, for samples of 100 delays a second.
LEVELS = (("healthy", 0.0), ("raised", 2.1), ("mail", 2.5), ("page", 2.8), ("throttle", 3.2), ("collapse", 3.5))
#: A roll-out stops above this Bullwhip Index.
BULLWHIP_STOP = 4.0


def jitter_entropy(delay_ns: ArrayLike) -> float:
    """Shannon entropy of delays over octave bins, bits; 0 for none.

    Biased low in small samples, by about (occupied bins - 1) / (2 n ln 2) (Miller 1955): 0.04-0.10 bit at n = 100,
    where its standard deviation is 0.10. It is not corrected, because the thresholds were set on the raw number.

    delay_ns  [n] ns, >= 0; below 1 ns counts as 0
    """
    counts = np.bincount(_octaves(delay_ns), minlength=BINS)
    return float(_entropy(counts[np.newaxis])[0])


def entropy_series(delay_ns: ArrayLike, window: int = 100) -> NDArray[np.float64]:
    """Jitter entropy of successive windows, bits: float64[n // window]; a last part window is left out."""
    bins = _octaves(delay_ns)
    rows = len(bins) // window
    row = np.repeat(np.arange(rows), window)
    counts = np.bincount(row * BINS + bins[: rows * window], minlength=rows * BINS).reshape(rows, BINS)
    return _entropy(counts)


def small_sample_bias(occupied: int, samples: int) -> float:
    """Bits by which the entropy of a sample lies below the true one: -(K - 1) / (2 n ln 2).

    Source: Miller, "Note on the bias of information estimates", 1955.
    """
    return -(occupied - 1) / (2 * samples * math.log(2))


def level(entropy: float) -> str:
    """What a jitter entropy means: healthy, raised, mail, page, throttle or collapse."""
    return [name for name, bits in LEVELS if entropy >= bits][-1]


def entropy_of_lognormal(log_sd: float) -> float:
    """Bits that lognormal delays of this log-sd read in octave bins, for log-sd >= 0.6.

    Source: differential entropy of a normal: log2(sd sqrt(2 pi e) / ln 2) = log2(5.96 sd).
    """
    return math.log2(log_sd * math.sqrt(2 * math.pi * math.e) / math.log(2))


def tail_ratio(entropy: float) -> float:
    """P99 / P50 of lognormal delays that read so many bits: 2.1 -> 5.3, 3.5 -> 83. For lognormal delays only."""
    log_sd = 2**entropy * math.log(2) / math.sqrt(2 * math.pi * math.e)
    return math.exp(2.3263478740408408 * log_sd)


def bullwhip_index(delay_ns: ArrayLike) -> float:
    """Standard deviation over mean of delays, the field's "Bullwhip Index"; 0 when all are 0.

    It is a coefficient of variation. The bullwhip ratio of the supply-chain literature is a ratio of variances
    (orders over demand) and another thing.
    """
    delays = np.asarray(delay_ns, np.float64)
    mean = delays.mean() if len(delays) else 0.0
    return float(delays.std() / mean) if mean > 0 else 0.0


def _octaves(delay_ns: ArrayLike) -> NDArray[np.int64]:
    delays = np.asarray(delay_ns, np.float64)
    return np.frexp(np.maximum(delays, 0.0))[1].clip(0, BINS - 1).astype(np.int64)


def _entropy(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(total, 1)
    bits = np.zeros_like(share)
    np.log2(share, out=bits, where=share > 0)
    return -(share * bits).sum(axis=1) + 0.0
