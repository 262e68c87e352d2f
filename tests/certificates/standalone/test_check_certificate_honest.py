"""Fifty honest certificates, over problems, networks, kernels and sizes, hold for kernelgap and for the checker alone.

Together they take about 12 minutes of a core that other programs share. Most of that goes into the seven with 22 to 30
coordinates: kernelgap visits all of their points twice, and the checker samples points for about half a minute each.
"""

from collections import Counter
from itertools import cycle, islice
from typing import NamedTuple

import jax
import pytest

from kernelgap import networks, problems
from kernelgap.certificates import TrainedNetwork, certify, verify
from support.certificates.standalone import run

SMALL = (
    "hard(d={d}, k=2, alpha=0.5)",
    "hard(d={d}, k=3, alpha=0.3, beta=0.7, seed=4)",
    "parity(d={d}, k=3)",
    "hard(d={d}, k=2, alpha=0.4, d1={d1}, background='zero')",
    "hard(d={d}, k=2, alpha=1.25, beta=0.0, d1={d1}, background='uniform')",
)
NETWORKS = ("2layer", "2layer-signs", "3layer", "3resnet", "3resnet-full")
KERNELS = ("gaussian", "laplace", "ck2(bias=True)", "ntk2", "recursive", "ntk3res(bias=True)", "ck(depth=4)")
SAMPLES = (5, 6, 8, 12, 20, 33, 50, 80, 120, 200)


class Case(NamedTuple):
    """What a certificate is about; ``kernel`` may be None."""

    problem: str
    network: str
    width: int
    starts: int
    samples: int
    kernel: str | None


def small_cases():
    """40 with 4 to 18 coordinates; where inputs repeat or are many, a kernel that has every degree."""
    sizes = [*range(4, 15), *range(4, 15), *range(4, 14), *range(15, 19), *range(15, 19)]
    every = zip(sizes, cycle(SMALL), cycle(NETWORKS[1:] + NETWORKS[:2]), cycle(SAMPLES), cycle(KERNELS), strict=False)
    for i, (d, problem, network, samples, kernel) in enumerate(every):
        chosen = kernel if samples <= d + 2 else KERNELS[i % 2]
        yield Case(problem.format(d=d, d1=d - 1), network, 2 + i % 7, 1 + i % 5, samples, chosen)


CASES = (
    *small_cases(),
    Case("hard(d=12, k=3, alpha=0.3)", "3resnet", 9, 5, 500, "gaussian"),
    Case("hard(d=20, k=4, alpha=0.3)", "3resnet", 3, 2, 500, "ck2"),
    Case("parity(d=19, k=6)", "2layer-signs", 4, 3, 300, "laplace(bandwidth=2.0)"),
    Case("hard(d=22, k=2, alpha=0.5)", "3layer", 3, 1, 200, "ntk2"),
    Case("parity(d=24, k=5)", "2layer", 2, 2, 100, "gaussian"),
    Case("hard(d=26, k=2, alpha=0.4)", "3resnet", 2, 1, 60, "ntk3(bias=True)"),
    Case("parity(d=28, k=3)", "2layer", 2, 1, 40, None),
    Case("hard(d=30, k=2, alpha=0.5)", "2layer", 2, 1, 200, "ck2"),
    Case("slides", "2layer", 2, 1, 25, "recursive"),
    Case("sec8", "3resnet", 2, 1, 500, "ck2"),
)


def test_they_are_fifty_of_all_kinds():
    assert len(CASES) == len(set(CASES)) == 50
    dimensions = [problems.get(case.problem).d for case in CASES]
    assert {*range(4, 21), 30} <= set(dimensions)
    assert (min(case.samples for case in CASES), max(case.samples for case in CASES)) == (5, 500)
    assert min(Counter(case.network for case in CASES).values()) >= 5
    assert len({case.kernel for case in CASES if case.kernel}) >= 8
    assert {case.starts for case in CASES} == {1, 2, 3, 4, 5}


def make(path, case):
    problem, network = problems.get(case.problem), networks.get(case.network)
    trained = [
        TrainedNetwork(
            network,
            network.init(jax.random.key(seed), inputs=problem.d, outputs=problem.outputs, width=case.width),
        )
        for seed in range(case.starts)
    ]
    kernels = [] if case.kernel is None else [case.kernel]
    certify(path, problem, trained, samples=case.samples, seeds=list(range(case.starts)), kernels=kernels)


def hold(path):
    assert all(check.holds for check in verify(path).checks)
    done = run(path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every statement holds." in done.stdout


def test_some_of_them_hold(tmp_path):
    """The first of each problem and network."""
    for case in islice(CASES, 5):
        make(tmp_path / "cert.zip", case)
        hold(tmp_path / "cert.zip")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.problem}, {case.network}, N={case.samples}")
def test_each_of_them_holds(case, tmp_path):
    make(tmp_path / "cert.zip", case)
    hold(tmp_path / "cert.zip")
