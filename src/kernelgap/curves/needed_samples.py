"""How many samples a kernel is predicted to need for a risk, beside what no scalar kernel can do with fewer."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernelgap.certificates import any_kernel
from kernelgap.curves.arguments import BEST
from kernelgap.curves.curve import MOST_SAMPLES, predict
from kernelgap.curves.pool import PoolCurve
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.problems import Problem


@dataclass(frozen=True, repr=False)
class Need(Displayed):
    """Samples for a risk.

    Attributes
    ----------
    kernel, risk
        The kernel and the risk in question.
    samples
        What the kernel is predicted to need; None if 10^15 samples do not get there.
    floor
        What any scalar kernel fixed beforehand needs at least on average over which coordinates matter, proved; None if
        no bound is known for the problem.
    """

    kernel: str
    risk: float
    samples: int | None
    floor: int | None

    def _card(self) -> Card:
        facts = {"risk": self.risk, "samples": self.samples, "floor": self.floor}
        return Card("need", self.kernel, facts, self.sentence)

    @property
    def number(self) -> str:
        """The samples in words."""
        return f"more than {MOST_SAMPLES:.0e}" if self.samples is None else f"about {in_words(self.samples)}"

    @property
    def sentence(self) -> str:
        text = f"{self.kernel} would need {self.number} samples for a risk of {self.risk:.3g} (predicted)"
        if not self.floor:
            return text + "."
        return f"{text}; no scalar kernel fixed beforehand can with fewer than {in_words(self.floor)} (proved)."

    def as_record(self) -> dict[str, Any]:
        """In plain values, as JSON holds them."""
        return {**vars(self), "sentence": self.sentence}


def need(
    problem: Problem, kernel: Kernel | str, risk: float, *, ridge: float | str = BEST, noise: float | None = None
) -> Need:
    """The predicted need of a kernel, and the floor for any scalar kernel.

    Parameters
    ----------
    problem, kernel, ridge, noise
        As in ``predict``; by default the best ridge at each number of samples.
    risk
        The risk that is to be reached.

    Examples
    --------
    >>> from kernelgap import problems
    >>> found = need(problems.get("hard(d=20, k=3, alpha=0.3)"), "ntk2(bias=True)", 0.05)
    >>> found.samples > 2 * found.floor, found.floor
    (True, 929)
    """
    curve = predict(problem, kernel, 1, ridge, noise=noise)
    try:
        floor: int | None = any_kernel(problem, 1).samples_for(risk)
    except InputError:
        floor = None
    return Need(curve.kernel, float(risk), curve.samples_for(risk), floor)


@dataclass(frozen=True)
class PoolNeed:
    """Samples for a test error, as far as a pool can tell.

    Attributes
    ----------
    kernel, test_error
        The kernel and the test error in question.
    samples
        What the kernel is predicted to need; None if it is more than the rows of the pool.
    rows
        The rows of the pool.
    """

    kernel: str
    test_error: float
    samples: int | None
    rows: int

    @property
    def sentence(self) -> str:
        number = f"more than the {self.rows:,}" if self.samples is None else f"about {self.samples:,}"
        return f"{self.kernel} would need {number} samples for a test error of {self.test_error:.3g} (predicted)."

    def as_record(self) -> dict[str, Any]:
        """In plain values, as JSON holds them."""
        return {**vars(self), "sentence": self.sentence}


def need_on_pool(curve: PoolCurve, test_error: float) -> PoolNeed:
    """The predicted need of a kernel for a test error.

    Parameters
    ----------
    curve
        From ``predict_on_pool``, with one ridge or with the best ones.
    test_error
        The test error that is to be reached.
    """
    return PoolNeed(curve.kernel, float(test_error), curve.samples_for(test_error), curve.rows)


def sentence_of_needs(needs: Sequence[Need], method: str, samples: int) -> str:
    """What kernels would need for what a method reached with its samples, the least need first; empty for none."""
    if not needs:
        return ""
    ordered = sorted(needs, key=lambda each: math.inf if each.samples is None else each.samples)
    each = ", ".join(f"{name_of(one.kernel)} {one.number}" for one in ordered)
    reached = f"{method} reached with {samples:,} ({needs[0].risk:.2g})"
    text = (
        f"Samples that kernels would need for what {reached}, with the best ridge, predicted by their spectra: {each}."
    )
    floor = needs[0].floor
    return f"{text} No scalar kernel fixed beforehand can with fewer than {in_words(floor)}." if floor else text


def name_of(kernel: str) -> str:
    """The name in a kernel's text, without arguments; sums and products as they are."""
    alone = re.fullmatch(r"(\w+)(\([^()]*\))?", kernel)
    return alone[1] if alone else kernel


def in_words(count: int) -> str:
    """5,766,215 as 5.8 million."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if count >= size:
            return f"{count / size:,.3g} {word}" if count < 1000 * size else f"{count:.2g}"
    return f"{count:,}"
