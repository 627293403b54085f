"""*Claimed | ours | why*: numbers of the field reports beside ours, and which inputs would bring ours to them.

The why is computed: every lever of a row is pulled, the chain re-run, and the levers are listed whose result comes
nearest to the claim. A row whose mechanism does not exist yet says "not built".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metaroce.kit.errors import RoceError
from metaroce.kit.progress import Progress, silent
from metaroce.study.chain import Chain
from metaroce.study.executor import Executor
from metaroce.study.vary import Base, vary

NEAREST = 3
CLOSES = 0.9  # a lever that closes less than a tenth of the gap explains nothing


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a report.

    value    as claimed
    measure  our number from a chain, latencies on so many replicas (the base run's count, so that runs compare); it
             gives None when the chain has none, and is None itself when the mechanism is not built
    levers   inputs that may explain the difference: (label, assignments)
    note     what else must be said; for rows that are not built: which step builds them
    """

    name: str
    value: float
    unit: str
    measure: Callable[[Chain, int], float | None] | None
    levers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pulled:
    """One lever and what our number became."""

    label: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """One row of the table; `why`: those of the `tried` levers that bring ours nearer to the claim, nearest first."""

    name: str
    unit: str
    claimed: float
    ours: float | None
    built: bool
    tried: int
    why: tuple[Pulled, ...]
    note: str


def compare_claims(
    claims: Sequence[Claim], chain: Chain, base: Base | None, preset: str | None, *, executor: Executor,
    progress: Progress = silent,
) -> tuple[Compared, ...]:  # fmt: skip
    """Measure every claim on the chain, and pull its levers (base None: none are pulled)."""
    levers = tuple(dict.fromkeys(assignments for claim in claims for _, assignments in claim.levers)) if base else ()
    tasks = [(base, preset or "", assignments) for assignments in levers]
    outcomes = executor.map(_pull, tasks, what="asking why", progress=progress)
    pulled = dict(zip(levers, outcomes, strict=True))
    return tuple(_row(claim, chain, pulled) for claim in claims)


def _pull(task: tuple[Base, str, tuple[str, ...]]) -> dict[str, float | None]:
    from metaroce.study.claim_rows import CLAIMS

    base, preset, assignments = task
    try:
        chain = vary(base, assignments)
    except RoceError:
        return {}
    at = base.settled.need.replicas or 1
    return {claim.name: claim.measure(chain, at) for claim in CLAIMS[preset] if claim.measure is not None}


def _row(claim: Claim, chain: Chain, pulled: dict[tuple[str, ...], dict[str, float | None]]) -> Compared:
    if claim.measure is None:
        return Compared(claim.name, claim.unit, claim.value, None, False, 0, (), claim.note)
    ours = claim.measure(chain, chain.settled.need.replicas or chain.service.replicas)
    tried = [Pulled(label, pulled[lever].get(claim.name)) for label, lever in claim.levers if lever in pulled]
    distance = math.inf if ours is None else abs(ours - claim.value)
    nearer = [one for one in tried if one.value is not None and abs(one.value - claim.value) < CLOSES * distance]
    nearer.sort(key=lambda one: abs((one.value or 0.0) - claim.value))
    return Compared(claim.name, claim.unit, claim.value, ours, True, len(tried), tuple(nearer[:NEAREST]), claim.note)
