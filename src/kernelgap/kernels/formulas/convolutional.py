"""Kernels of infinitely wide convolutional ReLU networks on small images (Arora et al., On exact computation with an
infinitely wide neural net): the convolutional neural tangent kernel, and with ``train="last"`` the conjugate kernel.

Layers l = 1..L, filters of q x q positions o, zeros around the image, p a position in x and p' one in z:
  Sigma_l[p,p'] = 1/q^2 sum_o F_l-1[p+o, p'+o]    covariance of the pre-activations, from F_0[p,p'] = <x[p], z[p']>
  F_l, S_l      = 2 E s(u) s(v), 2 E s'(u) s'(v)  as in relu_layers, for u and v with the covariance Sigma_l
  H_l[p,p']     = (Sigma_l[p,p'] + 1/q^2 sum_o H_l-1[p+o, p'+o]) S_l[p,p'], from H_0 = 0.
F_L is the part of the output's weights, H_L that of the hidden layers'. The output reads each position with weights of
its own, K = mean over p of F_L[p,p] + H_L[p,p], or with ``pooling`` the average position, K = mean over p and p'; so
only pooling needs the pairs p != p'. With one position and q = 1 these are ck and ntk of the channels.

Angles come from distances: cosines lose half of the digits where two patches nearly agree. With lengths a and b and
distance r, s^2 = r^2 - (a-b)^2 and c^2 = (a+b)^2 - r^2, the angle t has
  ab sin t = s c / 2,  ab cos t = (c^2 - s^2) / 4,  and the layer turns r^2 into r^2 - 2 ab (sin t - t cos t) / pi.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from types import ModuleType
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float
from numpy.polynomial import Chebyshev, Polynomial

from kernelgap.errors import InputError, shown
from kernelgap.kernels.check import DEEPEST, check_count, check_flag, check_part
from kernelgap.kernels.kernel import Gram, NamedKernel, require_gram
from kernelgap.kernels.pairs import NumpyArithmetic, Others, Rows, Value
from kernelgap.machine import require_memory, threads

TILE_BYTES = 2**20  # of one array over all positions of a tile's pairs: small enough for a core's cache
LONGEST_SIDE = 10_000  # of an image, in pixels
ARRAYS = 10  # such arrays that a tile takes at most
ENDS = NumpyArithmetic.ENDS  # s^2 and c^2 that rounding cannot tell from 0 count as 0


def _arctan_series(w: Value) -> Value:
    """(arctan(u) / u - 1) / u^2 at w = u^2: sum_j (-1)^(j+1) w^j / (2j + 3)."""
    return sum((-1.0) ** (j + 1) * w**j / (2 * j + 3) for j in range(30))


# arctan(u) = u + u^3 (polynomial in u^2) for u up to tan(pi / 8), to rounding; highest powers first
EIGHTH = 2**0.5 - 1
ARCTAN = tuple(Chebyshev.interpolate(_arctan_series, 12, [0.0, EIGHTH**2]).convert(kind=Polynomial).coef[::-1])

State = tuple[Array, Array, Array]  # r^2, F_l and H_l


class Images(NamedTuple):
    """Images of length 1, what they were divided by, and the lengths of their pixels and of each layer's patches."""

    pixels: Float[np.ndarray, "n channels height width"]
    scales: Float[np.ndarray, " n"]
    lengths: Float[np.ndarray, "n layers height width"]


