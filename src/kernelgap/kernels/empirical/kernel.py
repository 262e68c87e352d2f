"""Kernels of a finite network, or of any function, at its weights: inner products of the outputs' gradients.

The full kernel couples the outputs: entry ((x,i),(z,j)) is <d out_i(x) / d weights, d out_j(z) / d weights>. Its mean
over equal outputs i = j is the kernel that is used for every output alike. In the ResNet with U = VA the second layer
sees x only through the k coordinates of out1 = A s(Wx + b1): where out1 stays of order 1, its kernel stays random
however wide the network is. (At section 8.1's start out1 vanishes like m^-1/2, and the kernel settles.)

Gradients are kept as outer products where the network's structure allows it; else each is moved through the network.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_part
from kernelgap.kernels.empirical.function import FunctionModel, as_model, count_outputs
from kernelgap.kernels.empirical.structure import Factors, Structure, factors, find_structure
from kernelgap.kernels.kernel import Gram, Kernel, check_overflow, check_two, require_gram
from kernelgap.kernels.pairs import Others, Rows
from kernelgap.machine import require_memory
from kernelgap.networks import Network, Params, check_normalised
from kernelgap.rows import check_rows
from kernelgap.training import DifferentiableModel, get_model

TILE_BYTES = 2**27  # of gradients, of the activations that they move, and of the kernel that they give
DIAGONAL_ROWS = 32  # a call for each row would cost more than the entries beside the diagonal

Tile = tuple[slice, slice, Float[np.ndarray, "n m"]]  # rows, columns, and the kernel there


class TangentKernel(Kernel):
    """Inner products of the outputs' gradients, at weights that stay as they are.

    Calling it gives the mean over outputs, (n, m); ``full`` gives the kernel between all outputs, (n k, m k).
    """

    @abstractmethod
    def _outputs_for(self, X: Rows) -> int:
        """The number of outputs; inputs that the weights do not fit are refused."""

    @abstractmethod
    def _at(self) -> "TangentAt":
        """The linear map; called within ``jax.enable_x64``."""

    def _gram(self, X: Rows, Z: Others) -> Gram:
        return self._filled(X, Z, mean=True)

    def full(self, X: object, Z: object = None) -> Float[np.ndarray, "nk mk"]:
        """The kernel between all outputs, sample by sample: row n k + i is output i at sample n."""
        first, second = check_two(X, Z)
        with np.errstate(all="ignore"):
            gram = self._filled(first, second, mean=False)
            check_overflow(gram, self.spec)
        return gram

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        """K(x, x) for each row, of a few rows at once."""
        blocks = [X[block] for block in _blocks(len(X), DIAGONAL_ROWS)]
        return np.concatenate([np.empty(0), *(np.diag(self._gram(block, block)) for block in blocks)])

    def _filled(self, X: Rows, Z: Others, mean: bool) -> Float[np.ndarray, "nk mk"]:
        k = 1 if mean else self._outputs_for(X)
        require_gram(len(X) * k, len(Z) * k)
        gram = np.zeros((len(X) * k, len(Z) * k))
        for rows, columns, tile in self._tiles(X, Z, mean):
            place = (slice(k * rows.start, k * rows.stop), slice(k * columns.start, k * columns.stop))
            gram[place] = tile if Z is not X or rows != columns else (tile + tile.T) / 2
            if Z is X and rows != columns:
                gram[place[::-1]] = tile.T
        return gram

    def _tiles(self, X: Rows, Z: Others, mean: bool) -> Iterator[Tile]:
        """Tiles of bounded size; of a symmetric kernel only those on and above the diagonal."""
        k = self._outputs_for(X)
        with jax.enable_x64(True):
            at = self._at()
            structure = at.structure(X[:1])
        if structure is None:
            return self._moved_tiles(at, X, Z, k, mean)
        return self._structured_tiles(at, structure, X, Z, k, mean) if structure.terms else iter(())  # else it is 0

    def _structured_tiles(
        self, at: "TangentAt", structure: Structure, X: Rows, Z: Others, k: int, mean: bool
    ) -> Iterator[Tile]:
        sample = 8 * (k * sum(structure.gradients) + sum(structure.inputs))
        require_memory(3 * sample, "The gradients of one sample", "Take a narrower network.")
        rows, columns = (max(1, min(n, TILE_BYTES // sample)) for n in (len(X), len(Z)))
        side = max(1, isqrt(TILE_BYTES // (8 if mean else 8 * k * k)))
        kernel = structure.mean if mean else structure.full
        for right in _blocks(len(Z), columns):
            second = at.factors(structure, _padded(Z[right], columns))
            for left in _blocks(right.stop if Z is X else len(X), rows):
                same = Z is X and left == right
                first = second if same else at.factors(structure, _padded(X[left], rows))
                for j in _blocks(right.stop - right.start, side):
                    for i in _blocks(j.stop if same else left.stop - left.start, side):
                        tile = kernel(first.at(i), second.at(j), k)
                        yield _shifted(i, left.start), _shifted(j, right.start), tile

    def _moved_tiles(self, at: "TangentAt", X: Rows, Z: Others, k: int, mean: bool) -> Iterator[Tile]:
        gradient = 8 * k * sum(int(w.size) for w in at.trained.values())
        require_memory(3 * gradient, "The gradients of one sample", "Take a narrower network.")
        width = sum(max(w.shape, default=1) for w in at.trained.values())
        columns = max(1, min(len(Z), TILE_BYTES // gradient))
        rows = max(1, min(len(X), TILE_BYTES // (8 * width * columns * k)))
        if Z is X:
            rows = columns = min(rows, columns)
        for j in _blocks(len(Z), columns):
            with jax.enable_x64(True):
                gradients = at.gradients(_padded(Z[j], columns))
            for i in _blocks(j.stop if Z is X else len(X), rows):
                with jax.enable_x64(True):
                    moved = np.asarray(at.moved(_padded(X[i], rows), gradients))
                n, m = i.stop - i.start, j.stop - j.start
                tile = moved[:m, :, :n].transpose(2, 3, 0, 1)
                yield i, j, np.einsum("nimi->nm", tile) / k if mean else tile.reshape(n * k, m * k)


@dataclass(frozen=True, repr=False, eq=False)
class Empirical(TangentKernel):
    """The tangent kernel of ``network`` at ``params``, over the weights that ``train`` names: all, hidden or last.

    Calling it gives the mean over outputs, (n, m); ``full`` gives the kernel between all outputs, (n k, m k). "last" is
    the conjugate kernel of the features at ``params``, no weights of theirs moving.
    """

    network: Network
    params: Params
    train: str = "all"

    def __post_init__(self) -> None:
        check_part(self.train)
        if not isinstance(self.network, Network):
            kind = type(self.network).__name__
            raise InputError(f"network must be a Network, such as networks.get('2layer'), not of the type {kind}.")
        check_normalised(self.network)
        names = sorted(self.network.layers)
        if not isinstance(self.params, Mapping) or sorted(self.params) != names:
            raise InputError(f"params must be the weights of {self.network.name} by name: {', '.join(names)}.")
        if not all(np.isfinite(weight).all() for weight in self.params.values()):
            raise InputError(f"The weights of {self.network.name} are not all finite: the kernel needs finite ones.")

    @property
    def outputs(self) -> int:
        return int(self.params["A"].shape[0])

    def _outputs_for(self, X: Rows) -> int:
        d = X.shape[1]
        table = self.network.weights(d, *self.params["A"].shape)
        for name, weight in self.params.items():
            if weight.shape != table[name].shape:
                raise InputError(
                    f"The inputs have {d} columns, for which {self.network.name} would need a {name} of the shape "
                    f"{table[name].shape}, not {weight.shape}: give it inputs like those that it was made for."
                )
        return self.outputs

    def _at(self) -> "TangentAt":
        return TangentAt(self.network, self.params, self.train)

    @property
    def spec(self) -> str:
        return f"empirical({self.network.name}, width={self.params['A'].shape[1]}, train={self.train!r})"


@dataclass(frozen=True, repr=False, eq=False)
class FunctionEmpirical(TangentKernel):
    """The tangent kernel of f(params, x) at ``params``."""

    model: FunctionModel
    arrays: Params

    def _outputs_for(self, X: Rows) -> int:
        return count_outputs(self.model, self.arrays, X)

    def _at(self) -> "TangentAt":
        return TangentAt(self.model, self.arrays)

    @property
    def spec(self) -> str:
        return f"empirical({getattr(self.model.function, '__name__', type(self.model.function).__name__)})"


def empirical(network: Network | Callable[..., Any], params: Any, train: str = "all") -> Empirical | FunctionEmpirical:
    """The tangent kernel of a network, or of any function, at its weights.

    Parameters
    ----------
    network
        A network of kernelgap, or a pure function f(params, x) written in JAX that takes inputs (n, d) and gives
        outputs (n, k) or (n,), such as the ``apply`` of a Flax module. Each row of its outputs must depend on that row
        of the inputs alone.
    params
        The weights, at random or after training: those of a network by name; for a function whatever it takes, a tree
        whose floating-point arrays are the weights.
    train
        For a network, over which weights: "all", "hidden", or "last" (the conjugate kernel of the features at
        ``params``). For a function always "all".

    Returns
    -------
    Kernel
        A call gives the mean over outputs; its ``full`` the kernel between all outputs. Both are computed in float64
        and in tiles of bounded memory. The gradients of fully connected layers are kept as outer products, and all
        others are moved through the function (Jacobian-vector products), one side at a time.

    Raises
    ------
    InputError
        If the weights are not finite or do not fit; if outputs at one row depend on other rows.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> import numpy as np
    >>> kernel = empirical(lambda w, x: jnp.tanh(x @ w), np.array([0.0, 0.0]))
    >>> kernel(np.array([[1.0, 2.0], [3.0, -1.0]]))
    array([[ 5.,  1.],
           [ 1., 10.]])
    """
    if isinstance(network, Network) or not callable(network):
        return Empirical(network, params, train)
    if train != "all":
        raise InputError(f"Of a function all weights are taken (train='all', not {train!r}): close over the others.")
    return FunctionEmpirical(*as_model(network, params))


def conjugate_features(network: Network, params: Params, X: object) -> Float[np.ndarray, "n m"]:
    """The network's last hidden layer, in float64."""
    with jax.enable_x64(True):
        return np.asarray(network.features(_double(params), jnp.asarray(check_rows(X))))


