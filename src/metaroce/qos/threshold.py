"""The dynamic threshold of shared buffers: how much a queue may hold, and where PFC fires.

Choudhury & Hahne, IEEE/ACM Trans. Networking 6(2), 1998: limit = alpha * (free shared memory). On chips whose memory is
split into slices a queue lives in one of them, so the pool that counts is pool / slices.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SharedPool:
    """The memory that lossless priority groups share.

    size           bytes, all slices together
    slices         parts of the memory
    alpha          2 ** dynamic_th
    group_minimum  bytes guaranteed to each priority group besides
    """

    size: int
    slices: int = 1
    alpha: float = 1.0
    group_minimum: int = 0

    @property
    def slice_size(self) -> float:
        """Bytes that one queue can share, B."""
        return self.size / self.slices


def alpha_of(dynamic_th: int) -> float:
    """SONiC writes alpha as a power of two: 2 ** dynamic_th, for -8..7."""
    return 2.0**dynamic_th


def threshold(pool: SharedPool, congested: int = 1) -> float:
    """Bytes each of n congested groups of a slice holds in balance.

    Source: Choudhury & Hahne 1998: T(n) = alpha B / (1 + n alpha); n T(n) -> B.
    """
    return pool.alpha * pool.slice_size / (1 + congested * pool.alpha)


def pfc_trigger(pool: SharedPool) -> float:
    """Bytes in a lone priority group when it first sends a pause: its minimum and T(1).

    Agrees with the thresholds of sonic-mgmt to 1.5 cells on Tomahawk 1, 2, 3 and 5 (not on Trident 3).
    """
    return pool.group_minimum + threshold(pool, 1)


def triggers_in_turn(pool: SharedPool, groups: int) -> list[float]:
    """Bytes at which each of so many groups of a slice pauses, when they fill up one after the other and stay full.

    The k-th gets alpha / (1 + alpha) of what the ones before left free.
    """
    free = pool.slice_size
    found: list[float] = []
    for _ in range(groups):
        held = pool.alpha / (1 + pool.alpha) * free
        found.append(pool.group_minimum + held)
        free -= held
    return found


def groups_at_full_headroom(headroom_pool: int, slices: int, xoff: int) -> float:
    """How many priority groups of a slice may run into their headroom at once before packets drop."""
    return headroom_pool / slices / xoff
