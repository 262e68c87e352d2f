"""Convolutions of 3 x 3 positions with zeros around the maps, by loops in C++ (``convolution.cpp``) or by XLA.

<g, W * x> is linear in x, in the filters W and in g. So the convolution, its gradient in x and its gradient in W are
three products of two arrays, each of which has the other two as its gradients, and all derivatives are made of them.

XLA's own convolutions are taken where nothing can be compiled, off the CPU, in float64, and for batches of filters.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxtyping import Array, Float

from kernelgap import native

Maps = Float[Array, "n _ _ _"]  # n, height, width, channels
Filters = Float[Array, "3 3 before after"]
Side = tuple[int, int]  # height and width of x

FILTER = 3
SIDES = ((FILTER // 2, FILTER // 2),) * 2
_libraries: list[ctypes.CDLL] = []  # XLA takes a name once in a process


def convolve(x: Maps, filters: Filters, stride: int) -> Maps:
    """W * x at every position, or with stride 2 at every second one.

    Parameters
    ----------
    x
        Images or maps of channels.
    filters
        3 x 3 positions, channels before, channels after.
    stride
        1 or 2.

    Returns
    -------
    Array
        Maps of ceil(height / stride) x ceil(width / stride).
    """
    _, height, width, _ = x.shape
    if x.dtype == filters.dtype == jnp.float32 and x.size and filters.size and stride in (1, 2) and _registered():
        return convolution_p.bind(x, filters, stride=stride, side=(height, width))
    return _by_xla(x, filters, stride, (height, width))


def _by_xla(x: Maps, filters: Filters, stride: int, side: Side) -> Maps:
    return lax.conv_general_dilated(x, filters, (stride, stride), SIDES, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _input_gradient_by_xla(g: Maps, filters: Filters, stride: int, side: Side) -> Maps:
    x = jax.ShapeDtypeStruct((g.shape[0], *side, filters.shape[2]), g.dtype)
    return jax.linear_transpose(lambda x: _by_xla(x, filters, stride, side), x)(g)[0]


def _filter_gradient_by_xla(x: Maps, g: Maps, stride: int, side: Side) -> Filters:
    filters = jax.ShapeDtypeStruct((FILTER, FILTER, x.shape[3], g.shape[3]), g.dtype)
    return jax.linear_transpose(lambda filters: _by_xla(x, filters, stride, side), filters)(g)[0]


Product = Callable[[Any, Any, int, Side], Any]


def _primitive(name: str, by_xla: Product) -> Primitive:
    made = Primitive(name)

    def shape(a: Any, b: Any, stride: int, side: Side) -> jax.ShapeDtypeStruct:
        return jax.eval_shape(
            lambda a, b: by_xla(a, b, stride, side), *(jax.ShapeDtypeStruct(z.shape, z.dtype) for z in (a, b))
        )

    def by_loops(a: Array, b: Array, *, stride: int, side: Side) -> Array:
        return jax.ffi.ffi_call(name, shape(a, b, stride, side))(a, b, stride=np.int64(stride))

    def xla(a: Array, b: Array, *, stride: int, side: Side) -> Array:
        return by_xla(a, b, stride, side)

    def abstract(a: Any, b: Any, *, stride: int, side: Side) -> jax.core.ShapedArray:
        return jax.core.ShapedArray(shape(a, b, stride, side).shape, a.dtype)

    def batch(args: tuple[Array, Array], axes: tuple[int | None, int | None], *, stride: int, side: Side) -> Any:
        if made is not filter_gradient_p and axes[0] is not None and axes[1] is None:  # more images, the same filters
            a = jnp.moveaxis(args[0], axes[0], 0)
            out = made.bind(a.reshape(-1, *a.shape[2:]), args[1], stride=stride, side=side)
            return out.reshape(*a.shape[:2], *out.shape[1:]), 0
        return jax.vmap(lambda a, b: by_xla(a, b, stride, side), axes)(*args), 0

    @cache
    def compiled(stride: int, side: Side) -> Callable[[Array, Array], Array]:
        return jax.jit(lambda a, b: made.bind(a, b, stride=stride, side=side))

    made.def_impl(lambda a, b, *, stride, side: compiled(stride, side)(a, b))
    made.def_abstract_eval(abstract)
    mlir.register_lowering(made, mlir.lower_fun(xla, multiple_results=False))
    mlir.register_lowering(made, mlir.lower_fun(by_loops, multiple_results=False), platform="cpu")
    batching.primitive_batchers[made] = batch
    return made


convolution_p = _primitive("kernelgap_convolution", _by_xla)
input_gradient_p = _primitive("kernelgap_convolution_input_gradient", _input_gradient_by_xla)
filter_gradient_p = _primitive("kernelgap_convolution_filter_gradient", _filter_gradient_by_xla)

# Each is given what came back, in place of the argument in which it is the gradient.
ad.defbilinear(
    convolution_p,
    lambda g, x, filters, **how: input_gradient_p.bind(g, filters, **how),
    lambda g, x, filters, **how: filter_gradient_p.bind(x, g, **how),
)
ad.defbilinear(
    input_gradient_p,
    lambda x, g, filters, **how: convolution_p.bind(x, filters, **how),
    lambda x, g, filters, **how: filter_gradient_p.bind(x, g, **how),
)
ad.defbilinear(
    filter_gradient_p,
    lambda filters, x, g, **how: input_gradient_p.bind(g, filters, **how),
    lambda filters, x, g, **how: convolution_p.bind(x, filters, **how),
)


def _registered() -> bool:
    """Whether XLA may use the compiled loops: those that the process has first asked for."""
    library = native.load(Path(__file__).with_name("convolution.cpp"), includes=[Path(jax.ffi.include_dir())])
    if library is not None and not _libraries:
        for primitive in (convolution_p, input_gradient_p, filter_gradient_p):
            symbol = jax.ffi.pycapsule(getattr(library, primitive.name))
            jax.ffi.register_ffi_target(primitive.name, symbol, platform="cpu")
        _libraries.append(library)
    return library is not None
