"""The oracle risk of a kernel of <x,z> on the cube in float64, for any d, with what rounding can do to it.

With the kernel's eigenvalues l_S, G_nm = sum_S l_S^2 chi_S(x_n) chi_S(x_m) and b_n = sum_S l_S H_S chi_S(x_n). G is a
function of the number of coordinates in which x_n and x_m differ; its values come from ball arithmetic, rounded once.
The parities of low degree are kept apart. Where G is still singular to rounding, no direction may simply be dropped: a
target might lie in it. Then something is given away: all parities up to some degree join the span. A larger span
captures more, so that this errs on the safe side.
"""

from itertools import combinations
from math import comb

import numpy as np
from flint import arb
from jaxtyping import Float, Int
from scipy.linalg import eigh, qr

from kernelgap.certificates.floors.span import EPS, Bracket, Low, Span
from kernelgap.certificates.floors.targets import OneTarget, Targets
from kernelgap.certificates.floors.triangular import TriangularSpan, triangular_factor
from kernelgap.kernels.cube.balls import precision
from kernelgap.kernels.cube.spectrum import CubeSpectrum, krawtchouk_rows
from kernelgap.kernels.kernel import check_overflow

SETTLED = 1e-6  # width, relative to |H|^2, of a bracket that needs nothing given away


def bracket(spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], targets: Targets | OneTarget) -> Bracket:
    """The oracle risk of every target, from inputs that are points of the cube."""
    given, signs = signs, independent(spectrum, signs)
    wide = SETTLED * float(targets.energies(-1).sum())
    apart = most_apart(spectrum, len(signs))
    brackets = []
    for degree in sorted({-1, apart, apart + 1}, key=lambda k: abs(k - apart)):
        if count_up_to(spectrum.d, degree) <= 2 * len(signs):
            fast = triangular_span(spectrum, signs, apart=degree)
            if fast is not None:
                low, high = fast.risks(targets)
                if np.max(high - low) <= wide:
                    return Bracket(np.maximum(low, 0.0), high)
            span = spectral_span(spectrum, signs, apart=degree)
            low, high = span.risks(targets)
            if not span.lost and np.max(high - low) <= wide:
                return Bracket(np.maximum(low, 0.0), high)
            brackets.append((np.zeros_like(low) if span.lost else np.maximum(low, 0.0), high))
    low, high = np.max([low for low, _ in brackets], axis=0), np.min([high for _, high in brackets], axis=0)
    given_away = "the whole target"
    for degree in range(spectrum.d):
        less = _without(spectrum, given, degree, targets)
        if less is not None and np.max(less - low) > 0:
            low, given_away = np.maximum(low, less), f"every parity up to degree {degree}"
        if count_up_to(spectrum.d, degree) > 2 * len(signs):
            break  # what would be given away from here on was not captured
    note = f"Rounding hides part of what these {len(signs)} functions can do, so {given_away} was given away."
    return Bracket(low, np.maximum(low, high), note, given_away=True)


def _without(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], degree: int, targets: Targets | OneTarget
) -> Float[np.ndarray, " targets"] | None:
    """A floor under each risk: all parities up to a degree given away. None where rounding hides more than that."""
    signs = independent(spectrum, signs, above=degree)
    if not len(signs):  # the kernel has no higher degrees
        return np.full(len(targets), targets.energies(degree).sum() * (1 - 8 * EPS))
    fast = triangular_span(spectrum, signs, given_away=degree)
    if fast is not None:
        return fast.risks(targets)[0]
    span = spectral_span(spectrum, signs, given_away=degree)
    return None if span.lost else span.risks(targets)[0]


def spectral_span(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], *, apart: int = -1, given_away: int = -1
) -> Span:
    """The span of the functions K(., x_n), its parities up to one degree kept apart, or given away."""

    def parities(sets: Int[np.ndarray, "sets size"]) -> Float[np.ndarray, "n sets"]:
        return _weighted(spectrum, signs, sets)

    above = max(apart, given_away)
    gram = gram_above(spectrum, signs, above)
    check_overflow(gram, spectrum.kernel.spec)
    sigma, vectors = eigh(gram, driver="evd")
    rows = float(np.abs(gram).sum(axis=1).max())
    low = None
    if apart >= 0:
        names = [s for k in range(apart + 1) for s in combinations(range(spectrum.d), k)]
        low = Low({name: i for i, name in enumerate(names)}, parities_up_to(spectrum, signs, apart))
    # rounding of the entries, and of the factorisation: LAPACK's bound, its modest constant taken as sqrt(n)
    noise = EPS * (rows + len(gram) ** 0.5 * float(np.abs(sigma).max()))
    size = float(np.max(spectrum.eigenvalues**2)) + float(gram[0, 0])
    change = _left_out(spectrum, len(signs), above)
    return Span(parities, sigma, vectors, noise=noise + change**2, size=size, above=above, low=low, change=change)


