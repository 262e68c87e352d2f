"""A certificate that holds."""

import pytest

from kernelgap import problems
from kernelgap.certificates import certify
from support.certificates.certified import PROBLEM, started


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """Two networks on 9 coordinates, and two kernels."""
    problem = problems.get(PROBLEM)
    path = tmp_path_factory.mktemp("certificate") / "cert.zip"
    trained = [started(seed) for seed in (3, 4)]
    claim = certify(
        path, problem, trained, samples=20, seeds=[3, 4], kernels=["ck2", "gaussian"], method="3resnet(all)"
    )
    return path, claim
