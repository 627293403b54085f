"""Where the requests of an LLM service come from: a generator with bursts and office hours, or a recorded trace."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from metaroce.kit.units import NS_PER_S, format_ns
from metaroce.model.base import Count, Factor, Noun, NsTime, PerSecond, Share, default_kind

TraceFormat = Literal["auto", "azure", "burstgpt", "mooncake", "qwen", "servegen", "plain"]

_HOUR = 3600 * NS_PER_S
_DAY = 24 * _HOUR
_MOST_STEPS = 10_000_000
_MOST_REQUESTS = 100_000_000  # 1.6 GB of table


class LognormalTokens(Noun):
    """Token counts with a lognormal body: half lie below the median, 5 % above p95."""

    kind: Literal["lognormal"] = "lognormal"
    median: Count = 1020
    """tokens; the default of inputs is the Azure conversation trace of 2023"""
    p95: Count = 4083
    """tokens that 5 % of the requests exceed"""
    max: Count = 14_050
    """tokens; longer draws are cut to this, as a service cuts at its context limit, so median and p95 stay as asked"""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.median <= self.p95 <= self.max:
            raise ValueError(f"median {self.median} <= p95 {self.p95} <= max {self.max} must hold")
        return self


class FixedTokens(Noun):
    """The same token count for every request."""

    kind: Literal["fixed"] = "fixed"
    tokens: Count = 512
    """tokens of every request"""


class EmpiricalTokens(Noun):
    """Token counts drawn, with replacement, from those of a recorded trace."""

    kind: Literal["empirical"] = "empirical"
    path: str
    """trace file; a relative path starts at the scenario's folder"""
    format: TraceFormat = "auto"
    """format of the file; auto looks at its content"""


Tokens = Annotated[
    LognormalTokens | FixedTokens | EmpiricalTokens, Field(discriminator="kind"), default_kind("lognormal")
]


class Burst(Noun):
    """A burst in every period: `share` of the period's requests fall into a window of it.

    The window alone lifts the rate to share x period / window times the mean (83 % in 12 s of a minute: 4.15).
    A higher `peak` needs a shape inside the window: a rising ramp up to twice that level, beyond it an inner burst.
    """

    share: Share = 0.83
    """share of each period's requests that fall into its window"""
    window: NsTime = 12 * NS_PER_S
    """length of the window"""
    period: NsTime = 60 * NS_PER_S
    """length of the period"""
    peak: Factor | None = 4.6
    """highest rate as a multiple of the mean rate; null: level inside the window"""
    phase: Literal["locked", "floating"] = "locked"
    """locked: the window opens with every period (the wall-clock minute); floating: anywhere in it, drawn per period"""

    @property
    def level(self) -> float:
        """Mean rate inside the window as a multiple of the mean rate: share x period / window."""
        return self.share * self.period / self.window

    @property
    def highest(self) -> float:
        """The asked peak, or the window's level when none is asked."""
        return self.level if self.peak is None else max(self.peak, self.level)

    @property
    def shape(self) -> Literal["level", "ramp", "inner burst"]:
        """How the window reaches the peak."""
        if self.highest <= self.level * (1 + 1e-9):
            return "level"
        return "ramp" if self.highest <= 2 * self.level else "inner burst"

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not 0 < self.window < self.period:
            raise ValueError(
                f"the window ({format_ns(self.window)}) must be shorter than the period ({format_ns(self.period)})"
            )
        if self.level < 1 - 1e-9:
            raise ValueError(
                f"a share of {self.share:.4g} in {format_ns(self.window)} of {format_ns(self.period)} is no burst: "
                f"an even load has {self.window / self.period:.4g} there"
            )
        if self.peak is not None and self.peak < self.level * (1 - 1e-9):
            raise ValueError(
                f"a share of {self.share:.4g} in {format_ns(self.window)} of {format_ns(self.period)} is already "
                f"{self.level:.4g} x the mean, more than the peak of {self.peak:.4g}; raise peak to {self.level:.4g}, "
                f"write peak: null, or lower share to {self.peak * self.window / self.period:.4g}"
            )
        return self


