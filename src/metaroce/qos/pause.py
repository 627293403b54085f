"""PFC pause frames: how long one holds a port, and how many a second hold it for good."""

from __future__ import annotations

from metaroce.kit.units import PS_PER_S

QUANTUM_BITS = 512  # IEEE 802.3 annex 31B: a pause quantum is 512 bit times
MAX_QUANTA = 65_535


def pause_ps(rate: int, quanta: int = MAX_QUANTA) -> int:
    """Picoseconds for which a pause of `quanta` holds a port of `rate` bit/s.

    Source: IEEE 802.3 annex 31B / 802.1Qbb: quanta * 512 bit times.

    >>> pause_ps(400_000_000_000) // 1_000_000  # us
    83
    """
    return quanta * QUANTUM_BITS * PS_PER_S // rate


def holding_frames_per_s(rate: int, quanta: int = MAX_QUANTA) -> float:
    """Pause frames per second that keep a port of `rate` bit/s paused for ever: received at about this rate, it is.

    Source: inverse of the pause time; 2980/s at 100G, 11921/s at 400G.
    """
    return rate / (quanta * QUANTUM_BITS)
