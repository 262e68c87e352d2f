"""The numbers that follow from a problem and the exact risks of its networks: what is written, and what is verified."""

from collections.abc import Sequence
from fractions import Fraction

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.fixed_point import ParityTarget, Signal, target_of
from kernelgap.certificates.files.claim import BoundClaim, KindClaim, MeanClaim, SignalClaim, TargetClaim
from kernelgap.certificates.floors.bound import KernelKind, any_kernel
from kernelgap.certificates.floors.family import Hypothesis
from kernelgap.networks import Network
from kernelgap.problems import ParityProblem
from kernelgap.problems.inputs import zero


def target_claim(problem: ParityProblem) -> TargetClaim:
    """The target in plain numbers."""
    target, cube = target_of(problem), cube_of(problem)
    assert cube is not None
    background = None if problem.d1 == problem.d else ("zero" if problem.background is zero else "uniform")
    return TargetClaim(
        d=problem.d,
        d1=problem.d1,
        outputs=problem.outputs,
        squared_scale=str(cube.squared_scale),
        background=background,  # type: ignore[arg-type]
        alpha=str(target.alpha),
        beta=str(target.beta),
        base=tuple(map(_signal, target.base)),
        composite=tuple(map(_signal, target.composite)),
    )


def threshold_of(target: ParityTarget) -> Fraction:
    """outputs x alpha^2."""
    return target.outputs * target.alpha**2


def bound_claim(problem: ParityProblem, samples: int, mean: Fraction, upper: Fraction) -> BoundClaim:
    """The bounds for any kernel, and the samples that they ask for."""

    def of_kind(kernel: KernelKind) -> KindClaim:
        bound = any_kernel(problem, samples, kernel)
        return KindClaim(
            functions=bound.functions,
            mean_risk=str(bound.exact_mean_risk),
            samples_for_mean=bound.samples_for_exact(mean),
            samples_for_upper=bound.samples_for_exact(upper),
        )

    size = any_kernel(problem, samples).family_size
    return BoundClaim(family_size=size, scalar=of_kind("scalar"), matrix=of_kind("matrix"))


def mean_of(risks: Sequence[Fraction]) -> Fraction:
    """Of the networks of a certificate."""
    return sum(risks, Fraction(0)) / len(risks)


def mean_claim(mean: Fraction, confidence: Fraction, loss_bound: Fraction, upper: Fraction) -> MeanClaim:
    """The mean of the risks with its limit, as fractions."""
    return MeanClaim(risk=str(mean), confidence=str(confidence), loss_bound=str(loss_bound), upper=str(upper))


def start_hypothesis(network: Network) -> Hypothesis:
    """Whether one target stands for its family: W must start with a law that no renaming of coordinates changes."""
    small, large = (network.weights(d, 2, 3) for d in (5, 6))
    of_inputs = {name for name, weight in large.items() if small[name].shape != weight.shape}
    drawn = [large[name] for name in of_inputs]
    independent = all(w.layer == "first" and w.copies is None and w.start is None and not w.signs for w in drawn)
    symmetric = of_inputs == {"W"} and large["W"].shape[1] == 6 and independent
    text = (
        "One target stands for its family: the entries of W are drawn independently from one distribution, and no "
        "other weight sees the coordinates, so renaming them changes the law neither of the start nor of the inputs."
    )
    if symmetric:
        return Hypothesis(text, checked=True)
    return Hypothesis("One target stands for its family: the law of the start is symmetric in the coordinates.", False)


def _signal(signal: Signal | None) -> SignalClaim | None:
    return None if signal is None else SignalClaim(sign=signal.sign, set=signal.set)  # type: ignore[arg-type]
