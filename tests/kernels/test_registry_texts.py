"""Kernels as text in files: made again from it, or refused."""

import pytest

from kernelgap import kernels
from kernelgap.errors import InputError
from kernelgap.kernels.registry import from_text, text_of


@pytest.mark.parametrize("text", ["ntk3", "0.5 * gaussian(bandwidth=2.0) + ck(bias=True, depth=1000)", "laplace"])
def test_there_and_back(text):
    assert from_text(text_of(kernels.get(text))) == kernels.get(text)


@pytest.mark.parametrize(
    "text", ["ck(depth=1001)", "ck(depth=+1001)", "ck2 * recursive(depth=5000)", "polynomial(degree=10000000)"]
)
def test_what_would_take_too_long(text):
    with pytest.raises(InputError, match="at most"):
        from_text(text)
    with pytest.raises(InputError, match="at most"):
        text_of(kernels.get(text))


@pytest.mark.parametrize("text", ["", "import os", "f(", "(" * 900, "ck2 + " * 500, "ck(depth=10**9)"])
def test_what_is_no_kernel(text):
    with pytest.raises(InputError):
        from_text(text)


def test_code_is_not_text():
    with pytest.raises(InputError, match="code of yours"):
        text_of(kernels.from_function(lambda X, Z: X @ Z.T))