def triangular_span(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], *, apart: int = -1, given_away: int = -1
) -> TriangularSpan | None:
    """The same span in triangular form, where no direction of it comes near to rounding; else None."""
    gram = gram_above(spectrum, signs, max(apart, given_away))
    check_overflow(gram, spectrum.kernel.spec)
    change = _left_out(spectrum, len(signs), max(apart, given_away))
    factored = triangular_factor(gram, parities_up_to(spectrum, signs, apart), change)
    if factored is None:
        return None
    return TriangularSpan(spectrum, signs, factored[0], noise=factored[1], change=change, given_away=given_away)


def _left_out(spectrum: CubeSpectrum, samples: int, above: int) -> float:
    """How far the functions can be off, together, because eigenvalues that may be 0 are left out of them."""
    unknown = [degree for degree in range(above + 1, spectrum.d + 1) if degree not in spectrum.positive]
    with precision(spectrum.bits):
        squares = (spectrum.balls[k].abs_upper() ** 2 * spectrum.multiplicities[k] for k in unknown)
        return float((sum(squares, start=arb(0)) * samples).sqrt().upper())


def gram_above(spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], above: int) -> Float[np.ndarray, "n n"]:
    """sum_{|S| > above} l_S^2 chi_S(x_n) chi_S(x_m), over the eigenvalues that are certainly not 0."""
    values = np.array([float(total.mid()) for total in _profile_above(spectrum, above)])
    return values[((spectrum.d - signs @ signs.T) / 2).astype(int)]


def uncertainty_above(spectrum: CubeSpectrum, above: int) -> float:
    """How far any entry of ``gram_above`` can be off, before rounding: the largest radius of the balls."""
    return float(np.nextafter(max(float(total.rad()) for total in _profile_above(spectrum, above)), np.inf))


def _profile_above(spectrum: CubeSpectrum, above: int) -> list[arb]:
    with precision(spectrum.bits):
        sums = [arb(0)] * (spectrum.d + 1)
        for degree, (ball, row) in enumerate(zip(spectrum.balls, krawtchouk_rows(spectrum.d), strict=True)):
            if degree > above and degree in spectrum.positive:
                square = ball * ball
                sums = [total + square * value for total, value in zip(sums, row, strict=True)]
        return sums


def parities_up_to(spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], degree: int) -> Float[np.ndarray, "n sets"]:
    """l_S chi_S(x_n) for all S of at most this degree, by degree and then in the order of ``combinations``."""
    groups = [np.empty((len(signs), 0))]
    for k in range(degree + 1):
        sets = np.array(list(combinations(range(spectrum.d), k)), dtype=int).reshape(comb(spectrum.d, k), k)
        groups.append(_weighted(spectrum, signs, sets))
    return np.concatenate(groups, axis=1)


def _weighted(
    spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], sets: Int[np.ndarray, "sets size"]
) -> Float[np.ndarray, "n sets"]:
    """l_S chi_S(x_n)."""
    product = np.full((len(signs), len(sets)), spectrum.eigenvalues[sets.shape[1]])
    for column in sets.T:
        product *= signs[:, column]
    return product


def most_apart(spectrum: CubeSpectrum, n: int) -> int:
    """The largest degree up to which there are no more parities than samples."""
    return max(k for k in range(-1, spectrum.d) if count_up_to(spectrum.d, k) <= n)


def count_up_to(d: int, degree: int) -> int:
    return sum(comb(d, k) for k in range(degree + 1))


def distinct(spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], above: int = -1) -> Float[np.ndarray, "m d"]:
    """Inputs without repetitions; x and -x are one where all degrees in play are even, or all odd."""
    if len({k % 2 for k in spectrum.positive if k > above}) < 2:
        in_play = {k % 2 for k in range(above + 1, spectrum.d + 1) if k not in spectrum.vanishing}
        if len(in_play) == 1:
            signs = signs * signs[:, :1]
    return np.unique(signs, axis=0)


def independent(spectrum: CubeSpectrum, signs: Float[np.ndarray, "n d"], above: int = -1) -> Float[np.ndarray, "m d"]:
    """Different inputs whose functions, above a degree, span what all span, where few degrees leave no room for all.

    Should these turn out to be dependent, they may span less: ``Span.lost`` tells.
    """
    signs = distinct(spectrum, signs, above)
    counts = spectrum.multiplicities
    if len(signs) <= sum(counts[k] for k in spectrum.positive if k > above):
        return signs
    rank = sum(counts[k] for k in range(above + 1, spectrum.d + 1) if k not in spectrum.vanishing)
    if len(signs) <= rank:
        return signs
    _, order = qr(gram_above(spectrum, signs, above), pivoting=True, mode="r")
    return signs[np.sort(order[:rank])]
