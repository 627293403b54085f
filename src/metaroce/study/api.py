"""The study's verbs: one scenario in, the whole chain out; two scenarios side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from metaroce.kit.errors import EXIT_INFEASIBLE, EXIT_INTERRUPTED, EXIT_OK
from metaroce.kit.progress import Progress, silent
from metaroce.model.scenario import Scenario
from metaroce.study.chain import Chain, run_chain
from metaroce.study.claim_rows import CLAIMS
from metaroce.study.claims import Compared, compare_claims
from metaroce.study.executor import Executor
from metaroce.study.limits import Fit, within_budget, within_hall, within_weeks
from metaroce.study.sensitivity import Moved, sensitivity
from metaroce.study.vary import base_of
from metaroce.study.warm import prepare_fabric, prepare_orders


@dataclass(frozen=True, slots=True)
class StudyResult:
    """Everything one study found.

    moved   sensitivity, () when it was switched off or no count was found
    claims  claimed | ours | why, for presets
    fits    what the given budget and date allow
    interrupted  the chain is whole, the questions after it were cut short
    """

    chain: Chain
    preset: str | None
    moved: tuple[Moved, ...]
    claims: tuple[Compared, ...]
    fits: tuple[Fit, ...]
    interrupted: bool = False

    @property
    def exit_status(self) -> int:
        """0; EXIT_INFEASIBLE when no count keeps the promises or a given limit breaks them; EXIT_INTERRUPTED."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        kept = self.chain.is_feasible and all(fit.keeps for fit in self.fits)
        return EXIT_OK if kept else EXIT_INFEASIBLE


@dataclass(frozen=True, slots=True)
class Options:
    """How a study is run; none of it changes a number, except that limits add rows.

    folder     where relative paths of the scenario start
    preset     name of the preset whose claims are compared
    workers    processes
    budget     USD for the bill, None = no limit
    max_weeks  weeks from the order, None = no limit
    strict     a bad line in a trace is an error
    """

    folder: Path = Path()
    preset: str | None = None
    workers: int = 1
    budget: float | None = None
    max_weeks: int | None = None
    strict: bool = False


def study(scenario: Scenario, options: Options = Options(), *, progress: Progress = silent) -> StudyResult:
    """Run the chain of a scenario, then ask what moves it, what fits the limits, and how it compares with claims.

    A KeyboardInterrupt after the chain is complete ends the questions, not the study: the result says `interrupted`.
    Raises ScenarioError and InputError for scenarios and traces that cannot be used.
    """
    moved: tuple[Moved, ...] = ()
    compared: tuple[Compared, ...] = ()
    interrupted = False
    claims = CLAIMS.get(options.preset or "", ())
    with Executor(options.workers) as executor:
        executor.prepare(prepare_fabric, prepare_orders)
        chain = run_chain(scenario, options.folder, executor=executor, strict=options.strict, progress=progress)
        base = base_of(chain, options.folder) if chain.is_feasible else None
        try:
            if base is not None and scenario.sensitivity.enabled:
                moved = sensitivity(base, executor=executor, progress=progress)
            asked = base if scenario.sensitivity.enabled else None
            compared = compare_claims(claims, chain, asked, options.preset, executor=executor, progress=progress)
        except KeyboardInterrupt:
            interrupted = True
            executor.close()
    return StudyResult(chain, options.preset, moved, compared, _fits(chain, options), interrupted)


def _fits(chain: Chain, options: Options) -> tuple[Fit, ...]:
    if not chain.is_feasible:
        return ()
    hall = within_hall(chain)
    fits = [] if hall is None else [hall]
    if options.budget is not None:
        fits.append(within_budget(chain, options.budget))
    if options.max_weeks is not None:
        fits.append(within_weeks(chain, options.max_weeks))
    return tuple(fits)