@dataclass(frozen=True, repr=False)
class Convolutional(NamedKernel):
    """Convolutional tangent kernel on images of (height, width, channels), with depth hidden layers.

    The rows of X are images, flattened in the order of ``image``. With ``pooling`` the output sees only the mean over
    positions.

    >>> kernel = Convolutional(image=(3, 3, 1), depth=2, pooling=True)
    >>> kernel([[0, 0, 0, 0, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1]]).round(4)
    array([[0.0539, 0.1289],
           [0.1289, 0.5176]])
    """

    name: ClassVar[str] = "cntk"
    image: tuple[int, int, int]
    depth: int = 1
    filter_size: int = 3
    pooling: bool = False
    train: str = "all"

    def __post_init__(self) -> None:
        object.__setattr__(self, "image", _check_image(self.image))
        check_count(self.depth, "depth", most=DEEPEST)
        check_count(self.filter_size, "filter_size", most=LONGEST_SIDE)
        if self.filter_size % 2 == 0:
            raise InputError(f"filter_size must be odd, so that a filter has a middle, not {self.filter_size}.")
        check_flag(self.pooling, "pooling")
        check_part(self.train)

    def _gram(self, X: Rows, Z: Others) -> Gram:
        require_gram(len(X), len(Z))
        pairs, symmetric = self._pairs_of_a_tile(), Z is X
        tall = _step(len(X), math.isqrt(pairs))
        wide = tall if symmetric else _step(len(Z), pairs // tall)
        first = self._images(X, tall)
        second = first if symmetric else self._images(Z, wide)
        gram = np.empty((len(X), len(Z)))

        @np.errstate(all="ignore")
        def fill(start: tuple[int, int]) -> None:
            i, j = start
            x = Images(*(part[i : i + tall, None] for part in first))
            z = Images(*(part[None, j : j + wide] for part in second))
            values = self._values(x, z)[: len(X) - i, : len(Z) - j]
            if symmetric:
                values = np.triu(values) + np.triu(values, 1).T if i == j else values
                gram[j : j + wide, i : i + tall] = values.T
            gram[i : i + tall, j : j + wide] = values

        starts = [(i, j) for i in range(0, len(X), tall) for j in range(0, len(Z), wide) if not symmetric or j >= i]
        for start in starts[:1]:
            fill(start)  # alone, so that the program is compiled once
        with ThreadPoolExecutor(threads()) as pool:
            list(pool.map(fill, starts[1:]))
        return gram

    def _diagonal(self, X: Rows) -> Float[np.ndarray, " n"]:
        step = _step(len(X), self._pairs_of_a_tile())
        images = self._images(X, step)
        values = np.empty(len(images.scales))
        for i in range(0, len(values), step):
            tile = Images(*(part[i : i + step] for part in images))
            values[i : i + step] = self._values(tile, tile)
        return values[: len(X)]

    def _pairs_of_a_tile(self) -> int:
        """How many pairs of images a tile holds: at least one, if its arrays fit."""
        height, width, _ = self.image
        tall, wide = (length + 2 * _reach(self.filter_size, length) for length in (height, width))  # with the zeros
        pair = 8 * max(tall * width, height * wide) ** (2 if self.pooling else 1)
        advice = "Take smaller images" + (" or pooling=False." if self.pooling else ".")
        what = f"The kernel of images with {height} x {width} positions"
        require_memory(ARRAYS * threads() * max(pair, TILE_BYTES), what, advice)
        return max(1, TILE_BYTES // pair)

    def _images(self, X: Rows, step: int) -> Images:
        """What the kernel needs of each image, with zeros up to a multiple of ``step`` images."""
        height, width, channels = self.image
        if X.shape[1] != height * width * channels:
            size = f"{height} x {width} x {channels} = {height * width * channels}"
            raise InputError(f"The inputs have {X.shape[1]} columns, but images of this kernel have {size} numbers.")
        count = -(-len(X) // step) * step
        require_memory(8 * count * height * width * (channels + 2 * self.depth), f"{count} images", "Take fewer.")
        scales = np.zeros(count)
        scales[: len(X)] = np.linalg.norm(X, axis=1)
        pixels = np.zeros((count, channels, height, width))
        pixels[: len(X)] = X.reshape(-1, *self.image).transpose(0, 3, 1, 2)
        pixels /= np.where(scales > 0, scales, 1.0)[:, None, None, None]
        return Images(pixels, scales, _lengths(pixels, self.depth, self.filter_size))

    def _values(self, x: Images, z: Images) -> np.ndarray:
        """K of the images, whose leading axes are broadcast: K(|x| u, |z| v) = |x| |z| K(u, v)."""
        with jax.enable_x64(True):  # here, since each thread has its own
            inputs = x.pixels, z.pixels, x.lengths, z.lengths
            values = _unit_values(*inputs, size=self.filter_size, pooling=self.pooling, train=self.train)
            return np.asarray(values) * x.scales * z.scales


def _check_image(image: object) -> tuple[int, int, int]:
    if not isinstance(image, tuple | list) or len(image) != 3:
        raise InputError(f"image must be (height, width, channels), such as (8, 8, 3), not {shown(image)}.")
    if any(isinstance(n, bool) or not isinstance(n, Integral) or not 1 <= int(n) <= LONGEST_SIDE for n in image):
        what = f"whole numbers from 1 to {LONGEST_SIDE:,}"
        raise InputError(f"The height, width and channels of an image are {what}, not {shown(image)}.")
    return int(image[0]), int(image[1]), int(image[2])


def _step(count: int, most: int) -> int:
    """The side of tiles: up to ``most``, and a power of 2, so that few programs are compiled for many ``count``s."""
    return 2 ** min(most.bit_length() - 1, max(0, count - 1).bit_length())


def _lengths(pixels: np.ndarray, depth: int, size: int) -> np.ndarray:
    """Of pixels, and square roots of Sigma_l(x,x)[p,p]: filters average their squares, and ReLU layers keep them."""
    squares = [np.sum(pixels**2, axis=1)]
    for _ in range(depth):
        squares.append(_patch_mean(squares[-1], size, pooling=False, arrays=np))
    return np.sqrt(np.stack(squares, axis=1))


@partial(jax.jit, static_argnames=("size", "pooling", "train"))
def _unit_values(
    x: Array, z: Array, x_lengths: Array, z_lengths: Array, *, size: int, pooling: bool, train: str
) -> Array:
    """K of images of length 1."""

    def layer(state: State, lengths: tuple[Array, ...]) -> tuple[State, None]:
        squares, _, hidden = state
        x_before, z_before, x_now, z_now = lengths
        squares = _patch_mean(squares, size, pooling)
        squares += _edges(x_before**2, z_before**2, size) if pooling else 0
        a, b = _across(x_now, z_now, pooling)
        s2, c2 = _positive(squares - (a - b) ** 2, (a - b) ** 2), _positive((a + b) ** 2 - squares, (a + b) ** 2)
        sine, cosine = jnp.sqrt(s2 * c2) / 2, (c2 - s2) / 4  # times ab, so that cosine is Sigma_l
        angle = _angle(sine, cosine)
        slopes = 1 - angle / jnp.pi
        last = sine / jnp.pi + slopes * cosine
        if train != "last":
            hidden = (cosine + _patch_mean(hidden, size, pooling)) * slopes
        return (squares - 2 * (sine - angle * cosine) / jnp.pi, last, hidden), None

    u, v = _across(x, z, pooling)
    squares = jnp.sum((u - v) ** 2, axis=-5 if pooling else -3)
    zeros = jnp.zeros_like(squares)
    by_layer = [jnp.moveaxis(lengths, -3, 0) for lengths in (x_lengths, z_lengths)]
    before_and_now = (*(lengths[:-1] for lengths in by_layer), *(lengths[1:] for lengths in by_layer))
    (_, last, hidden), _ = lax.scan(layer, (squares, zeros, zeros), before_and_now)
    part = {"all": last + hidden, "hidden": hidden, "last": last}[train]
    return jnp.mean(part, axis=(-4, -3, -2, -1) if pooling else (-2, -1))


def _across(x: Array, z: Array, pooling: bool) -> tuple[Array, Array]:
    """x[p] and z[p'], shaped such that they are combined for all p and p', or else for p = p'."""
    return (x[..., None, None], z[..., None, None, :, :]) if pooling else (x, z)


def _patch_mean(values: Value, size: int, pooling: bool, arrays: ModuleType = jnp) -> Value:
    """1/q^2 sum_o of values[p+o, p'+o], or else of values[p+o]: along the height, then along the width."""
    for axes in ((-4, -2), (-3, -1)) if pooling else ((-2,), (-1,)):
        length = values.shape[axes[0]]
        reach = _reach(size, length)
        where = [axis - values.ndim in axes for axis in range(values.ndim)]
        padded = arrays.pad(values, [(reach, reach) if here else (0, 0) for here in where])
        if pooling:
            # made once, and not anew for each window
            padded = lax.optimization_barrier(padded)  # type: ignore[no-untyped-call]
        windows = [slice(o, o + length) for o in range(2 * reach + 1)]
        values = sum(padded[tuple(window if here else slice(None) for here in where)] for window in windows)
    return values / size**2


def _edges(x: Array, z: Array, size: int) -> Array:
    """1/q^2 sum_o of x[p+o] where p'+o is outside, and of z[p'+o] where p+o is: squared distances from the zeros."""
    outside = 1 - _patches(jnp.ones(x.shape[-2:], x.dtype), size)
    of_x = jnp.einsum("...abhw,abij->...hwij", _patches(x, size), outside)
    return (of_x + jnp.einsum("...abhw,abij->...ijhw", _patches(z, size), outside)) / size**2


def _patches(values: Array, size: int) -> Array:
    """values[p+o] with zeros outside, the two axes of o before those of p."""
    height, width = values.shape[-2:]
    i, j = _reach(size, height), _reach(size, width)
    padded = jnp.pad(values, [(0, 0)] * (values.ndim - 2) + [(i, i), (j, j)])
    down, right, row, column = np.ogrid[: 2 * i + 1, : 2 * j + 1, :height, :width]
    return padded[..., down + row, right + column]


def _reach(size: int, length: int) -> int:
    """How far a filter sees to each side; beyond ``length`` there are only zeros."""
    return min(size // 2, length - 1)


def _positive(difference: Array, term: Array) -> Array:
    """A difference from ``term`` that is positive, or 0 up to rounding."""
    return jnp.where(difference > ENDS * term, difference, 0.0)


def _angle(sine: Array, cosine: Array) -> Array:
    """arctan2(sine, cosine) for sine >= 0, to the last digit or two, and several times faster than jnp.arctan2."""
    other = jnp.abs(cosine)
    low, high = jnp.minimum(sine, other), jnp.maximum(sine, other)
    beyond = low > EIGHTH * high  # tan(pi / 8): from here on pi / 4 + arctan((u - 1) / (u + 1))
    u = jnp.where(beyond, low - high, low) / jnp.where(beyond, low + high, jnp.where(high > 0, high, 1.0))
    w = u * u
    angle = u + u * w * _polynomial(ARCTAN, w) + jnp.where(beyond, jnp.pi / 4, 0.0)
    angle = jnp.where(sine > other, jnp.pi / 2 - angle, angle)
    return jnp.where(cosine < 0, jnp.pi - angle, angle)


def _polynomial(coefficients: tuple[float, ...], w: Array) -> Array:
    """The polynomial's values by Horner's rule."""
    value = jnp.full_like(w, coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * w + coefficient
    return value
