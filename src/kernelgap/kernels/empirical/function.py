"""Anyone's function of weights and inputs, written in JAX, as a model whose tangent kernel can be taken."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.errors import InputError, shown
from kernelgap.networks import Params

SAME = 1e-6  # of the largest output: what rounding may change where a row is computed beside others

Batch = Float[Array, "n _"]


@dataclass(frozen=True, eq=False)  # each is a program of its own
class FunctionModel:
    """f(params, x) with the floating-point arrays of ``params`` as its weights, numbered in their order.

    All other leaves (whole numbers, or an activation function, say) are part of the program.
    """

    function: Callable[..., Any]
    tree: Any
    plain: tuple[tuple[int, Any], ...]

    def split(self, params: Params) -> tuple[Params, Params]:
        return params, {}

    def prepare(self, frozen: Params, x: Batch) -> Batch:
        return x

    def predict(self, trained: Params, frozen: Params, prepared: Batch) -> Float[Array, "n k"]:
        numbered = {**dict(self.plain), **{int(name): leaf for name, leaf in trained.items()}}
        params = jax.tree.unflatten(self.tree, [numbered[i] for i in range(len(numbered))])
        out = jnp.asarray(self.function(params, prepared))
        if out.ndim not in (1, 2) or len(out) != len(prepared) or 0 in out.shape:
            what = f"an array of the shape {out.shape} for {len(prepared)}"
            raise InputError(f"The function must give (n,) or (n, outputs) for n rows, and gives {what}.")
        return out[:, None] if out.ndim == 1 else out


def as_model(function: Callable[..., Any], params: Any) -> tuple[FunctionModel, Params]:
    """The model, and its arrays by number."""
    leaves, tree = jax.tree.flatten(params)
    weights, plain = {}, []
    for number, leaf in enumerate(leaves):
        dtype = float if isinstance(leaf, float) else getattr(leaf, "dtype", object)
        if jnp.issubdtype(dtype, jnp.complexfloating):
            raise InputError("params holds complex numbers: the tangent kernel is taken over real weights.")
        if not jnp.issubdtype(dtype, jnp.floating):
            plain.append((number, leaf))
            continue
        weights[str(number)] = np.asarray(leaf).astype(np.float64)
        if not np.isfinite(weights[str(number)]).all():
            raise InputError("The weights in params are not all finite: the kernel needs finite ones.")
    if not weights:
        raise InputError("params holds no array of floating-point numbers: there is no weight to take gradients by.")
    return FunctionModel(function, tree, tuple(plain)), weights


def count_outputs(model: FunctionModel, arrays: Params, X: Float[np.ndarray, "n d"]) -> int:
    """How many outputs the function has for each row, if it has as many for each and treats rows alike."""
    some = X[:2]
    with jax.enable_x64(True):
        try:
            apart, together = (
                np.asarray(model.predict(*model.split(arrays), jnp.asarray(rows)), dtype=float)
                for rows in (some[:1], some)
            )
        except InputError:
            raise
        except (TypeError, ValueError, IndexError, AttributeError, KeyError) as error:
            first = shown(next(iter(str(error).splitlines()), type(error).__name__))
            shape = f"{len(some[:1])} row of {X.shape[1]} columns"
            raise InputError(f"The function cannot be applied as function(params, x) to {shape}: {first}") from error
    if np.abs(together[:1] - apart).max() > SAME * max(1e-300, np.abs(together).max()):
        advice = "batch normalisation must use stored statistics, and nothing may be drawn at random."
        raise InputError(
            f"The output at a row depends on the other rows, so there is no kernel of two inputs: {advice}"
        )
    return apart.shape[1]
