"""Two-layer functions with smooth activations: what F and G are in Concept 1 (sec. 5) and in Concept 2 (app. A)."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from jaxtyping import Float

from kernelgap.problems.activation import Activation

Activations = tuple[tuple[Activation, ...], ...]  # one for each output r and term i


class _TwoLayer:
    """sum_i a_ri phi_ri(...) in each output r: what both forms have in common."""

    a: Float[np.ndarray, "outputs p"]
    activations: Activations

    @property
    def outputs(self) -> int:
        return self.a.shape[0]

    @property
    def p(self) -> int:
        """Terms in each output."""
        return self.a.shape[1]

    @cached_property
    def distinct(self) -> tuple[Activation, ...]:
        """The activations that occur."""
        return tuple(dict.fromkeys(phi for row in self.activations for phi in row))

    def scaled(self, outer: float) -> Self:
        """outer F, the factor in the activations."""
        scaled = tuple(tuple(phi.scaled(outer=outer) for phi in row) for row in self.activations)
        return replace(self, activations=scaled)  # type: ignore[type-var]

    def _applied(self, inner: Any) -> Any:
        """phi_ri of column (r, i), each activation over all its columns at once."""
        columns: dict[Activation, list[int]] = {}
        for column, activation in enumerate(phi for row in self.activations for phi in row):
            columns.setdefault(activation, []).append(column)
        if len(columns) == 1:
            return next(iter(columns))(inner)
        order = np.argsort(np.concatenate([np.array(c) for c in columns.values()]))
        parts = [activation(inner[:, np.array(c)]) for activation, c in columns.items()]
        return inner.__array_namespace__().concatenate(parts, axis=1)[:, order]

    def _summed(self, values: Any) -> Any:
        """sum_i a_ri values[n, (r, i)]."""
        return (values.reshape(values.shape[0], *self.a.shape) * self.a).sum(axis=2)

    def _bound(self, z: float) -> float:
        """A bound on |sum_i a_ri phi_ri(u_ri)| for all |u_ri| <= z: each |phi(u)| <= sum_i |c_i| |u|^i."""
        majorants = {phi: math.exp(phi.log_majorant(z)) for phi in self.distinct}
        rows = zip(self.a, self.activations, strict=True)
        sums = (sum(abs(c) * majorants[phi] for c, phi in zip(r, row, strict=True)) for r, row in rows)
        return math.sqrt(sum(float(value) ** 2 for value in sums))


@dataclass(frozen=True, eq=False)
class SmoothFunction(_TwoLayer):
    """Concept 1: F_r(x) = sum_i a_ri phi_ri(<w_ri, x>) with a_ri in [-1, 1] and |w_ri| = 1/sqrt(2).

    A size other than 1/sqrt(2) belongs into the activation (footnote 10). Callable on numpy and JAX rows.
    """

    a: Float[np.ndarray, "outputs p"]
    w: Float[np.ndarray, "outputs p d"]
    activations: Activations

    def __call__(self, X: Any) -> Any:
        return self._summed(self._applied(X @ _flat(self.w).T))

    @property
    def inputs(self) -> int:
        return self.w.shape[2]

    def bound(self, size: float) -> float:
        """|F(x)| is at most this for all |x| <= size."""
        return self._bound(size / math.sqrt(2))

    def general(self) -> "GeneralFunction":
        """Lemma A.2: the same function on unit vectors, as one of Concept 2 with 2p terms.

        With phi(z) = phi+(z) + z phi-(z) and u = (sqrt(2) w, 0), which has norm 1, on |x| = 1, where |(x,1)| = sqrt(2):
        <w, x> = <u, (x,1)> / sqrt(2) = <u, (x,1)> / |(x,1)|, so that
        phi(<w, x>) = phi+(<u,(x,1)>/|(x,1)|) <(0,1), (x,1)> + phi-(<u,(x,1)>/|(x,1)|) / sqrt(2) <u, (x,1)>.
        """
        k, p, d = self.w.shape
        u = np.concatenate([math.sqrt(2) * self.w, np.zeros((k, p, 1))], axis=2)
        last = np.zeros((k, p, d + 1))
        last[:, :, d] = 1.0
        halves = tuple(
            (*(phi.plus for phi in row), *(phi.minus.scaled(outer=1 / math.sqrt(2)) for phi in row))
            for row in self.activations
        )
        a, w1, w2 = (np.concatenate(two, axis=1) for two in ((self.a, self.a), (u, u), (last, u)))
        return GeneralFunction(a, w1, w2, halves)


@dataclass(frozen=True, eq=False)
class GeneralFunction(_TwoLayer):
    """Definition A.1: F_r(x) = sum_i a_ri phi_ri(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)>.

    |a_ri| <= 1, |w1_ri| = |w2_ri| = 1, and phi_ri has orders 0, 1, 3, 5, ... alone. The weights may differ from output
    to output, as in Lemma E.1'. Callable on numpy and JAX rows.
    """

    a: Float[np.ndarray, "outputs p"]
    w1: Float[np.ndarray, "outputs p inputs_and_1"]
    w2: Float[np.ndarray, "outputs p inputs_and_1"]
    activations: Activations

    def __call__(self, X: Any) -> Any:
        xp = X.__array_namespace__()
        Z = xp.concatenate([X, xp.ones_like(X[:, :1])], axis=1)
        directions = Z / xp.sqrt((Z * Z).sum(axis=1, keepdims=True))
        return self._summed(self._applied(directions @ _flat(self.w1).T) * (Z @ _flat(self.w2).T))

    @property
    def inputs(self) -> int:
        return self.w1.shape[2] - 1

    def bound(self, size: float) -> float:
        """|F(x)| is at most this for all |x| <= size."""
        return math.hypot(size, 1.0) * self._bound(1.0)


Function = SmoothFunction | GeneralFunction


def _flat(w: Float[np.ndarray, "outputs p d"]) -> Float[np.ndarray, "terms d"]:
    return w.reshape(-1, w.shape[2])
