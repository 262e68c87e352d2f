"""What every problem offers: inputs drawn from a distribution and labels H(x) = beta F(x) + alpha G(F(x))."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from kernelgap.calls import format_call
from kernelgap.display import Card, Displayed
from kernelgap.errors import InputError, shown
from kernelgap.machine import require_memory

if TYPE_CHECKING:
    from kernelgap.problems.leap import Staircase

Seed = int | Sequence[int]

MOST_INPUTS = 100_000  # coordinates
MOST_OUTPUTS = 1_000
MOST_TERMS = 1_000  # of a function of a concept class, in an output
STRONGEST = 1e6  # signal or noise
LARGEST_SEED = 2**63
OF_PARITIES = "sec8, slides, hard, products, parity, staircase, leaps, merged, leaking, hierarchy"


class Problem(Displayed, ABC):
    """A learning problem. ``base`` is beta F, ``composite`` is alpha G(F), ``target`` their sum H."""

    name: str
    d: int
    outputs: int
    alpha: float
    beta: float
    noise: float

    @property
    @abstractmethod
    def spec(self) -> str:
        """The text from which ``problems.get`` makes this problem again."""

    @abstractmethod
    def inputs(self, rng: np.random.Generator, n: int) -> Float[np.ndarray, "n d"]:
        """n independent inputs."""

    @abstractmethod
    def base(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        """beta F(x)."""

    @abstractmethod
    def composite(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        """alpha G(F(x))."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """E |alpha G(F(x))|^2: the risk left by a learner that has learned all of F and nothing of G(F)."""

    def staircase(self) -> "Staircase":
        """An order in which the parities of the target can be learned, with the fewest new coordinates at each step.

        Raises
        ------
        InputError
            If the target is not known as a sum of parities.
        """
        raise InputError(
            f"{self.name} has no leap: its target is not known as a sum of parities. Problems that have one: "
            f"{OF_PARITIES}."
        )

    @property
    def leap(self) -> int:
        """The most new coordinates that a step of ``staircase`` needs, outputs pooled."""
        return self.staircase().leap

    def _card(self) -> Card:
        facts: dict[str, object] = {"inputs": self.d, "outputs": self.outputs, "threshold": float(self.threshold)}
        facts |= {"alpha": self.alpha, "beta": self.beta, "noise": self.noise}
        with suppress(InputError):  # not all have one
            facts["leap"] = self.leap
        about = "H = beta F + alpha G(F). The threshold is the risk left by a learner that knows F and nothing of G(F)."
        return Card("problem", self._title, facts, about)

    @property
    def _title(self) -> str:
        """Its name in what is shown."""
        return self.name

    def target(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n outputs"]:
        """H(x) = beta F(x) + alpha G(F(x))."""
        return self.base(X) + self.composite(X)

    def sample(self, n: int, seed: Seed) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "n outputs"]]:
        """n inputs with their labels. The same seed gives the same rows; a larger n only appends rows."""
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
            raise InputError(f"A sample needs a whole number of rows, at least 1, not {shown(n)}.")
        needed = int(n) * (2 * self.d + 4 * self.outputs) * 8
        require_memory(needed, f"A sample of {int(n):,} rows of {self.d:,} inputs", "Take fewer rows.")
        if min(np.atleast_1d(seed)) < 0:
            raise InputError(f"A seed must not be negative, it is {seed}.")
        of_inputs, of_noise = np.random.SeedSequence(seed).spawn(2)
        X = self.inputs(np.random.default_rng(of_inputs), n)
        Y = self.target(X)
        if self.noise > 0:
            Y = Y + self.noise * np.random.default_rng(of_noise).standard_normal(Y.shape)
        return X, Y


class WrittenProblem(Problem):
    """A problem whose text is the call that makes it: its name with ``arguments``."""

    arguments: Mapping[str, object]

    def __post_init__(self) -> None:
        check_signal(self.alpha, self.beta, self.noise)

    @property
    def spec(self) -> str:
        return self._call

    @property
    def _call(self) -> str:
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in self.arguments.items()}
        return format_call(self.name, plain)

    @property
    def _title(self) -> str:
        return self._call

    def _checked(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != self.d:
            raise InputError(f"Inputs of {self.name} have shape (n, {self.d}), not {X.shape}.")
        return X


def check_signal(alpha: float, beta: float, noise: float) -> None:
    """Refuse strengths of the signals and of the label noise that mean nothing."""
    for name, value in {"alpha": alpha, "beta": beta, "noise": noise}.items():
        check_strength(name, value)


def check_strength(name: str, value: object) -> None:
    """Refuse what is no finite number from 0 to ``STRONGEST``."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise InputError(f"{name} must be a finite number that is not negative, not {shown(value)}.")
    if float(value) > STRONGEST:
        raise InputError(f"{name} must be at most {STRONGEST:,.0f}, not {shown(value)}: scale the signals down.")


def check_whole(name: str, value: object, most: int, least: int | None = None) -> None:
    """Refuse what is no whole number, or more than time and memory allow before anything is drawn."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} must be a whole number, not {shown(value)}.")
    if least is not None and value < least:
        raise InputError(f"{name} must be a whole number, at least {least}, not {shown(value)}.")
    if value > most:
        raise InputError(f"{name} must be at most {most:,}, not {shown(value)}.")
