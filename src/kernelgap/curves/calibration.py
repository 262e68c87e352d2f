"""How good a predicted curve was where it could be checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class CheckedPoint:
    """A prediction beside what was measured.

    Attributes
    ----------
    n, ridge
        The number of samples, and the ridge on the scale of K.
    predicted
        What the theory says.
    measured
        One number for each fit.
    """

    n: int
    ridge: float
    predicted: float
    measured: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.measured))

    @property
    def error(self) -> float:
        """predicted / mean - 1."""
        return self.predicted / self.mean - 1 if self.mean else float("inf")

    @property
    def uncertainty(self) -> float | None:
        """The standard error of the mean, relative to it; None for a single fit."""
        if len(self.measured) < 2 or not self.mean:
            return None
        return float(np.std(self.measured, ddof=1) / len(self.measured) ** 0.5 / self.mean)


@dataclass(frozen=True)
class Calibration:
    """Predictions beside measurements, for one kernel on one problem or pool.

    Attributes
    ----------
    kernel, problem
        Which these are: the kernel's text, and the problem's, or that of a pool, which has its digest.
    points
        The checked points.
    """

    kernel: str
    problem: str
    points: tuple[CheckedPoint, ...]

    @property
    def median_error(self) -> float:
        """The median of |predicted / measured - 1|."""
        return float(np.median([abs(point.error) for point in self.points]))

    @property
    def worst_error(self) -> float:
        return max(abs(point.error) for point in self.points)

    @property
    def sentence(self) -> str:
        sizes = [point.n for point in self.points]
        between = f"{min(sizes):,} samples" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,} samples"
        uncertain = [point.uncertainty for point in self.points if point.uncertainty is not None]
        chance = f" The means of the fits are uncertain by {np.median(uncertain):.1%}." if uncertain else ""
        return (
            f"Checked by {sum(len(point.measured) for point in self.points)} fits with {between}: predictions were off "
            f"by {self.median_error:.1%} in the median, by {self.worst_error:.1%} at most.{chance}"
        )

    def as_record(self) -> dict[str, Any]:
        """In plain values, as JSON holds them."""
        points = [
            {**vars(p), "measured": list(p.measured), "mean": p.mean, "error": p.error, "uncertainty": p.uncertainty}
            for p in self.points
        ]
        own = {"median_error": self.median_error, "worst_error": self.worst_error, "sentence": self.sentence}
        return {"kernel": self.kernel, "problem": self.problem, **own, "points": points}
