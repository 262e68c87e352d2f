"""A space of functions, and how much of many targets it captures.

For functions f_1 .. f_N with G_nm = E f_n f_m and b_n = E f_n H, the best combination leaves |H|^2 - b' G^-1 b of the
target H: its oracle risk. One eigendecomposition serves all targets.

G is often badly conditioned, because the functions share a large part of low degree. That part can be kept apart: with
L the coefficients of the functions in p low parities (N x p), and G, b, H from here on without these parities (so that
what was G is G + L L'), the risk is
  |H|^2 - b' G^-1 b + v' (1 + L' G^-1 L)^-1 v,    v = (the target's low coefficients) - L' G^-1 b,
a formula in which only the better conditioned G is inverted.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import qr, solve_triangular

from kernelgap.certificates.floors.targets import OneTarget, Targets

EPS = float(np.finfo(float).eps)
LEAST = 1e-200  # of the largest |f_n|^2: nothing overflows that is divided by more
BLOCK = 2**23  # entries of right-hand sides in memory at a time

Sums = tuple[Float[np.ndarray, " targets"], Float[np.ndarray, " targets"], Float[np.ndarray, " targets"]]
Parities = Callable[[Int[np.ndarray, "sets size"]], Float[np.ndarray, "n sets"]]


@dataclass(frozen=True)
class Low:
    """Parities of low degree, kept apart: where each stands, and their coefficients in the functions."""

    place: Mapping[tuple[int, ...], int]
    coefficients: Float[np.ndarray, "n low"]


class Captured(NamedTuple):
    """What a span makes of parities: <A, B> less what is captured of it is <A, B> high - a_A a_B + z_A z_B."""

    a: Float[np.ndarray, "directions sets"]
    z: Float[np.ndarray, "low sets"]
    squared_weights: Float[np.ndarray, " sets"]  # of the best combination
    rounding: Float[np.ndarray, " sets"]  # how much of the low parities cancels: in units of |H| EPS
    low_rounding: Float[np.ndarray, " sets"]  # the same in the functions' low coefficients: in units of |weights| EPS


class Span:
    """``parities`` gives E f_n chi_S for index sets S of degree above ``above``; G = vectors diag(sigma) vectors'.

    ``noise`` is how far rounding can have moved G, ``change`` how far it can have moved the functions' own values;
    ``size`` is the largest |f_n|^2. Parities of degree up to ``above`` are kept apart in ``low``; if there is no
    ``low``, they are given away: nothing of them is left of any target.
    """

    def __init__(
        self,
        parities: Parities,
        sigma: Float[np.ndarray, " n"],
        vectors: Float[np.ndarray, "n n"],
        *,
        noise: float,
        size: float,
        above: int = -1,
        low: Low | None = None,
        change: float = 0.0,
    ) -> None:
        self.parities, self.noise, self.size, self.above, self.low = parities, noise, size, above, low
        self.change, self.functions = change, len(sigma)
        clear = sigma > max(2 * noise, LEAST * size)
        self.lost = int((~clear).sum())  # directions that do not stand out of the rounding
        self.sigma = sigma[clear]
        self._whiten = vectors[:, clear].T / np.sqrt(self.sigma)[:, None]
        whitened = self._whiten @ (np.empty((len(sigma), 0)) if low is None else low.coefficients)
        # 1 + L' G^-1 L = R'R, from a factorisation that does not square what is large in L' G^-1 L
        stacked = np.concatenate([np.eye(whitened.shape[1]), whitened])
        self._factor = np.asarray(qr(stacked, mode="r")[0])[: whitened.shape[1]].T
        self._whitened_low = whitened
        self._lengths = np.linalg.norm(stacked, axis=0)
        self._low_lengths = np.zeros(0) if low is None else np.linalg.norm(low.coefficients, axis=0)

    def risks(
        self, targets: Targets | OneTarget
    ) -> tuple[Float[np.ndarray, " targets"], Float[np.ndarray, " targets"]]:
        """No less, and no more, than the risk of each target over the directions that stand out."""
        high = targets.energies(self.above)
        energy = targets.size
        ends = np.empty((2, len(targets)))
        for block, (risk, weights, rounding) in self._captured(targets):
            risk += high.sum()
            error = 8 * EPS * (np.sqrt(weights * energy * self.size * self.functions) + energy + rounding)
            if len(self.sigma):
                error += self.noise * weights * self.sigma[0] / (self.sigma[0] - self.noise)
            error += 2 * self.change * np.sqrt(weights * np.maximum(risk, 0.0))
            ends[:, block] = risk - error, risk + error
        return ends[0], ends[1]

    def _captured(self, targets: Targets | OneTarget) -> Iterator[tuple[slice, Sums]]:
        """Blocks of targets, and what ``_risks`` says of each."""
        if isinstance(targets, OneTarget):
            yield slice(0, 1), _risk_of_one(targets, _joined([self.capture(sets) for sets in targets.sets]))
            return
        base = _joined([self.capture(sets) for sets in targets.base_groups])
        step = max(1, BLOCK // (self.functions + len(self._factor)))
        for start in range(0, len(targets), step):
            block = slice(start, start + step)
            yield block, _risks(targets, block, base, [self.capture(sets[block]) for sets in targets.composites])

    def inverse(self) -> Float[np.ndarray, "n n"]:
        """G^-1 over the directions that stand out."""
        return self._whiten.T @ self._whiten

    def capture(self, sets: Int[np.ndarray, "sets size"]) -> Captured:
        """What is captured of each parity."""
        count, (directions, low) = len(sets), self._whitened_low.shape
        if sets.shape[1] > self.above:
            a = self._whiten @ self.parities(sets)
            left = -self._whitened_low.T @ a
        else:
            a, left = np.zeros((directions, count)), np.zeros((low, count))
            if self.low is not None:
                left[[self.low.place[tuple(s)] for s in sets.tolist()], np.arange(count)] = 1.0
        z = solve_triangular(self._factor, left, lower=True) if low else left
        rest = solve_triangular(self._factor, z, lower=True, trans=1) if low else z  # what is left of the low parities
        best = a + self._whitened_low @ rest
        return Captured(
            a, z, (1 / self.sigma) @ best**2, self._lengths @ np.abs(rest), self._low_lengths @ np.abs(rest)
        )


def function_span(parities: Parities, singular: Float[np.ndarray, " n"], rows: Float[np.ndarray, "n n"]) -> Span:
    """The span of functions given by values, from the singular values (largest first) and right vectors of these.

    A relative change of the values by EPS moves singular values by EPS times the largest: what stands out counts.
    """
    change = 4 * EPS * len(singular) ** 0.5 * float(singular[0])
    size = float(singular[0]) ** 2
    return Span(parities, singular[::-1] ** 2, rows[::-1].T, noise=change**2, size=size, change=change)


def _joined(parts: list[Captured]) -> Captured:
    a, z, *others = zip(*parts, strict=True)
    return Captured(np.concatenate(a, axis=1), np.concatenate(z, axis=1), *(np.concatenate(other) for other in others))


def _risks(targets: Targets, block: slice, base: Captured, composites: list[Captured]) -> Sums:
    """Summed over outputs: the risk less |H|^2 of what is not kept apart, bounds of squared weights and of rounding."""
    of_base, of_composite = _change(base), [_change(c) for c in composites]
    cross = [base.z.T @ c.z - base.a.T @ c.a for c in composites]
    columns = np.arange(composites[0].a.shape[1])
    risk, weights, rounding = np.zeros((3, len(columns)))

    def mixed(of_base: np.ndarray, of_composite: np.ndarray) -> np.ndarray:
        return np.asarray(targets.beta * of_base + targets.alpha * of_composite)

    for j, (i, sign) in enumerate(zip(targets.which, targets.signs, strict=True)):
        b = targets.base_of[block, j]
        risk += targets.beta**2 * of_base[b] + targets.alpha**2 * of_composite[i]
        risk += 2 * targets.alpha * targets.beta * sign * cross[i][b, columns]
        squared = targets.beta**2 * base.squared_weights[b] + targets.alpha**2 * composites[i].squared_weights
        weights += 2 * squared
        rounding += (targets.alpha + targets.beta) * mixed(base.rounding[b], composites[i].rounding)
        rounding += np.sqrt(2 * squared) * mixed(base.low_rounding[b], composites[i].low_rounding)
    return risk, weights, rounding


def _risk_of_one(target: OneTarget, parities: Captured) -> Sums:
    """The same for a single target: a and z of a sum of parities are the sums of theirs."""
    v, absolute = target.weights, np.abs(target.weights)
    risk = ((parities.z @ v) ** 2).sum() - ((parities.a @ v) ** 2).sum()
    squared = len(v) * (parities.squared_weights @ v**2)  # of each output, as |sum of m|^2 <= m (sum of squares)
    rounding = absolute.sum(axis=0) @ (parities.rounding @ absolute)
    rounding += np.sqrt(squared) @ (parities.low_rounding @ absolute)
    return np.array([risk]), np.array([squared.sum()]), np.array([rounding])


def _change(captured: Captured) -> Float[np.ndarray, " sets"]:
    return (captured.z**2).sum(axis=0) - (captured.a**2).sum(axis=0)


@dataclass(frozen=True)
class Bracket:
    """Risks of many targets: no less than ``low``, no more than ``high``."""

    low: Float[np.ndarray, " targets"]
    high: Float[np.ndarray, " targets"]
    note: str = ""
    given_away: bool = False  # whether ``low`` is a floor only, because the span was enlarged

    @property
    def risk(self) -> Float[np.ndarray, " targets"]:
        """The middle of a tight bracket; the floor where something was given away."""
        return self.low if self.given_away else (self.low + self.high) / 2
