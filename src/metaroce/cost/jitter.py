"""What jitter costs, in units that add up; and the check of the arithmetic that the field report printed."""

from __future__ import annotations

from dataclasses import dataclass

from metaroce.cost.lines import Line, Term, count, dollars
from metaroce.cost.prices import PriceBook
from metaroce.kit.units import HOURS_PER_YEAR, format_size
from metaroce.model.money import JitterLoad

DAYS_PER_YEAR = 365
BYTES_PER_GB = 1e9
QUARTERS_PER_YEAR = 4


@dataclass(frozen=True, slots=True)
class ReportedJitter:
    """The case as the field report tells it: inputs, and the dollars it says follow from them."""

    reschedules_per_day: float = 137.0
    gpu_hours_per_reschedule: float = 0.8
    gpu_hour_usd: float = 0.15
    reschedules_usd: float = 1_560_000.0
    buffer_usd: float = 2_800_000.0
    buffer_gb_hour_usd: float = 0.00012
    buffer_share: float = 0.48
    planned_buffer_share: float = 0.25
    penalties_usd_per_quarter: float = 890_000.0
    penalty_usd: float = 500.0
    saved_usd: float = 2_100_000.0


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """One printed number beside what its own inputs give; claimed is None where the report gives none to compare."""

    name: str
    claimed: float | None
    ours: float
    unit: str
    formula: str
    why: str


def jitter_cost(load: JitterLoad, book: PriceBook) -> tuple[Line, ...]:
    """Buffer waste, rescheduling and penalties of a year, USD.

    Buffer waste: mean bytes / 1e9 x 8760 h x USD per GB and hour. (The report multiplies the daily mean in bytes with
    a price per GB and hour: that is 1e9 times too much, and one hour's worth of the day.)
    """
    buffer = book.factor("buffer", "GB-hour")
    moves = book.factor("reschedule-gpu-hour", "GPU-hour")
    penalty = book.factor("sla-penalty", "incident")
    gigabytes = load.buffer_waste / BYTES_PER_GB
    hours_moved = load.reschedules_per_day * DAYS_PER_YEAR * load.gpu_hours_per_reschedule
    return (
        Line(
            "buffer waste", (Term(gigabytes * HOURS_PER_YEAR, (buffer,)),),
            f"{format_size(load.buffer_waste)} = {count(gigabytes)} GB x {HOURS_PER_YEAR} h"
            f" at {dollars(buffer.value)} per GB and hour", "jitter",
        ),
        Line(
            "rescheduling", (Term(hours_moved, (moves,)),),
            f"{count(load.reschedules_per_day)} a day x {DAYS_PER_YEAR} x {count(load.gpu_hours_per_reschedule)} GPU-h"
            f" = {count(hours_moved)} GPU-h at {dollars(moves.value)}", "jitter",
        ),
        Line(
            "service penalties", (Term(load.breaches_per_year, (penalty,)),),
            f"{count(load.breaches_per_year)} breaches at {dollars(penalty.value)}", "jitter",
        ),
    )  # fmt: skip


def check_reported_jitter(case: ReportedJitter | None = None) -> tuple[ClaimCheck, ...]:
    """Does the report's own arithmetic hold? Each row: what it prints, what its inputs give, and the difference."""
    case = case or ReportedJitter()
    hours_moved = case.reschedules_per_day * DAYS_PER_YEAR * case.gpu_hours_per_reschedule
    moved_usd = hours_moved * case.gpu_hour_usd
    return (
        ClaimCheck(
            "rescheduling a year", case.reschedules_usd, moved_usd, "USD",
            f"{count(case.reschedules_per_day)} a day x {DAYS_PER_YEAR} x {count(case.gpu_hours_per_reschedule)} GPU-h"
            f" x {dollars(case.gpu_hour_usd)}",
            f"the printed sum needs {dollars(case.reschedules_usd / hours_moved)} per GPU-hour,"
            f" or {count(case.reschedules_usd / moved_usd)} times as many moves",
        ),
        *_check_buffer(case),
        *_check_net(case, moved_usd),
    )  # fmt: skip


def _check_buffer(case: ReportedJitter) -> tuple[ClaimCheck, ...]:
    gigabytes = case.buffer_usd / case.buffer_gb_hour_usd / HOURS_PER_YEAR
    as_printed, in_units = gigabytes * BYTES_PER_GB * case.buffer_gb_hour_usd, gigabytes * 24 * case.buffer_gb_hour_usd
    return (
        ClaimCheck(
            "memory behind the printed buffer waste", None, gigabytes / 1e6, "PB",
            f"{dollars(case.buffer_usd)} / {dollars(case.buffer_gb_hour_usd)} per GB and hour / {HOURS_PER_YEAR} h",
            f"the report gives shares ({case.buffer_share:.0%} instead of {case.planned_buffer_share:.0%}), no bytes;"
            " at its price the dollars are this much memory, idle all year",
        ),
        ClaimCheck(
            "what the printed query gives for that memory, a day", as_printed, in_units, "USD",
            f"mean bytes x {case.buffer_gb_hour_usd:g} against mean bytes / 1e9 x 24 h x {case.buffer_gb_hour_usd:g}",
            "the metric is in bytes and the price per GB and hour: divide by 1e9, multiply by the hours",
        ),
    )  # fmt: skip


def _check_net(case: ReportedJitter, moved_usd: float) -> tuple[ClaimCheck, ...]:
    breaches = case.penalties_usd_per_quarter / case.penalty_usd
    penalties = case.penalties_usd_per_quarter * QUARTERS_PER_YEAR
    claimed = case.saved_usd - case.buffer_usd - case.reschedules_usd - penalties
    ours = case.saved_usd - case.buffer_usd - moved_usd - penalties
    sign = "the sign is the same" if (claimed > 0) == (ours > 0) else "the sign changes"
    return (
        ClaimCheck(
            "breaches behind the printed penalties, a quarter", None, breaches, "breaches",
            f"{dollars(case.penalties_usd_per_quarter)} / {dollars(case.penalty_usd)}",
            f"{count(breaches * QUARTERS_PER_YEAR / DAYS_PER_YEAR)} a day",
        ),
        ClaimCheck(
            "net a year", claimed, ours, "USD",
            f"{dollars(case.saved_usd)} saved - {dollars(case.buffer_usd)} buffer - {dollars(moved_usd)} rescheduling"
            f" - {QUARTERS_PER_YEAR} x {dollars(case.penalties_usd_per_quarter)} penalties",
            f"{sign}; rescheduling is {moved_usd / (case.buffer_usd + moved_usd + penalties):.1%} of the cost",
        ),
    )  # fmt: skip