class TangentAt:
    """The linear map from changes of the trained weights to changes of the outputs, at given weights, in float64.

    To be used within ``jax.enable_x64``.
    """

    def __init__(self, network: Network | DifferentiableModel, params: Params, train: str = "all") -> None:
        self._model = get_model(network, train) if isinstance(network, Network) else network
        self.trained, self._frozen = self._model.split(_double(params))

    def outputs(self, X: Rows) -> Float[np.ndarray, "n k"]:
        """The network's outputs at its weights."""
        return np.asarray(self._run("outputs", self._prepared(X)))

    def change(self, X: Rows, weights: Params) -> Float[np.ndarray, "n k"]:
        """How the outputs change with the weights."""
        return np.asarray(self._run("change", self._prepared(X), weights))

    def pull_back(self, X: Rows, outputs: Float[np.ndarray, "n k"]) -> Params:
        """The transposed map: from outputs at X to weights."""
        return self._run("pull_back", self._prepared(X), jnp.asarray(outputs))

    def product(self, X: Rows) -> Callable[[Float[np.ndarray, "n k"]], Float[np.ndarray, "n k"]]:
        """v -> K v with the full kernel of the rows of X."""
        prepared = self._prepared(X)
        return lambda v: np.asarray(self._run("product", prepared, jnp.asarray(v)))

    def gradients(self, X: Rows) -> Params:
        """The gradient of each output at each row: (n, k, ...) for each weight."""
        return _gradients(self._model, self.trained, self._frozen, self._prepared(X))

    def moved(self, X: Rows, gradients: Params) -> Float[Array, "m k n k"]:
        """How the outputs at X change along each of the gradients: the kernel."""
        return self._run("moved", self._prepared(X), gradients)

    def _run(self, what: str, x: Array, *arguments: Any) -> Any:
        return _run(what, self._model, self.trained, self._frozen, x, *arguments)

    def structure(self, X: Rows) -> Structure | None:
        """How the gradients at inputs like X are outer products, if they are."""
        return find_structure(self._model, self.trained, self._frozen, self._prepared(X))

    def factors(self, structure: Structure, X: Rows) -> Factors:
        """The two factors of these; on its own within ``jax.enable_x64``."""
        with jax.enable_x64(True):
            inputs, gradients = factors(self._model, structure, self.trained, self._frozen, self._prepared(X))
        return Factors(tuple(map(np.asarray, inputs)), tuple(map(np.asarray, gradients)))

    def _prepared(self, X: Rows) -> Array:
        return self._model.prepare(self._frozen, jnp.asarray(X))


