"""Laws as typed function pointers: one cached kernel serves every law; a new law compiles in a blink.

Strategy: every hook of every law has the same explicit signature, so the engine is compiled against the type, never
against the function. Missing hooks become `nothing` and a cleared bit, so that the engine need not call them.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
from numba import types

from metaroce.congestion.laws import Law
from metaroce.congestion.state import CLASS, HOOKS, STATE
from metaroce.kit.jit import kernel

#: Laws one simulation can use at the same time.
SLOTS = 4

HOOK = types.void(numba.from_dtype(STATE), numba.from_dtype(CLASS), types.float64[::1], types.int64)
HOOK_TUPLE = types.UniTuple(types.FunctionType(HOOK), SLOTS * len(HOOKS))


@kernel(signature=HOOK)
def nothing(s, c, p, now):
    pass


@functools.cache
def compile_hook(function: Any) -> Any:
    """One hook, compiled for the engine."""
    return kernel(function, signature=HOOK)


def hook_table(laws: list[Law]) -> tuple[tuple[Any, ...], int]:
    """Hooks of up to `SLOTS` laws as one tuple, and a bit mask of those that exist: bit law * len(HOOKS) + hook."""
    table: list[Any] = [nothing] * (SLOTS * len(HOOKS))
    mask = 0
    for slot, law in enumerate(laws):
        for place, name in enumerate(HOOKS):
            if name in law.hooks:
                table[slot * len(HOOKS) + place] = compile_hook(law.hooks[name])
                mask |= 1 << (slot * len(HOOKS) + place)
    return tuple(table), mask
