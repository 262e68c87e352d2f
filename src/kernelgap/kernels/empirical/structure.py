"""Where a network uses its trained weights, and the two factors of its gradients there.

Where W meets h as W h, the gradient of output i with respect to W is an outer product, delta_i h', with delta_i the
gradient with respect to W h. A bias is a weight that meets h = 1. So the tangent kernel is
  K((x,i),(z,j)) = sum over weights, over pairs u, v of its uses, of <delta_ui(x), delta_vj(z)> <h_u(x), h_v(z)>,
a few matrix products. The uses are read off the network's program for one sample, its jaxpr. Before it is used, a
weight may be transposed, gain or lose axes of length 1, and be put side by side with others. A program that does
anything else to a weight, or that uses one both as W and as W', has no structure here. A weight that meets the rows of
a matrix, as a filter meets the patches of an input, is used once for each row.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr, JaxprEqn, Var, primitives
from jaxtyping import Array, Float

from kernelgap.networks import Params
from kernelgap.training import DifferentiableModel

RESHAPES = (primitives.broadcast_in_dim_p, primitives.reshape_p, primitives.squeeze_p)
REARRANGEMENTS = (*RESHAPES, primitives.transpose_p, primitives.concatenate_p)
SUMS = (primitives.add_p, primitives.add_jaxvals_p)


class Part(NamedTuple):
    """Coordinates start to stop of one of the inputs h, or of one of the gradients delta."""

    which: int
    start: int
    stop: int


class Term(NamedTuple):
    """<delta(x), delta(z)> times the sum of <h(x), h(z)> over some inputs."""

    gradients: tuple[Part, Part]
    inputs: tuple[tuple[Part, Part], ...]


class Factors(NamedTuple):
    """The inputs h and the gradients delta of the outputs, at n samples."""

    inputs: tuple[Float[np.ndarray, "n _"], ...]
    gradients: tuple[Float[np.ndarray, "n k _"], ...]

    def at(self, rows: slice) -> "Factors":
        return Factors(tuple(h[rows] for h in self.inputs), tuple(delta[rows] for delta in self.gradients))


@dataclass(frozen=True)
class Structure:
    """The kernel as a sum of terms; ``inputs`` and ``gradients`` are the lengths of the h and of the delta."""

    terms: tuple[Term, ...]
    inputs: tuple[int, ...]
    gradients: tuple[int, ...]

    def full(self, first: Factors, second: Factors, k: int) -> Float[np.ndarray, "nk mk"]:
        """The kernel between all k outputs."""
        n, m = len(first.inputs[0]), len(second.inputs[0])
        total = np.zeros((n, k, m, k))
        for term in self.terms:
            x, z = _parts(first.gradients, second.gradients, term.gradients)
            tile = (x.reshape(n * k, -1) @ z.reshape(m * k, -1).T).reshape(total.shape)
            tile *= _inner(first, second, term)[:, None, :, None]
            total += tile
        return total.reshape(n * k, m * k)

    def mean(self, first: Factors, second: Factors, k: int) -> Float[np.ndarray, "n m"]:
        """Its mean over equal outputs: sum_i <delta_i(x), delta_i(z)> is one inner product."""
        n, m = len(first.inputs[0]), len(second.inputs[0])
        total = np.zeros((n, m))
        for term in self.terms:
            x, z = _parts(first.gradients, second.gradients, term.gradients)
            tile = x.reshape(n, -1) @ z.reshape(m, -1).T
            tile *= _inner(first, second, term)
            total += tile
        return total / k


def find_structure(
    model: DifferentiableModel, trained: Params, frozen: Params, x: Float[Array, "n _"]
) -> Structure | None:
    """The structure of a model at inputs like x; None where it has none."""
    key: Any = model  # models are frozen dataclasses
    leaves, tree = jax.tree.flatten((trained, frozen, x))
    return _find(key, tree, tuple((leaf.shape, leaf.dtype) for leaf in leaves))


@lru_cache(maxsize=64)
def _find(model: DifferentiableModel, tree: Any, shapes: tuple[tuple[tuple[int, ...], Any], ...]) -> Structure | None:
    array: Any = jax.ShapeDtypeStruct
    trained, frozen, x = jax.tree.unflatten(tree, [array(*shape) for shape in shapes])
    walk = _Walk()
    try:
        _, inputs = jax.eval_shape(partial(_evaluate, walk, model), trained, frozen, array(x.shape[1:], x.dtype))
        return Structure(_terms(walk.uses), tuple(h.size for h in inputs), tuple(walk.lengths))
    except _NotUnderstoodError:
        return None


@partial(jax.jit, static_argnums=(0, 1))
def factors(
    model: DifferentiableModel, structure: Structure, trained: Params, frozen: Params, x: Float[Array, "n _"]
) -> tuple[tuple[Float[Array, "n _"], ...], tuple[Float[Array, "n k _"], ...]]:
    """The inputs and gradients at each row. With a tap of 0 added where weights are used, delta = d out / d tap."""

    def of_one(row: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        taps = tuple(jnp.zeros(length, x.dtype) for length in structure.gradients)
        outputs, pull_back, inputs = jax.vjp(
            lambda taps: _evaluate(_Walk(taps), model, trained, frozen, row), taps, has_aux=True
        )
        return inputs, jax.vmap(pull_back)(jnp.eye(len(outputs), dtype=x.dtype))[0]

    return jax.vmap(of_one)(x)


def _parts(first: Sequence[np.ndarray], second: Sequence[np.ndarray], pair: tuple[Part, Part]) -> list[np.ndarray]:
    return [arrays[p.which][..., p.start : p.stop] for arrays, p in zip((first, second), pair, strict=True)]


def _inner(first: Factors, second: Factors, term: Term) -> Float[np.ndarray, "n m"]:
    pairs = [_parts(first.inputs, second.inputs, pair) for pair in term.inputs]
    return np.asarray(sum(x @ z.T for x, z in pairs))


class _NotUnderstoodError(Exception):
    """The program does something else to a weight."""


class _Axis(NamedTuple):
    """Where along an axis of an array a weight lies; ``of`` is the weight's own axis, None where one was inserted."""

    of: int | None
    start: int
    length: int

    def part(self, which: int, after: int = 0) -> Part:
        return Part(which, after + self.start, after + self.start + self.length)


