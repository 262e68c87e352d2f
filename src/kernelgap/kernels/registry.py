"""Kernels by name, and sums and products of them as text, also in files."""

import ast
import inspect
from collections.abc import Callable
from typing import Any

from kernelgap.calls import literal, parse_expression
from kernelgap.errors import InputError, short, unknown
from kernelgap.kernels.check import check_number
from kernelgap.kernels.formulas.convolutional import Convolutional
from kernelgap.kernels.formulas.distance_kernel import Gaussian, Laplace
from kernelgap.kernels.formulas.inner_kernel import Arcsin, Linear, Polynomial, Recursive
from kernelgap.kernels.formulas.random_features import random_features
from kernelgap.kernels.formulas.relu_networks import Conjugate, ResNetTangent, Tangent
from kernelgap.kernels.kernel import Kernel
from kernelgap.kernels.own import Precomputed
from kernelgap.registry import Registry

# limits of kernels in files, where the text may come from anyone
LONGEST = 2000  # characters
LARGEST = {"depth": 1000, "count": 10**6, "degree": 10**6}  # of whole numbers that time or memory grow with


def ck2(bias: bool = False) -> Kernel:
    """Conjugate kernel of the two-layer network: ck(depth=1)."""
    return Conjugate(bias=bias, depth=1)


def ck3(bias: bool = False, hidden_bias: bool = False) -> Kernel:
    """Conjugate kernel of the three-layer network: ck(depth=2)."""
    return Conjugate(bias=bias, depth=2, hidden_bias=hidden_bias)


def ck3res(bias: bool = False, hidden_bias: bool = False) -> Kernel:
    """Conjugate kernel of the three-layer ResNet with full U: ntk3res(train="last")."""
    return ResNetTangent(bias=bias, hidden_bias=hidden_bias, train="last")


def ntk2(bias: bool = False, train: str = "all") -> Kernel:
    """Neural tangent kernel of the two-layer network: ntk(depth=1)."""
    return Tangent(bias=bias, depth=1, train=train)


def ntk3(bias: bool = False, hidden_bias: bool = False, train: str = "all") -> Kernel:
    """Neural tangent kernel of the three-layer network: ntk(depth=2)."""
    return Tangent(bias=bias, depth=2, hidden_bias=hidden_bias, train=train)


_FORMULAS: tuple[Any, ...] = (Gaussian, Laplace, Linear, Polynomial, Arcsin, Recursive, random_features)
_RELU_NETWORKS: tuple[Any, ...] = (ck2, ck3, Conjugate, ntk2, ntk3, Tangent, ck3res, ResNetTangent, Convolutional)
_BUILT_IN = {getattr(make, "name", make.__name__): make for make in (*_FORMULAS, *_RELU_NETWORKS)}
KERNELS: Registry[Callable[..., Kernel]] = Registry("kernel", _BUILT_IN | {"precomputed": Precomputed})
register = KERNELS.register


def get(kernel: str | Kernel) -> Kernel:
    """A kernel from text.

    Parameters
    ----------
    kernel
        A name, a name with arguments, or sums and products of these. A kernel is given back as it is.

    Returns
    -------
    Kernel
        Its text, ``spec``, makes it again.

    Raises
    ------
    InputError
        If the text names no kernel, or an argument is wrong.

    Examples
    --------
    >>> get("ntk2")
    <kernel ntk2>
    >>> get("0.5 * gaussian(bandwidth=2.0) + ck(depth=3, bias=True)")
    <kernel 0.5 * gaussian(bandwidth=2.0) + ck(bias=True, depth=3)>
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str):
        raise InputError(f"A kernel is a name, a kernel or 'precomputed', not {type(kernel).__name__}.")
    try:
        made = _build(parse_expression(" ".join(kernel.split())), kernel)
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise _not_a_kernel(kernel) from None
    if not isinstance(made, Kernel):
        raise _not_a_kernel(kernel)
    return made


def _build(tree: ast.expr, text: str) -> Kernel | float:
    match tree:
        case ast.BinOp(left, ast.Add(), right):
            first, second = _build(left, text), _build(right, text)
            if isinstance(first, Kernel) and isinstance(second, Kernel):
                return first + second
        case ast.BinOp(left, ast.Mult(), right):
            return _build(left, text) * _build(right, text)
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return check_number(number, "What a kernel is multiplied by", positive=True)
        case ast.Name(name):
            return _make(name, {}, text)
        case ast.Call(ast.Name(name), [], keywords):
            return _make(name, _arguments(keywords, text), text)
    raise _not_a_kernel(text)


def _arguments(keywords: list[ast.keyword], text: str) -> dict[str, object]:
    arguments: dict[str, object] = {}
    for keyword in keywords:
        if keyword.arg is None:
            raise _not_a_kernel(text)
        if keyword.arg in arguments:
            raise InputError(f"'{short(text)}' gives {short(keyword.arg)} twice: give it once.")
        try:
            arguments[keyword.arg] = literal(keyword.value)
        except InputError:
            raise
        except ValueError:
            where = f"In '{short(text)}' the value of {short(keyword.arg)}"
            raise InputError(f"{where} is not a plain number or text.") from None
    return arguments


def _make(name: str, arguments: dict[str, object], text: str) -> Kernel:
    make = KERNELS.find(name)
    known = inspect.signature(make).parameters
    for argument in arguments:
        if argument not in known:
            raise unknown(f"argument of {name}", argument, known)
    for argument, parameter in known.items():
        if parameter.default is parameter.empty and argument not in arguments:
            raise InputError(f"The kernel {name} needs {argument}, as in {name}({argument}=...).")
    return make(**arguments)


def _not_a_kernel(text: str) -> InputError:
    return InputError(f"'{short(text)}' is not a kernel such as ntk2, gaussian(bandwidth=2.0) or ck2 + 0.1 * laplace.")


def text_of(kernel: Kernel) -> str:
    """The kernel as text, if the text is all of it."""
    try:
        again = get(kernel.spec)
    except InputError:
        again = None
    if again != kernel:
        raise InputError(f"The kernel {kernel.spec} is code of yours, which a file of numbers cannot hold.")
    _check_size(kernel.spec)
    return kernel.spec


def from_text(text: str) -> Kernel:
    """The kernel that a file names, if it is one that can be computed in reasonable time."""
    _check_size(text)
    return get(text)


def _check_size(text: str) -> None:
    if len(text) > LONGEST:
        raise InputError(f"A kernel in a file has a text of at most {LONGEST} characters, and this has {len(text)}.")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"'{text[:40]}' is not a kernel.") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in LARGEST:
            try:
                value = literal(node.value)  # also of +100000000
            except ValueError:
                continue  # no plain value: refused when the kernel is made
            if isinstance(value, int) and value > LARGEST[node.arg]:
                raise InputError(f"A kernel in a file has a {node.arg} of at most {LARGEST[node.arg]:,}, not {value}.")
