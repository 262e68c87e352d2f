"""The leap of a target: how many new coordinates its hardest step needs when parities are learned one after another.

SGD learns the parities of a target in an order in which each builds on coordinates that are known already (Abbe,
Boix-Adsera and Misiakiewicz, "SGD learning on neural networks: leap complexity and saddle-to-saddle dynamics", 2023).
With index sets S_1, S_2, ... in the best order, the leap is

    min over orders  max over i  |S_i without (S_1 + ... + S_(i-1))|.

Online SGD is expected to need about d^max(leap, 2) samples (a conjecture of that paper, proved there in part); a kernel
of <x,z> needs d^degree. Outputs are pooled: they share the features of one network.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kernelgap.problems.fourier import IndexSet


@dataclass(frozen=True)
class Staircase:
    """An order in which the parities of a target can be learned, which shows what its leap is.

    Attributes
    ----------
    steps
        The index sets in this order.
    new
        For each step the coordinates that no earlier step has.
    """

    steps: tuple[IndexSet, ...]
    new: tuple[IndexSet, ...]

    @property
    def leap(self) -> int:
        """The most new coordinates of a step; 0 for a constant target."""
        return max((len(each) for each in self.new), default=0)

    @property
    def degree(self) -> int:
        """The greatest degree: a kernel of <x,z> needs about d^degree samples."""
        return max((len(each) for each in self.steps), default=0)

    @property
    def sgd_exponent(self) -> int:
        """The exponent of d in the samples that online SGD is expected to need, max(leap, 2)."""
        return max(self.leap, 2)


def staircase_of(index_sets: Iterable[IndexSet]) -> Staircase:
    """The order that takes, at each step, a set with the fewest new coordinates.

    No other order has a smaller leap. Let l be the leap of some order. While sets are left, the first of these in that
    order has at most l coordinates outside of the sets before it, which are all known: so the greedy step needs at most
    l too.
    """
    left = sorted(set(index_sets), key=lambda s: (len(s), s))
    known: set[int] = set()
    steps, new = [], []
    while left:
        best = min(left, key=lambda s: len(set(s) - known))
        left.remove(best)
        steps.append(best)
        new.append(tuple(sorted(set(best) - known)))
        known |= set(best)
    return Staircase(tuple(steps), tuple(new))
