"""The arithmetic of the bound for any kernel as a text in Lean 4: generated here, checked by whoever runs Lean."""

from fractions import Fraction
from textwrap import fill

from kernelgap.certificates.floors.bound import AnyKernelBound
from kernelgap.certificates.floors.family import exact_number

WIDTH = 100  # of a line, as Lean's own style has it

HEADER = """/-
The bound for any {kind} kernel fixed beforehand, with {n} samples: its arithmetic, in natural numbers.

Written by kernelgap and not checked by it. It needs Lean 4 alone, no Mathlib: lean FILE says nothing if all is proved.
In these numbers a - b is 0 where b exceeds a. Of {outputs} outputs, all with
alpha = {alpha}, {families}.
{n} samples give {functions} functions. F functions leave of an output at least alpha^2 (1 - F/C), on average over the
family; why, is said in kernelgap's docs/certificates.md and is not proved here.
-/
"""


def lean_text(bound: AnyKernelBound, risk: float) -> str:
    """The numbers of a bound as theorems that Lean 4 proves by computing.

    The theorems state the size of the family, the mean risk with ``bound.n`` samples, and that
    ``bound.samples_for(risk)`` is the least number of samples with which the bound allows this mean risk. Fractions are
    multiplied out. That the bound itself holds is not part of the text.

    Parameters
    ----------
    bound
        From ``any_kernel``.
    risk
        A mean risk.

    Returns
    -------
    str
        The text of a file, which is not checked here.

    Examples
    --------
    >>> from kernelgap import certificates, problems
    >>> text = certificates.lean_text(certificates.any_kernel(problems.get("sec8"), n=500), risk=0.02)
    >>> print(text[text.index("theorem samples_suffice") :].partition("/--")[0].strip())
    theorem samples_suffice :
        50 * (9 * (15 * (5852925 - (5766215 * 1 + 0)))) ≤ 1 * (100 * 5852925) := by decide
    """
    family, goal = bound.family, exact_number("risk", risk, "a finite number", lambda value: 0 <= value < float("inf"))
    mean, needed = bound.exact_mean_risk, bound.samples_for_exact(goal)
    sizes = [size for size, _ in family.counted]
    square = family.alpha**2
    whole = f"({' * '.join(map(str, (square.denominator, *sizes)))})"

    def left(samples: int | str) -> str:
        """What the functions of so many samples leave, in units of 1 / ``whole``."""
        functions = f"({samples} * {bound.functions_each} + {int(bound.intercept)})"
        parts = [
            " * ".join([str(count), f"({size} - {functions})", *(str(other) for other in sizes if other != size)])
            for size, count in family.counted
        ]
        return f"({square.numerator} * ({' + '.join(parts)}))"

    def product(factors: range) -> str:
        return " * ".join(map(str, factors)) or "1"

    theorems = [
        _theorem(
            f"family_size_{degree}",
            f"There are {size} parities of {degree} of {family.d1} coordinates.",
            f"{size} * ({product(range(1, few + 1))}) = {product(range(family.d1 - few + 1, family.d1 + 1))}",
        )
        for degree, size in sorted(set(zip(family.degrees, family.sizes, strict=True)))
        for few in (min(degree, family.d1 - degree),)
    ]
    theorems += [
        _theorem(
            "mean_risk",
            f"With {bound.n} samples the mean risk over the family is at least {mean}.",
            f"{mean.numerator} * {whole} = {mean.denominator} * {left(bound.n)}",
        ),
        _theorem(
            "samples_suffice",
            f"With {needed} samples the bound allows a mean risk of {goal}.",
            f"{goal.denominator} * {left(needed)} ≤ {goal.numerator} * {whole}",
        ),
    ]
    if needed:
        fewer = f"{goal.numerator} * {whole} < {goal.denominator} * {left('m')}"
        theorems += [_theorem("fewer_do_not", "With fewer it does not.", fewer, f"(m : Nat) (few : m < {needed})")]
    return f"{_header(bound)}\nnamespace AnyKernel\n\n{''.join(theorems)}end AnyKernel\n"


def _header(bound: AnyKernelBound) -> str:
    family = bound.family
    parts = [f"{count} can be any of C = {size} parities" for size, count in family.counted]
    alpha: Fraction = family.alpha
    numbers = {"n": bound.n, "outputs": family.outputs, "alpha": alpha, "families": ", ".join(parts)}
    return HEADER.format(kind=bound.kernel, functions=bound.functions, **numbers)


def _theorem(name: str, what: str, statement: str, given: str = "") -> str:
    """A theorem whose proof is a computation: closed ones are decided, one about every m is linear."""
    opening = f"theorem {name}{' ' * bool(given)}{given} :"
    indented = {"width": WIDTH, "break_long_words": False, "break_on_hyphens": False}
    proof = "omega" if given else "decide"
    lines = fill(f"{statement} := by {proof}", initial_indent="    ", subsequent_indent="      ", **indented)  # type: ignore[arg-type]
    return f"/-- {what} -/\n{opening}\n{lines}\n\n"
