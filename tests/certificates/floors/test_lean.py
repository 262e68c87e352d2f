"""The bound for any kernel as a text in Lean: its statements are read back and evaluated in whole numbers of Python."""

import re

import pytest

from kernelgap import problems
from kernelgap.certificates import any_kernel, any_kernel_by_numbers, lean_text
from kernelgap.certificates.floors.bound import AnyKernelBound
from kernelgap.certificates.floors.family import Family
from kernelgap.errors import InputError

THEOREM = re.compile(r"theorem (\w+)(?: \(m : Nat\) \(few : m < (\d+)\))? :\s(.*?) := by (decide|omega)\n", re.DOTALL)


class Nat(int):
    """A natural number of Lean: differences end at 0."""

    def __add__(self, other):
        return Nat(int(self) + int(other))

    def __mul__(self, other):
        return Nat(int(self) * int(other))

    def __sub__(self, other):
        return Nat(max(0, int(self) - int(other)))


def theorems(text):
    """Each theorem by its name: below which m it holds, if it has an m, and whether it is true of an m."""

    def truth(statement):
        plain = re.sub(r"(\d+)", r"Nat(\1)", " ".join(statement.split())).replace("≤", "<=").replace(" = ", " == ")
        assert re.fullmatch(r"[Nat()0-9m +*<=-]*", plain)
        return lambda m=0: eval(f"({plain})", {"Nat": Nat, "m": Nat(m)})

    assert text.count("theorem ") == len(THEOREM.findall(text))
    assert not re.search("sorry|axiom|native", text)
    return {name: (few and int(few), truth(statement)) for name, few, statement, _ in THEOREM.findall(text)}


def two_sizes():
    """Outputs whose parities have two degrees."""
    family = any_kernel_by_numbers(d=10, degree=3, outputs=3, alpha=0.7, n=1).family
    return AnyKernelBound(Family(10, (3, 3, 2), family.alpha, family.hypotheses), 100, "matrix")


BOUNDS = {
    "sec8": (lambda: any_kernel(problems.get("sec8"), 500), 0.02),
    "a matrix-valued kernel": (lambda: any_kernel(problems.get("sec8"), 500, "matrix", 1, True), 0.02),
    "picked": (lambda: any_kernel(problems.get("slides"), 1000, "scalar", 20, True), 0.1),
    "small": (lambda: any_kernel(problems.get("hard(d=6, k=2, alpha=0.5)"), 3), 1 / 3),
    "all captured": (lambda: any_kernel(problems.get("hard(d=6, k=2, alpha=0.5)"), 40), 0.0),
    "nothing to do": (lambda: any_kernel(problems.get("hard(d=6, k=2, alpha=0.5)"), 0), 0.5),
    "two sizes": (two_sizes, 0.3),
    "long": (lambda: any_kernel_by_numbers(d=2000, degree=60, outputs=7, alpha=1e-3, n=10**30), 1e-6),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_every_statement_is_true(name, rng):
    make, risk = BOUNDS[name]
    bound = make()
    found = theorems(lean_text(bound, risk))
    needed = bound.samples_for(risk)
    assert [each for each in found if each.startswith("family_size")]
    assert {"mean_risk", "samples_suffice"} <= set(found)
    assert ("fewer_do_not" in found) == (needed > 0)
    for each, (few, truth) in found.items():
        if each == "fewer_do_not":
            assert few == needed
            assert all(truth(m) for m in (0, needed // 2, needed - 1, *(int(needed * x) for x in rng.random(20))))
            assert not truth(needed)
        else:
            assert truth(), each


def test_false_numbers_make_false_statements():
    text = lean_text(any_kernel(problems.get("sec8"), 500), 0.02)
    for old, new, name in (
        ("5766215 * 1", "5766214 * 1", "samples_suffice"),
        ("5852925 * (1 *", "5852926 * (1 *", "family_size_8"),
        ("(500 * 1", "(501 * 1", "mean_risk"),
    ):
        assert text.count(old) == 1
        _, truth = theorems(text.replace(old, new))[name]
        assert not truth()


def test_it_is_short_and_says_what_it_is():
    text = lean_text(any_kernel(problems.get("sec8"), 500), 0.02)
    assert len(text.splitlines()) < 100
    assert "Written by kernelgap and not checked by it" in text
    assert "any scalar kernel fixed beforehand, with 500 samples" in text
    assert "matrix kernel" in lean_text(any_kernel(problems.get("sec8"), 500, "matrix"), 0.02)
    with pytest.raises(InputError, match="risk must be"):
        lean_text(any_kernel(problems.get("sec8"), 500), -1.0)
