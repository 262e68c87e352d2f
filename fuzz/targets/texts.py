"""Texts of kernels, problems and networks: made, then used on a few inputs."""

import inspect
from random import Random

import numpy as np

from fuzz import mutate, values
from fuzz.case import Case, Place
from kernelgap import kernels, networks, problems
from kernelgap.kernels.registry import KERNELS, from_text

KERNEL_ARGUMENTS = (
    "bandwidth=2.0",
    "factor=0.5",
    "degree=2",
    "depth=3",
    "bias=True",
    "train='last'",
    "image=(3, 3, 1)",
    "count=5",
    "scale=2.0",
    "seed=1",
    "hidden_bias=True",
    "pooling=True",
)
PROBLEM_TEXTS = (
    "sec8",
    "slides",
    "hard(d=6, k=2, alpha=0.3)",
    "parity(d=8, k=3)",
    "staircase(d=6, degrees=[1, 3])",
    "hierarchy(d=8, alpha=0.3, depth=3)",
    "concept1(d=4)",
    "concept2(d=4)",
    "convolutional(d=8)",
    "sec8(beta=0.5)",
)
NETWORK_TEXTS = (
    "2layer",
    "3layer",
    "3resnet",
    "3resnet-full",
    "2layer-signs",
    "resnet-2",
    "resnet-3-gated",
    "2layer-gated(sharpness=8)",
    "3resnet-conv(patches=2)",
    "3resnet-conv-gated(patches=2, sharpness=2.0)",
    "conv-resnet-8(image=(8, 8, 1))",
    "conv-resnet-8-gated(image=(8, 8, 1), stride=2)",
)


def make(rng: Random, place: Place) -> Case:
    draw = rng.random()
    if draw < 0.5:
        text = kernel_text(rng)
        return Case(f"kernel {text[:300]!r}", lambda: _use_kernel(text))
    if draw < 0.8:
        text = problem_text(rng)
        return Case(f"problem {text[:300]!r}", lambda: _use_problem(text))
    text = network_text(rng)
    return Case(f"network {text[:300]!r}", lambda: networks.get(text))


def kernel_text(rng: Random) -> str:
    draw = rng.random()
    if draw < 0.1:
        return values.text(rng)
    if draw < 0.3:
        parts = [_kernel(rng) for _ in range(rng.choice((2, 3, 200)))]
        joined = rng.choice((" + ", " * ", " + 0.5 * ", " - ", "@")).join(parts)
        return rng.choice(("{}", "({})", "-{}", "2 * {}", "1e308 * {}", "0 * {}", "{} + 1", "{}[0]", "{}()")).replace(
            "{}", joined
        )
    text = _kernel(rng)
    if rng.random() >= 0.15:
        return text
    return mutate.octets(text.encode("utf-8", "surrogateescape"), rng).decode("utf-8", "surrogateescape")


def _kernel(rng: Random) -> str:
    name = rng.choice(sorted(KERNELS))
    known = list(inspect.signature(KERNELS[name]).parameters)
    arguments = [_argument(rng, known) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return f"{name}({', '.join(arguments)})" if arguments or rng.random() < 0.2 else name


def _argument(rng: Random, known: list[str]) -> str:
    if rng.random() < 0.4:
        return rng.choice(KERNEL_ARGUMENTS)
    return f"{rng.choice(known) if known and rng.random() < 0.9 else 'x'}={values.literal(rng)}"


def problem_text(rng: Random) -> str:
    draw = rng.random()
    if draw < 0.1:
        return values.text(rng)
    if draw < 0.2:
        return rng.choice(PROBLEM_TEXTS)
    if draw < 0.3:
        return mutate.octets(rng.choice(PROBLEM_TEXTS).encode(), rng).decode("utf-8", "surrogateescape")
    name = rng.choice(sorted(problems.PROBLEMS))
    known = list(inspect.signature(problems.PROBLEMS[name]).parameters)
    small = {"d": "6", "k": "2", "alpha": "0.3", "beta": "0.5", "degree": "2", "outputs": "2", "patches": "2"}
    arguments = {key: small[key] for key in known if key in small and rng.random() < 0.8}
    for _ in range(rng.choice((0, 1, 1, 2))):
        arguments[rng.choice([*known, "x"])] = values.literal(rng)
    return f"{name}({', '.join(f'{k}={v}' for k, v in arguments.items())})"


def network_text(rng: Random) -> str:
    draw = rng.random()
    if draw < 0.1:
        return values.text(rng)
    text = rng.choice(NETWORK_TEXTS)
    if draw < 0.3:
        return mutate.octets(text.encode("utf-8", "surrogateescape"), rng).decode("utf-8", "surrogateescape")
    if "=" not in text:
        return f"{text}({rng.choice(('sharpness', 'patches', 'image', 'x'))}={values.literal(rng)})"
    head, _, tail = text.rpartition("=")
    return (
        f"{head}={values.literal(rng)})" if rng.random() < 0.8 else f"{text[:-1]}, {tail[:-1]}={values.literal(rng)})"
    )


def _use_kernel(text: str) -> None:
    kernel = kernels.get(text)
    X = np.random.default_rng(0).choice((-1.0, 1.0), (4, 9))
    is_fitted = kernel if kernel.is_fitted else kernel.fit(X)
    if is_fitted.combines:
        K = is_fitted(X)
        assert K.shape == (4, 4)
    assert from_text(text).spec == kernel.spec


def _use_problem(text: str) -> None:
    problem = problems.get(text)
    X, Y = problem.sample(3, 0)
    assert X.shape == (3, problem.d)
    assert Y.shape == (3, problem.outputs)
    assert problems.get(problem.spec).spec == problem.spec
    assert problem.threshold >= 0
