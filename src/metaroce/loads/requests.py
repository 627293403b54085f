"""Requests of an LLM service as columns: when each arrives, how many tokens it brings, how many it wants back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.units import NS_PER_S

MAX_TOKENS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class RequestTable:
    """Requests as columns, sorted by arrival; n rows, 16 bytes each.

    arrival_ns     int64[n]  ns since the table's start, >= 0, not decreasing
    input_tokens   int32[n]  prompt length, >= 1
    output_tokens  int32[n]  answer length, >= 1
    source         what it is, for people: "azure trace conv.csv", "generator 100/s"
    """

    arrival_ns: NDArray[np.int64]
    input_tokens: NDArray[np.int32]
    output_tokens: NDArray[np.int32]
    source: str = ""

    def __len__(self) -> int:
        return len(self.arrival_ns)

    @property
    def duration_ns(self) -> int:
        """From the table's start to the last arrival; 0 when empty."""
        return int(self.arrival_ns[-1]) if len(self.arrival_ns) else 0

    @property
    def rps(self) -> float:
        """Mean requests per second from the first to the last arrival; 0 with fewer than two instants."""
        span = int(self.arrival_ns[-1] - self.arrival_ns[0]) if len(self.arrival_ns) else 0
        return len(self.arrival_ns) * NS_PER_S / span if span else 0.0

    def slice(self, start_ns: int, stop_ns: int) -> RequestTable:
        """The requests with start <= arrival < stop, re-based so that `start_ns` is 0."""
        if start_ns < 0:
            raise InputError(f"a slice cannot start at {start_ns} ns", hint="tables start at 0")
        low, high = (int(at) for at in np.searchsorted(self.arrival_ns, [start_ns, max(stop_ns, start_ns)]))
        return RequestTable(
            self.arrival_ns[low:high] - start_ns, self.input_tokens[low:high], self.output_tokens[low:high], self.source
        )

    def first(self, count: int) -> RequestTable:
        """The first `count` requests."""
        return RequestTable(
            self.arrival_ns[:count], self.input_tokens[:count], self.output_tokens[:count], self.source
        )  # fmt: skip


def make_requests(
    arrival_ns: ArrayLike, input_tokens: ArrayLike, output_tokens: ArrayLike, *, source: str = ""
) -> RequestTable:
    """RequestTable from columns, or single token counts that are repeated; sorted by arrival, ties in given order.

    Raises InputError for a negative arrival, fewer than 1 or more than 2^31 - 1 tokens, or columns of unequal length.
    """
    arrival = np.atleast_1d(np.asarray(arrival_ns, np.int64))
    try:
        tokens = [np.broadcast_to(np.asarray(column), arrival.shape) for column in (input_tokens, output_tokens)]
    except ValueError:
        raise InputError("the columns of a request table have unequal lengths", where=source or None) from None
    if len(arrival) > 1 and np.any(arrival[1:] < arrival[:-1]):
        order = np.argsort(arrival, kind="stable")
        arrival, tokens = arrival[order], [column[order] for column in tokens]
    if len(arrival) and arrival[0] < 0:
        raise InputError(f"a request arrives at {arrival[0]} ns", where=source or None, hint="arrivals start at 0")
    for column in tokens:
        if len(column) and not (column.min() >= 1 and column.max() <= MAX_TOKENS):
            raise InputError("a request has fewer than 1 or more than 2^31 - 1 tokens", where=source or None)
    narrow = [np.ascontiguousarray(column, np.int32) for column in tokens]
    return RequestTable(np.ascontiguousarray(arrival), narrow[0], narrow[1], source)
