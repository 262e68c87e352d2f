"""Two-layer functions with smooth activations: what F and G are in Concept 1 (sec. 5) and in Concept 2 (app. A)."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from kernelgap.problems.activation import Activation

Activations = tuple[tuple[Activation, ...], ...]  # one for each output r and term i


@dataclass(frozen=True, eq=False)
class SmoothFunction:
    """Concept 1: F_r(x) = sum_i a_ri phi_ri(<w_ri, x>) with a_ri in [-1, 1] and |w_ri| = 1/sqrt(2).

    A size other than 1/sqrt(2) belongs into the activation (footnote 10). Callable on numpy and JAX rows.
    """

    a: Float[np.ndarray, "outputs p"]
    w: Float[np.ndarray, "outputs p d"]
    activations: Activations

    def __call__(self, X: Any) -> Any:
        inner = X @ _flat(self.w).T
        return _summed(self.a, self._applied(inner))

    def _applied(self, inner: Any) -> Any:
        """phi_ri of column (r, i), each activation over all its columns at once."""
        columns: dict[Activation, list[int]] = {}
        for column, activation in enumerate(phi for row in self.activations for phi in row):
            columns.setdefault(activation, []).append(column)
        if len(columns) == 1:
            return next(iter(columns))(inner)
        order = np.argsort(np.concatenate([np.array(c) for c in columns.values()]))
        parts = [activation(inner[:, np.array(c)]) for activation, c in columns.items()]
        return _module(inner).concatenate(parts, axis=1)[:, order]

    @property
    def outputs(self) -> int:
        return self.a.shape[0]

    @property
    def p(self) -> int:
        """Terms in each output."""
        return self.a.shape[1]

    @property
    def inputs(self) -> int:
        return self.w.shape[2]

    @cached_property
    def distinct(self) -> tuple[Activation, ...]:
        """The activations that occur."""
        return tuple(dict.fromkeys(phi for row in self.activations for phi in row))

    def scaled(self, outer: float) -> "SmoothFunction":
        """outer F, the factor in the activations."""
        return SmoothFunction(self.a, self.w, _scaled(self.activations, outer))

    def bound(self, size: float) -> float:
        """|F(x)| is at most this for all |x| <= size: each |phi(z)| <= sum_i |c_i| |z|^i."""
        return _bound(self.a, self.activations, size / math.sqrt(2))

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
        return GeneralFunction(
            np.concatenate([self.a, self.a], axis=1),
            np.concatenate([u, u], axis=1),
            np.concatenate([last, u], axis=1),
            halves,
        )


@dataclass(frozen=True, eq=False)
class GeneralFunction:
    """Definition A.1: F_r(x) = sum_i a_ri phi_ri(<w1_ri, (x,1)> / |(x,1)|) <w2_ri, (x,1)>.

    |a_ri| <= 1, |w1_ri| = |w2_ri| = 1, and phi_ri has orders 0, 1, 3, 5, ... alone. The weights may differ from output
    to output, as in Lemma E.1'. Callable on numpy and JAX rows.
    """

    a: Float[np.ndarray, "outputs p"]
    w1: Float[np.ndarray, "outputs p inputs_and_1"]
    w2: Float[np.ndarray, "outputs p inputs_and_1"]
    activations: Activations

    def __call__(self, X: Any) -> Any:
        xp = _module(X)
        Z = xp.concatenate([X, xp.ones_like(X[:, :1])], axis=1)
        directions = Z / xp.sqrt((Z * Z).sum(axis=1, keepdims=True))
        applied = SmoothFunction(self.a, self.w1, self.activations)._applied(directions @ _flat(self.w1).T)
        return _summed(self.a, applied * (Z @ _flat(self.w2).T))

    @property
    def outputs(self) -> int:
        return self.a.shape[0]

    @property
    def p(self) -> int:
        """Terms in each output."""
        return self.a.shape[1]

    @property
    def inputs(self) -> int:
        return self.w1.shape[2] - 1

    @cached_property
    def distinct(self) -> tuple[Activation, ...]:
        """The activations that occur."""
        return tuple(dict.fromkeys(phi for row in self.activations for phi in row))

    def scaled(self, outer: float) -> "GeneralFunction":
        """outer F, the factor in the activations."""
        return GeneralFunction(self.a, self.w1, self.w2, _scaled(self.activations, outer))

    def bound(self, size: float) -> float:
        """|F(x)| is at most this for all |x| <= size."""
        return math.hypot(size, 1.0) * _bound(self.a, self.activations, 1.0)


Function = SmoothFunction | GeneralFunction


def _flat(w: Float[np.ndarray, "outputs p d"]) -> Float[np.ndarray, "terms d"]:
    return w.reshape(-1, w.shape[2])


def _summed(a: Float[np.ndarray, "outputs p"], values: Any) -> Any:
    """sum_i a_ri values[n, (r, i)]."""
    return (values.reshape(values.shape[0], *a.shape) * a).sum(axis=2)


def _scaled(activations: Activations, outer: float) -> Activations:
    return tuple(tuple(phi.scaled(outer=outer) for phi in row) for row in activations)


def _bound(a: Float[np.ndarray, "outputs p"], activations: Activations, z: float) -> float:
    majorants = {phi: math.exp(phi.log_majorant(z)) for row in activations for phi in row}
    rows = [
        sum(abs(c) * majorants[phi] for c, phi in zip(r, row, strict=True))
        for r, row in zip(a, activations, strict=True)
    ]
    return math.sqrt(sum(float(value) ** 2 for value in rows))


def _module(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np
    import jax.numpy as jnp

    return jnp