class Office(Noun):
    """Office hours: a high plateau, ramps before and after it, a low floor for the rest of the day."""

    opens: NsTime = 9 * _HOUR
    """time of day at which the plateau begins"""
    closes: NsTime = 18 * _HOUR
    """time of day at which it ends"""
    ramp: NsTime = _HOUR
    """length of the rise before opening and of the fall after closing"""
    share: Share = 0.85
    """share of the day's requests on the plateau"""
    begins: NsTime = 9 * _HOUR
    """time of day of the first moment that is generated"""

    @property
    def floor(self) -> float:
        """Rate at night as a share of the plateau's, from `share`; outside 0..1 when the share is out of reach."""
        open_for = self.closes - self.opens
        outside = open_for * (1 - self.share) / self.share if self.share else float("inf")
        rest = _DAY - open_for - self.ramp
        return (outside - self.ramp) / rest if rest > 0 else -1.0

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not (self.ramp <= self.opens < self.closes <= _DAY - self.ramp and self.begins < _DAY):
            raise ValueError("ramp <= opens < closes <= 24h - ramp must hold, and begins must be before 24h")
        open_for = self.closes - self.opens
        if not 0 <= self.floor <= 1:
            least, most = open_for / _DAY, open_for / (open_for + self.ramp)
            raise ValueError(
                f"a plateau of {format_ns(open_for)} with ramps of {format_ns(self.ramp)} can hold "
                f"{least:.3f} to {most:.3f} of the day's requests, not {self.share:.4g}"
            )
        return self


class GeneratedRequests(Noun):
    """Requests drawn from a model of arrivals and of token counts; inputs and outputs are drawn apart."""

    kind: Literal["generator"] = "generator"
    rate: PerSecond = 100.0
    """mean requests per second over the duration; with office hours, over a whole day"""
    duration: NsTime = 1800 * NS_PER_S
    """length of the generated load"""
    arrivals: Literal["poisson", "gamma"] = "poisson"
    """poisson: independent users; gamma: gaps with a coefficient of variation of `cv`, per client"""
    cv: Factor = 1.0
    """coefficient of variation of one client's gaps (gamma only); public traces show 1.0 to 13"""
    clients: Count = 1
    """independent clients whose streams are superposed; 1 is one correlated customer, the burstiest case"""
    office: Office | None = None
    """office hours; null: the same rate all day"""
    burst: Burst | None = None
    """a burst in every period; null: none"""
    input_tokens: Tokens = LognormalTokens()
    """prompt lengths"""
    output_tokens: Tokens = LognormalTokens(median=129, p95=451, max=1000)
    """answer lengths"""

    @property
    def step(self) -> int:
        """ns; the grid on which the rate is given: the burst's period, a minute for office hours, else the duration."""
        if self.burst:
            return self.burst.period
        return 60 * NS_PER_S if self.office else self.duration

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.arrivals == "poisson" and self.cv != 1:
            raise ValueError(f"poisson gaps have a cv of 1, not {self.cv:.4g}; write arrivals: gamma")
        if not 0.001 <= self.cv <= 100:
            raise ValueError(f"a cv of {self.cv:.4g} is not between 0.001 and 100; the burstiest public trace has 13")
        if self.duration <= 0:
            raise ValueError("the duration must be above 0")
        if self.burst and self.duration < self.burst.period:
            raise ValueError(f"the duration must hold at least one period of the burst, {format_ns(self.burst.period)}")
        if (self.burst or self.office) and self.duration > self.step * _MOST_STEPS:
            raise ValueError(
                f"the duration holds more than {_MOST_STEPS:,} steps of {format_ns(self.step)}; shorten it"
            )
        if self.rate * self.duration / NS_PER_S > _MOST_REQUESTS:
            raise ValueError(f"rate x duration is above {_MOST_REQUESTS:,} requests; shorten the duration")
        return self


class TraceRequests(Noun):
    """Requests of a recorded trace, cut and multiplied."""

    kind: Literal["trace"] = "trace"
    path: str
    """trace file (csv or jsonl, plain, .gz or .zst); a relative path starts at the scenario's folder"""
    format: TraceFormat = "auto"
    """format of the file; auto looks at its content"""
    skip: NsTime = 0
    """time to leave out at the beginning of the trace"""
    window: NsTime | None = None
    """length to take; null: to the end"""
    first: Count | None = None
    """most requests to take, before copying; null: all"""
    copies: Count = 1
    """how many times the trace is laid over itself, to multiply its rate"""
    phase: Literal["random", "locked"] = "random"
    """random: every copy is turned by its own random time; locked: all copies burst together"""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.window == 0:
            raise ValueError("a window of 0 holds no requests; write null to take all")
        return self


Requests = Annotated[GeneratedRequests | TraceRequests, Field(discriminator="kind"), default_kind("generator")]
