"""Forged certificates with a right seal, and damaged ones: none of them holds, for the checker and for kernelgap."""

import numpy as np
import pytest

from kernelgap.certificates import verify
from kernelgap.errors import InputError
from support.certificates.forgeries import FORGERS, forge
from support.certificates.format3 import make_draft
from support.certificates.standalone import verdict

CERTIFICATES = {
    "hard": lambda: make_draft(
        "hard(d=7, k=3, alpha=0.3)", networks=3, samples=9, floors=("ck2", "gaussian(bandwidth=1.0)"), seed=1
    ),
    "two layers": lambda: make_draft(
        "hard(d=8, k=2, alpha=0.5, d1=6)",
        network="2layer",
        bits={"W": 11, "A": 12, "V": 0, "out": 20},
        networks=5,
        samples=7,
        floors=("ntk3", "laplace(bandwidth=1.5)"),
        seed=2,
    ),
    "zeros": lambda: make_draft(
        "hard(d=9, k=3, alpha=0.4, d1=7, background='zero')",
        network="3resnet-full",
        networks=2,
        samples=8,
        floors=("gaussian(bandwidth=0.5, factor=2.0)", "ck3(bias=True, hidden_bias=True)"),
        seed=3,
    ),
}

QUICK = CERTIFICATES["hard"]()


@pytest.fixture(scope="module", params=CERTIFICATES)
def honest(request):
    return CERTIFICATES[request.param]()


def test_the_honest_ones_hold(honest):
    assert verdict(honest.sealed()) == (0, [])


@pytest.mark.parametrize("name", FORGERS)
def test_forgeries(name):
    """Each forger once."""
    honest = QUICK
    forged = forge(name, honest)
    assert forged.sealed() != honest.sealed()
    assert verdict(forged.sealed())[0] != 0


@pytest.mark.parametrize("name", ["a copy with its units in another order", "a copy without its zeros"])
def test_kernelgap_sees_copies_of_a_network(honest, name, tmp_path):
    path = tmp_path / "cert.zip"
    path.write_bytes(forge(name, honest).sealed())
    failed = [check.what for check in verify(path).checks if not check.holds]
    assert failed == ["Different networks, each with seeds of its own"]


def test_a_forgery_fails_for_its_own_reason():
    """What a forger leaves consistent still holds: the statement that he falsified is the one that fails."""
    expected = {
        "better risk": "The risk of network",
        "swapped networks": "The risk of network",
        "a lucky seed sold as a mean": "No network or start is counted twice",
        "a copy with its units in another order": "No network or start is counted twice",
        "a copy without its zeros": "No network or start is counted twice",
        "limit too low": "The upper limit of the mean over all starts",
        "a matrix kernel sold as scalar": "any_kernel.matrix",
        "larger family": "The size of the family",
        "other inputs": "The inputs of network 0",
        "higher floor": "No weights get",
        "sigma too large": "No weights get ck2",
        "target with fewer terms": "The target is that of the problem's text",
        "clipped elsewhere": "The largest possible loss",
        "higher threshold": "The threshold",
    }
    for name, start in expected.items():
        code, failed = verdict(forge(name, QUICK).sealed())
        assert code == 1, name
        assert any(what.startswith(start) for what in failed), (name, failed)
    only = {"a copy with its units in another order", "a copy without its zeros"}
    only |= {"risk better by one unit", "limit too low", "higher floor", "sigma too large", "more samples needed"}
    for name in only:
        assert len(verdict(forge(name, QUICK).sealed())[1]) == 1, name


def by_kernelgap(content, folder):
    """The exit code of ``kernelgap verify``."""
    path = folder / "cert.zip"
    path.write_bytes(content)
    try:
        return 0 if verify(path).holds else 1
    except InputError:
        return 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 3))
def test_many_forgeries(honest, seed, tmp_path):
    """More than 250 with the three certificates: for both verifiers all are refused, or do not hold."""
    assert len(FORGERS) >= 45
    assert by_kernelgap(honest.sealed(), tmp_path) == 0
    for name in FORGERS:
        content = forge(name, honest, seed).sealed()
        assert verdict(content)[0] != 0, name
        assert by_kernelgap(content, tmp_path) != 0, name


def test_many_damaged_ones(tmp_path):
    """200 changes of one byte: both verifiers refuse all of them."""
    rng, content = np.random.default_rng(4), QUICK.sealed()
    for place in rng.choice(len(content), size=200, replace=False).tolist():
        damaged = bytearray(content)
        damaged[place] ^= int(rng.integers(1, 256))
        assert verdict(bytes(damaged))[0] == 2
        assert by_kernelgap(bytes(damaged), tmp_path) == 2
