"""An audit's cells in the order in which they matter: the largest samples, the best network's own kernels, curves."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from kernelgap.audit.cell import Cell
from kernelgap.audit.contenders.registry import FAMILIES, family, twins
from kernelgap.audit.cost import seconds
from kernelgap.audit.ledger import Kept
from kernelgap.audit.material import FILE, Material
from kernelgap.audit.plan import Plan


class Stages:
    """All cells of a plan on some material."""

    def __init__(self, folder: Path, material: Material, plan: Plan) -> None:
        self._path, self._material, self._plan = (folder / FILE).absolute(), material, plan

    def largest(self) -> list[Cell]:
        """Everybody with the most samples: what the verdict stands on."""
        return self._cells(FAMILIES, self._plan.sizes[-1:])

    def twins(self, network: str) -> list[Cell]:
        """The best network's own kernels, with the most samples."""
        return self._cells(twins(network), self._plan.sizes[-1:])

    def curves(self, network: str) -> list[Cell]:
        """Everybody with fewer samples, the most first."""
        names = (*FAMILIES, *twins(network))
        return [cell for n in reversed(self._plan.sizes[:-1]) for cell in self._cells(names, (n,))]

    def _cells(self, names: Iterable[str], sizes: tuple[int, ...]) -> list[Cell]:
        """A seed after the other, in each the longest first."""
        cells = [self._cell(name, n, seed) for name in names for n in sizes for seed in range(self._plan.seeds)]
        return sorted(cells, key=lambda cell: (cell.seed, -cell.cost))

    def _cell(self, name: str, samples: int, seed: int) -> Cell:
        effort = self._plan.effort(samples)
        return Cell(
            material=self._path,
            digest=self._material.digest,
            contender=name,
            samples=samples,
            seed=seed,
            effort=effort,
            keep_model=samples == self._plan.sizes[-1] and seed == 0,
            cost=seconds(name, samples, self._material.X.shape[1], self._material.Y.shape[1], effort),
        )


def best_network(kept: Iterable[Kept], samples: int) -> str | None:
    """The network with the least mean validation error with so many samples; None if none is finished."""
    errors: dict[str, list[float]] = {}
    for one in kept:
        if one.samples == samples and family(one.contender) == "network":
            errors.setdefault(one.contender, []).append(one.outcome.validation_error)
    return min(errors, key=lambda name: float(np.mean(errors[name])), default=None)
