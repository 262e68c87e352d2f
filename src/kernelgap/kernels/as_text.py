"""Kernels as text in files, where the text may come from anyone."""

import ast

from kernelgap.calls import literal
from kernelgap.errors import InputError
from kernelgap.kernels.kernel import Kernel
from kernelgap.kernels.registry import get

LONGEST = 2000  # characters
LARGEST = {"depth": 1000, "count": 10**6, "degree": 10**6}  # of whole numbers that time or memory grow with


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
