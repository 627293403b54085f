"""Network times as the engine meets them: samples per request and per engine step, and their sums in closed form.

Strategy: the step samples are laid on a tape in random order and summed up once. The network time of any k steps in
a row is then one subtraction on the tape (round and round), so a jump over k steps costs the same as one step, gives
exactly the sum of its steps, and keeps the samples' distribution with mean k m and variance close to k v.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaroce.kit.errors import InputError
from metaroce.kit.rng import stream

_TAPE = 1 << 16  # samples on a tape; a longer list of samples makes a longer tape


@dataclass(frozen=True, slots=True)
class NetworkTimes:
    """What the fabric adds, as samples to draw from; an empty list adds nothing.

    request_ns  int64[]  once per request, before its prefill (with kv_transfer: between prefill and decode)
    step_ns     int64[]  to every engine step
    source      where they come from, for people

    Samples are the whole time in the fabric: where there are any, they replace the formula of the idle fabric.
    """

    request_ns: NDArray[np.int64]
    step_ns: NDArray[np.int64]
    source: str = ""


def make_network_times(request_ns: ArrayLike = (), step_ns: ArrayLike = (), *, source: str = "") -> NetworkTimes:
    """NetworkTimes from any lists of nanoseconds. Raises InputError for negative or non-finite samples."""
    return NetworkTimes(_samples(request_ns, "request_ns"), _samples(step_ns, "step_ns"), source)


NO_NETWORK = NetworkTimes(np.zeros(0, np.int64), np.zeros(0, np.int64), "none")


def draw_request_ns(network: NetworkTimes, count: int, seed: int) -> NDArray[np.int64]:
    """int64[count] one sample per request; the same uniform numbers for every network, so that networks compare."""
    if not len(network.request_ns):
        return np.zeros(count, np.int64)
    ordered = np.sort(network.request_ns)
    uniform = stream(seed, "serving", "network", "request").random(count)
    return ordered[(uniform * len(ordered)).astype(np.int64)]


def step_tape(network: NetworkTimes, seed: int) -> NDArray[np.int64]:
    """int64[m + 1] running sums in ps of the step samples in random order; [0] when there are none.

    Each sample stands on the tape equally often, up to one, so that mean and variance are those of the list.
    """
    samples = network.step_ns
    if not len(samples):
        return np.zeros(1, np.int64)
    random = stream(seed, "serving", "network", "tape")
    whole, rest = divmod(max(_TAPE, len(samples)), len(samples))
    tape = np.concatenate([np.tile(samples, whole), random.choice(samples, rest, replace=False)])
    random.shuffle(tape)
    sums = np.zeros(len(tape) + 1, np.int64)
    np.cumsum(tape * 1000, out=sums[1:])
    return sums


def tape_starts(network: NetworkTimes, replicas: int, seed: int) -> NDArray[np.int64]:
    """int64[replicas] where each replica starts to read the tape."""
    length = max(_TAPE, len(network.step_ns))
    return stream(seed, "serving", "network", "start").integers(0, length, replicas, dtype=np.int64)


def _samples(values: ArrayLike, what: str) -> NDArray[np.int64]:
    given = np.asarray(values).reshape(-1)
    if len(given) and (not np.all(np.isfinite(given)) or given.min() < 0):
        raise InputError(f"network times {what} hold a negative or infinite sample", hint="give nanoseconds >= 0")
    return np.ascontiguousarray(np.rint(given), np.int64)
