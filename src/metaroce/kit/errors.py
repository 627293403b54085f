"""One tree of errors and problems: what is wrong, where, what to do; and the exit statuses of every command.

Strategy: our own input (scenarios, options) raises; foreign input (traces, captures, configurations) is reported
as `Problem`s next to what could be read, because a fault in one line must not lose the other nine million.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EXIT_OK = 0
EXIT_FINDINGS = 1  # a check found something
EXIT_INPUT = 2  # the input or the call is wrong
EXIT_INFEASIBLE = 3  # computed, and the answer is: no count, budget or date meets it
EXIT_INTERRUPTED = 130  # Ctrl-C; what was computed until then is kept


class RoceError(Exception):
    """Base of every error a user may see.

    what   one sentence: the fault
    where  file:line, option or field that holds it
    hint   what to do about it
    """

    exit_status = EXIT_FINDINGS

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"error: {self.what}"]
        if self.where:
            lines.append(f"  --> {self.where}")
        if self.hint:
            lines.append(f"  = help: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:  # errors cross process borders with their fields
        return (_rebuild, (type(self), self.what, self.where, self.hint))


class InputError(RoceError):
    """The user's input cannot be used: a file, a scenario, an option, a quantity."""

    exit_status = EXIT_INPUT


class ScenarioError(InputError):
    """A scenario file holds an unknown key, a wrong unit or an impossible value."""


class QuantityError(InputError):
    """A text is not a quantity of the wanted kind, or does not fit its integer type."""


class InfeasibleError(RoceError):
    """The question was computed, and nothing meets it."""

    exit_status = EXIT_INFEASIBLE


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in foreign input that did not stop the reading.

    where  file:line
    """

    what: str
    where: str = ""
    hint: str = ""
    severity: Literal["warning", "error"] = "warning"

    def __str__(self) -> str:
        parts = [f"{self.severity}: {self.what}"]
        if self.where:
            parts.append(f"  --> {self.where}")
        if self.hint:
            parts.append(f"  = help: {self.hint}")
        return "\n".join(parts)


def _rebuild(kind: type[RoceError], what: str, where: str | None, hint: str | None) -> RoceError:
    return kind(what, where=where, hint=hint)
