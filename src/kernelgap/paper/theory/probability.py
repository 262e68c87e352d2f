"""Appendix B by simulation: how often a quantity exceeds its bound, beside how often it may.

A share of hits carries its exact binomial (Clopper-Pearson) interval. Where the paper writes O(.) or Omega(.), the
constants are arguments, or what is measured.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

from kernelgap.paper.theory.coupling import most_flips, turning

CONFIDENCE = 0.999
_BATCH = 2**20  # normal numbers drawn at a time


@dataclass(frozen=True)
class Tail:
    """``hits`` of ``draws`` beyond a threshold whose probability is said to be at most ``bound``."""

    name: str
    hits: int
    draws: int
    bound: float
    low: float
    high: float

    @property
    def refuted(self) -> bool:
        """Even the interval's lower end is above the bound."""
        return self.low > self.bound

    def as_dict(self) -> dict[str, float | int | str]:
        return asdict(self)


def tail(name: str, hits: int, draws: int, bound: float, confidence: float = CONFIDENCE) -> Tail:
    low, high = clopper_pearson(hits, draws, confidence)
    return Tail(name, hits, draws, bound, low, high)


def clopper_pearson(hits: int, draws: int, confidence: float) -> tuple[float, float]:
    """Exact binomial limits: P(Bin(draws, low) >= hits) = P(Bin(draws, high) <= hits) = (1 - confidence) / 2."""
    rest = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(stats.beta.ppf(rest, hits, draws - hits + 1))
    high = 1.0 if hits == draws else float(stats.beta.ppf(1 - rest, hits + 1, draws - hits))
    return low, high


def chi_square_tail(m: int, t: float) -> float:
    """P(| |g|^2 - m | >= 2 sqrt(mt) + 2t) for g ~ N(0, I_m), Proposition B.1's left side on both sides, exactly."""
    width = 2 * math.sqrt(m * t) + 2 * t
    return float(stats.chi2.sf(m + width, m) + stats.chi2.cdf(m - width, m))


def chi_square(m: int, t: float, draws: int, rng: np.random.Generator) -> Tail:
    """Proposition B.1: at most e^-t."""
    width = 2 * math.sqrt(m * t) + 2 * t
    hits = sum(int((np.abs((g**2).sum(axis=1) - m) >= width).sum()) for g in _normal(draws, m, rng))
    return tail(f"B.1, m={m}, t={t:g}", hits, draws, math.exp(-t))


def spectral_norms(n: int, m: int, draws: int, rng: np.random.Generator) -> Float[np.ndarray, " draws"]:
    """Spectral norms of n x m matrices of independent N(0, 1)."""
    blocks = [block.reshape(-1, n, m) for block in _normal(draws, n * m, rng)]
    return np.sqrt(np.concatenate([np.linalg.eigvalsh(M @ M.transpose(0, 2, 1))[:, -1] for M in blocks]))


def matrix_norm(n: int, m: int, t: float, draws: int, rng: np.random.Generator) -> Tail:
    """Proposition B.2, first part, with constant 1: |M|_2 > sqrt(n) + sqrt(m) + t at most exp(-t^2/2) of the time."""
    hits = int((spectral_norms(n, m, draws, rng) > math.sqrt(n) + math.sqrt(m) + t).sum())
    return tail(f"B.2, {n}x{m}, t={t:g}", hits, draws, math.exp(-(t**2) / 2))


def sparse_norm(M: Float[np.ndarray, "two m"], s: int, angles: int = 180) -> float:
    """max |Mv| over unit s-sparse v, for two rows: the largest s entries of M'u, over unit u.

    On a grid of directions u, hence too small by at most the factor cos(pi / (2 angles)).
    """
    turn = np.pi * np.arange(angles) / angles
    along = (np.stack([np.cos(turn), np.sin(turn)], axis=1) @ M) ** 2
    top = along if s >= M.shape[1] else np.partition(along, M.shape[1] - s, axis=1)[:, -s:]
    return math.sqrt(float(top.sum(axis=1).max()))


def sparse_constant(m: int, s: int, draws: int, rng: np.random.Generator) -> float:
    """Proposition B.2, second part: the largest sparse norm of 2 x m matrices over sqrt(2) + sqrt(s) log m."""
    scale = math.sqrt(2) + math.sqrt(s) * math.log(m)
    return max(sparse_norm(rng.standard_normal((2, m)), s) for _ in range(draws)) / scale


