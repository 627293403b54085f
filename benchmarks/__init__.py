"""Figures with bars: what the project promises to reach, measured on demand (`python -m benchmarks NAME`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """One measured figure and the bar it must reach.

    at_most  True: the figure must not be above the bar; False: not below it
    """

    name: str
    figure: float
    unit: str
    bar: float
    at_most: bool = True

    @property
    def met(self) -> bool:
        """Whether the bar is reached."""
        return self.figure <= self.bar if self.at_most else self.figure >= self.bar

    def __str__(self) -> str:
        line = f"{self.name}: {self.figure:.4g} {self.unit} (bar {'<=' if self.at_most else '>='} {self.bar:g})"
        return line if self.met else f"{line}  MISSED"