INSERTED = _Axis(None, 0, 1)


class _Block(NamedTuple):
    """A weight within an array."""

    weight: str
    axes: tuple[_Axis, ...]


class _Arranged(NamedTuple):
    """An array of weights that were only moved about, other values perhaps beside them."""

    value: Array
    blocks: tuple[_Block, ...]


class _Use(NamedTuple):
    """A weight that meets inputs; ``axes`` are the weight's own, along the inputs and along the gradient."""

    weight: str
    axes: tuple[int | None, int | None]
    inputs: Part
    gradient: Part


class _Walk:
    """Runs a program, notes where weights meet inputs, and adds a tap to what comes out there."""

    def __init__(self, taps: Sequence[Array] = ()) -> None:
        self._taps = taps
        self.uses: list[_Use] = []
        self.inputs: list[Array] = []
        self.lengths: list[int] = []  # of the gradients

    def run(self, program: Jaxpr, constants: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        values: dict[Any, Any] = dict(zip(program.constvars + program.invars, [*constants, *arguments], strict=True))
        reads = Counter(atom for atom in _atoms(program) if isinstance(atom, Var))
        taps: dict[Any, int] = {}
        for step in program.eqns:
            read = [values[atom] if isinstance(atom, Var) else atom.val for atom in step.invars]
            weights = [i for i, value in enumerate(read) if isinstance(value, _Arranged)]
            if not weights:
                results = _results(program, step, read)
            elif step.primitive is primitives.jit_p:
                results = self.run(step.params["jaxpr"].jaxpr, step.params["jaxpr"].consts, read)
            elif len(weights) == 1 and step.primitive in (primitives.dot_general_p, *SUMS):
                (result,) = _results(program, step, read)
                other = step.invars[1 - weights[0]]
                # h W' + b: to add to h W', where it is read nowhere else, is to add to the sum
                tap = taps.get(other) if isinstance(other, Var) and reads[other] == 1 else None
                result, taps[step.outvars[0]] = self._use(step, read, weights[0], result, tap)
                results = [result]
            elif step.primitive in REARRANGEMENTS:
                (result,) = _results(program, step, read)
                results = [_Arranged(result, _rearranged(step, read, result.shape))]
            else:
                raise _NotUnderstoodError
            values.update(zip(step.outvars, results, strict=True))
        return [values[atom] if isinstance(atom, Var) else atom.val for atom in program.outvars]

    def _use(self, step: JaxprEqn, read: list[Any], side: int, result: Array, tap: int | None) -> tuple[Array, int]:
        """The result with its tap, and which tap that is: a sum can share the one of what it adds to."""
        weight, data = read[side], read[1 - side]
        rows = 1
        if step.primitive is primitives.dot_general_p:
            inputs, places, tap = jnp.ravel(data), _places_in_product(step, weight, data, side), None
            rows = _rows_in_product(step, weight, data, side)
        else:
            inputs, places = jnp.ones(1, result.dtype), _places_in_sum(weight, result)
        if tap is None or self.lengths[tap] != result.size:
            tap = len(self.lengths)
            self.lengths.append(result.size)
            if self._taps:
                result = result + self._taps[tap].reshape(result.shape)
        for row, (block, (along, across)) in product(range(rows), zip(weight.blocks, places, strict=True)):
            of_inputs = along.part(len(self.inputs), after=row * (inputs.size // rows))
            of_gradient = across.part(tap, after=row * (result.size // rows))
            self.uses.append(_Use(block.weight, (along.of, across.of), of_inputs, of_gradient))
        self.inputs.append(inputs)
        return result, tap


def _evaluate(
    walk: _Walk, model: DifferentiableModel, trained: Params, frozen: Params, row: Array
) -> tuple[Array, tuple[Array, ...]]:
    """The outputs at one sample, and the inputs that the weights met on the way."""
    program = jax.make_jaxpr(model.predict)(trained, frozen, row[None])
    weights = [
        _Arranged(jnp.asarray(w), (_Block(name, tuple(_Axis(axis, 0, length) for axis, length in enumerate(w.shape))),))
        for name, w in sorted(trained.items())
    ]
    (outputs,) = walk.run(program.jaxpr, program.consts, [*weights, *jax.tree.leaves(frozen), row[None]])
    if isinstance(outputs, _Arranged):
        raise _NotUnderstoodError
    return outputs[0], tuple(walk.inputs)


def _atoms(program: Jaxpr) -> list[Any]:
    return [atom for step in program.eqns for atom in step.invars] + program.outvars


def _results(program: Any, step: JaxprEqn, read: Sequence[Any]) -> list[Any]:
    """What one step of a program makes of the values that it reads."""
    plain = [value.value if isinstance(value, _Arranged) else value for value in read]
    values = {atom: value for atom, value in zip(step.invars, plain, strict=True) if isinstance(atom, Var)}
    alone = program.replace(constvars=[], invars=[*values], outvars=step.outvars, eqns=[step])
    return jax.core.eval_jaxpr(alone, [], *values.values())


def _rearranged(step: JaxprEqn, read: list[Any], shape: tuple[int, ...]) -> tuple[_Block, ...]:
    """Where weights lie after a step that only moves them."""
    blocks = []
    if step.primitive is primitives.transpose_p:
        for name, axes in read[0].blocks:
            blocks.append(_Block(name, tuple(axes[axis] for axis in step.params["permutation"])))
    elif step.primitive is primitives.concatenate_p:
        dimension, start = step.params["dimension"], 0
        for value in read:
            for name, axes in value.blocks if isinstance(value, _Arranged) else ():
                moved = axes[dimension]._replace(start=axes[dimension].start + start)
                blocks.append(_Block(name, (*axes[:dimension], moved, *axes[dimension + 1 :])))
            start += (value.value if isinstance(value, _Arranged) else value).shape[dimension]
    else:
        before = read[0].value.shape
        turned = step.primitive is primitives.reshape_p and step.params["dimensions"] is not None
        if turned or [n for n in before if n != 1] != [n for n in shape if n != 1]:
            raise _NotUnderstoodError
        for name, axes in read[0].blocks:
            remaining = iter([axis for axis, n in zip(axes, before, strict=True) if n != 1])
            blocks.append(_Block(name, tuple(INSERTED if n == 1 else next(remaining) for n in shape)))
    return tuple(blocks)


def _places_in_product(step: JaxprEqn, weight: _Arranged, data: Array, side: int) -> list[tuple[_Axis, _Axis]]:
    """The axes of each block along the inputs and along the result, of vectors times one matrix."""
    contracted, batch = step.params["dimension_numbers"]
    if weight.value.ndim != 2 or batch[side] or len(contracted[side]) != 1:
        raise _NotUnderstoodError
    (axis,) = contracted[side]
    return [(block.axes[axis], block.axes[1 - axis]) for block in weight.blocks]


def _rows_in_product(step: JaxprEqn, weight: _Arranged, data: Array, side: int) -> int:
    """How many vectors the matrix meets, if they lie one behind the other, and so do their products."""
    contracted, _ = step.params["dimension_numbers"]
    rows = data.size // weight.value.shape[contracted[side][0]]
    if rows > 1 and (side == 0 or data.ndim != 2 or contracted[0] != (1,)):
        raise _NotUnderstoodError
    return rows


def _places_in_sum(weight: _Arranged, result: Array) -> list[tuple[_Axis, _Axis]]:
    """The same of a vector, added to one vector."""
    shape = weight.value.shape
    if shape != result.shape or max(shape, default=0) != result.size:
        raise _NotUnderstoodError
    axis = shape.index(result.size)
    return [(INSERTED, block.axes[axis]) for block in weight.blocks]


def _terms(uses: Sequence[_Use]) -> tuple[Term, ...]:
    """Pairs of uses of the same weight; pairs with the same gradients share a term."""
    terms: dict[tuple[Part, Part], list[tuple[Part, Part]]] = defaultdict(list)
    for u, v in product(uses, uses):
        if u.weight == v.weight:
            if u.axes != v.axes:
                raise _NotUnderstoodError
            terms[u.gradient, v.gradient].append((u.inputs, v.inputs))
    return tuple(Term(gradients, tuple(inputs)) for gradients, inputs in terms.items())
