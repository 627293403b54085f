"""The engine's state as a few record arrays: few arguments for a kernel, few cache lines for a request.

The fields are listed with their meaning below; times are ps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaroce.kit.units import INT64_MAX

STEP = np.dtype([
    ("kv", np.int64),         # to read one token of context, per decoding request and step
    ("pair", np.float64),     # per query-key pair of prefill attention
    ("blocks", np.int64),     # KV blocks of a replica
    ("block", np.int64),      # tokens in a block
    ("watermark", np.int64),  # blocks that admission leaves free while others run
    ("chunk", np.int64),      # token budget of a step
    ("max_batch", np.int64),
    ("max_queue", np.int64),
    ("tape_mean", np.float64),     # of the network samples
])  # fmt: skip

WORK = np.dtype([
    ("ready", np.int64),       # when it queues
    ("first", np.int64),       # its first token; -1 before
    ("done", np.int64),        # its last token; -1 before
    ("queued", np.int64),      # time spent in the queue
    ("network", np.int64),     # network time in its steps
    ("mark", np.int64),        # when it last entered the queue
    ("net_mark", np.int64),    # network time of its replica when last admitted
    ("order", np.int64),       # admission number
    ("born", np.int64),        # number of the step from which it decodes
    ("phase", np.int64),       # it needs a new block in steps with this number modulo the block
    ("weight", np.int64),      # what the router counts until it is finished
    ("input", np.int32),
    ("output", np.int32),
    ("made", np.int32),        # tokens produced, brought up to date when it stops running
    ("filled", np.int32),        # tokens prefilled at the last admission
    ("next", np.int32),        # next in the queue of its replica; -1 at the end
    ("replica", np.int32),
    ("preemptions", np.int32),
    ("refused", np.int8),      # 1 larger than the cache, 2 the queue was full
    ("cached", np.int8),       # 1: its prompt's KV cache came over the network, it starts by decoding
], align=True)  # fmt: skip

REPLICA = np.dtype([
    ("clock", np.int64),         # end of the last step
    ("steps", np.int64),         # its number
    ("phase", np.int64),         # its number modulo the block
    ("tape", np.int64),          # where the next step reads the network tape, below its length
    ("quiet", np.int64),         # nothing starts or finishes before this time, unless a request is queued
    ("context", np.int64),       # tokens in the cache of all decoding requests
    ("used", np.int64),          # KV blocks in use
    ("peak", np.int64),
    ("busy", np.int64),
    ("net", np.int64),           # network time of all steps so far
    ("head", np.int64),          # queue; -1 empty
    ("tail", np.int64),
    ("waiting", np.int64),
    ("partial", np.int64),       # the request whose prefill is under way; -1 none
    ("partial_done", np.int64),  # tokens of it that are prefilled
    ("running", np.int64),       # decoding requests
    ("admitted", np.int64),      # admissions so far
    ("load", np.int64),          # tokens: prompts not yet read, and weights of unfinished requests
    ("just", np.int64),          # of these, what ended with the last step ...
    ("just_at", np.int64),       # ... at this time: a router that looks earlier still counts them
])  # fmt: skip


class Engine(NamedTuple):
    """All a kernel needs.

    step      STEP[1]
    time      int64[2, C + 1]   base and fabric time of a step by its tokens
    sums      int64[m + 1]      running sums of the network tape; m = 0: no network times
    work      WORK[n]           requests, in the order in which they reach the router
    replica   REPLICA[R]
    heap      int64[R, B]       decoding requests of each replica, ordered by `end step << 32 | request`
    crossing  int32[R, block]   decoding requests that need a new block in steps with this number modulo the block
    fresh     int32[B]          scratch: requests whose prefill ends with this step
    """

    step: Any
    time: NDArray[np.int64]
    sums: NDArray[np.int64]
    work: Any
    replica: Any
    heap: NDArray[np.int64]
    crossing: NDArray[np.int32]
    fresh: NDArray[np.int32]


def new_engine(
    step: Any, time: NDArray[np.int64], sums: NDArray[np.int64], work: Any, tape_starts: NDArray[np.int64]
) -> Engine:
    """Idle replicas, one per tape start, in front of untouched work."""
    replicas, max_batch = len(tape_starts), int(step.max_batch[0])
    replica = np.zeros(replicas, REPLICA).view(np.recarray)
    replica.tape = tape_starts % max(len(sums) - 1, 1)
    replica.head = replica.tail = replica.partial = -1
    return Engine(
        step, time, sums, work, replica, np.zeros((replicas, max_batch), np.int64),
        np.zeros((replicas, int(step.block[0])), np.int32), np.zeros(max_batch, np.int32),
    )  # fmt: skip


def new_step(
    *, kv: int, pair: float, blocks: int, block: int, watermark: int, chunk: int, max_batch: int,
    max_queue: int | None = None, tape_mean: float = 0.0,
) -> Any:  # fmt: skip
    """STEP[1] of these values; no `max_queue` = no bound."""
    bound = INT64_MAX if max_queue is None else max_queue
    values = (kv, pair, blocks, block, watermark, chunk, max_batch, bound, tape_mean)
    return np.array([values], STEP).view(np.recarray)