MAPS: dict[str, Callable[..., Any]] = {  # of f, the outputs as a function of the weights, at weights w
    "outputs": lambda f, w: f(w),
    "change": lambda f, w, weights: jax.jvp(f, (w,), (weights,))[1],
    "pull_back": lambda f, w, outputs: jax.vjp(f, w)[1](outputs)[0],
    "product": lambda f, w, v: jax.jvp(f, (w,), jax.vjp(f, w)[1](v))[1],
    "moved": lambda f, w, gradients: jax.vmap(jax.vmap(jax.linearize(f, w)[1]))(gradients),
}


@partial(jax.jit, static_argnums=(0, 1))
def _run(what: str, model: DifferentiableModel, trained: Params, frozen: Params, x: Array, *arguments: Any) -> Any:
    return MAPS[what](lambda w: model.predict(w, frozen, x), trained, *arguments)


@partial(jax.jit, static_argnums=0)
def _gradients(model: DifferentiableModel, trained: Params, frozen: Params, x: Array) -> Params:
    def of_one(row: Array) -> Params:
        return jax.jacrev(lambda w: model.predict(w, frozen, row[None])[0])(trained)

    return jax.vmap(of_one)(x)


def _double(params: Params) -> dict[str, Any]:
    return {name: jnp.asarray(np.asarray(weight), jnp.float64) for name, weight in params.items()}


def _padded(X: Rows, rows: int) -> Float[np.ndarray, "rows d"]:
    """Repeated first rows up to a fixed number, so that every tile uses one compiled program."""
    return np.concatenate([X, np.repeat(X[:1], rows - len(X), axis=0)]) if len(X) < rows else X


def _blocks(stop: int, step: int) -> list[slice]:
    return [slice(i, min(i + step, stop)) for i in range(0, stop, step)]


def _shifted(block: slice, by: int) -> slice:
    return slice(block.start + by, block.stop + by)