def _tanh_of_positive(n: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    return (n >= 0) * np.tanh(n)


def _mean_tanh_of_positive() -> float:
    """E[1[n >= 0] tanh(n)], by Gauss-Legendre on the half line."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    z = 6 * (nodes + 1)
    return float(6 * weights @ (np.tanh(z) * np.exp(-(z**2) / 2)) / math.sqrt(2 * math.pi))


# 1[n_i >= 0] h(alpha_i) with |h| <= L = 1: dependent on each other, as the lemma allows, or at their largest; its mean.
Draw = Callable[[np.random.Generator, tuple[int, int]], Float[np.ndarray, "draws m"]]
PRODUCTS: dict[str, tuple[Draw, float]] = {
    "always 1": (lambda rng, shape: np.ones(shape), 1.0),
    "random sign": (lambda rng, shape: rng.choice([-1.0, 1.0], shape), 0.0),
    "alpha = n": (lambda rng, shape: _tanh_of_positive(rng.standard_normal(shape)), _mean_tanh_of_positive()),
}


def indicator_sums(m: int, kind: str, bounds: Sequence[float], draws: int, rng: np.random.Generator) -> list[Tail]:
    """Lemma B.3 (both parts, L = 1): |sum a_1 a_2 1[n >= 0] h|, and |sum a_1^2 1[n >= 0] h - its mean|.

    Each reaches B (sqrt(m) + B) at most 4 exp(-B^2/8) of the time.
    """
    draw, mean = PRODUCTS[kind]
    mixed, squared = [], []
    for a in _normal(draws, 2 * m, rng):
        a1, a2 = a[:, :m], a[:, m:]
        factor = draw(rng, a1.shape)
        mixed.append(np.abs((a1 * a2 * factor).sum(axis=1)))
        squared.append(np.abs((a1**2 * factor).sum(axis=1) - m * mean))
    tails = []
    for name, sums in (("a1 a2", np.concatenate(mixed)), ("a1^2", np.concatenate(squared))):
        for B in bounds:
            hits = int((sums >= B * (math.sqrt(m) + B)).sum())
            bound = min(1.0, 4 * math.exp(-(B**2) / 8))
            tails.append(tail(f"B.3 {name}, {kind}, m={m}, B={B:g}", hits, len(sums), bound))
    return tails


def worst_flips(m: int, delta: float, draws: int, rng: np.random.Generator) -> Float[np.ndarray, " draws"]:
    """Proposition B.4: the most signs of g ~ N(0, I/m) that some |g'| <= delta turns, over m delta^(2/3). Exact."""
    counts = [most_flips(row / math.sqrt(m), delta) for rows in _normal(draws, m, rng) for row in rows]
    return np.array(counts) / (m * delta ** (2 / 3))


def turned_lengths(m: int, delta: float, draws: int, rng: np.random.Generator) -> Float[np.ndarray, " draws"]:
    """Proposition B.4's second half: |D'g| / |g'|, where D' marks the signs of g ~ N(0, I/m) that g' turns.

    For each g the largest of three: of the g' that turns the most signs with |g'| <= delta, of the g' that turns every
    sign, and of a random g' of length delta.
    """
    longest = []
    for rows in _normal(draws, 2 * m, rng):
        for g, other in zip(rows[:, :m] / math.sqrt(m), rows[:, m:], strict=True):
            cheapest = np.argsort(np.abs(g))[: most_flips(g, delta)]
            chosen = np.isin(np.arange(m), cheapest)
            moves = [turning(chosen, g), turning(np.ones(m, dtype=bool), g), delta / np.linalg.norm(other) * other]
            longest.append(max(_turned_share(g, move) for move in moves if move.any()))
    return np.array(longest)


def _turned_share(g: Float[np.ndarray, " m"], move: Float[np.ndarray, " m"]) -> float:
    return float(np.linalg.norm(g[(g >= 0) != (g + move >= 0)]) / np.linalg.norm(move))


# As m grows and delta falls the ratio above goes to (2/sqrt(2 pi))^(2/3) 3^(1/3): turning all |g_j| <= t/sqrt(m) takes
# m p t of them and p t^3 / 3 of the budget delta^2, where p = 2/sqrt(2 pi) is the density of |N(0, 1)| at 0.
FLIP_CONSTANT = (2 / math.sqrt(2 * math.pi)) ** (2 / 3) * 3 ** (1 / 3)


def _normal(draws: int, width: int, rng: np.random.Generator) -> Iterator[Float[np.ndarray, "batch width"]]:
    """Rows of independent N(0, 1), some at a time."""
    batch = max(1, _BATCH // width)
    for first in range(0, draws, batch):
        yield rng.standard_normal((min(batch, draws - first), width))
