"""One seed -> named, independent streams of random numbers.

A stream is named by what it draws ("arrivals", "network", 3). Adding a stream never shifts another one, so a changed
scenario is compared with the old one on common random numbers.
"""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *name: str | int) -> np.random.Generator:
    """A Philox generator for (seed, name); same arguments, same numbers, on every platform."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, *_words(name)])))


def kernel_seed(seed: int, *name: str | int) -> int:
    """A 63-bit integer from the stream (seed, name), to start a generator inside a kernel."""
    return int(stream(seed, *name).integers(1, 2**63 - 1))


def _words(name: tuple[str | int, ...]) -> list[int]:
    digest = hashlib.blake2b(repr(name).encode(), digest_size=16).digest()
    return [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
