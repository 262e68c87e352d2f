"""Compiled loops beside XLA's programs, whose gradients are automatic: the same training within rounding."""

import platform
from pathlib import Path

import jax
import numpy as np
import pytest

from kernelgap import native, networks
from kernelgap.training import Schedule, get_model, train_grid

NETWORKS = ("2layer", "2layer-signs", "3layer", "3resnet")
FEW = Schedule(epochs=2, batch=8, drop_at=0.5)
pytestmark = pytest.mark.skipif(native._compiler() is None, reason="there is no compiler here")


def train(monkeypatch, engine, network, mode="all", d=6, k=3, width=21, n=43, rates=(0.05,), schedule=FEW, **options):
    monkeypatch.setenv(native.VARIABLE, engine)
    rng = np.random.default_rng(3)
    network = networks.get(network)
    params = network.init(jax.random.key(1), inputs=d, outputs=k, width=width)
    X, Y = rng.standard_normal((n, d)), rng.standard_normal((n, k))
    evaluate = {"test": (rng.standard_normal((70, d)), rng.standard_normal((70, k)))}
    return train_grid(
        get_model(network, mode),
        params,
        rates,
        [1e-2] * len(rates),
        (X, Y),
        schedule=schedule,
        seed=[0],
        evaluate=evaluate,
        **options,
    )


def agree(one, other):
    """Each of at most 12 steps rounds by some eps of float32 and may double what is there: 2^12 eps = 5e-4 at worst."""
    for name, w in one.trained.items():
        np.testing.assert_allclose(w, other.trained[name], rtol=5e-4, atol=5e-6)
    for name, curve in one.curves.items():
        np.testing.assert_allclose(curve, other.curves[name], rtol=5e-4)


@pytest.mark.parametrize("mode", ["all", "hidden"])
@pytest.mark.parametrize("network", NETWORKS)
def test_as_xla(monkeypatch, network, mode):
    """43 samples leave a last batch of 3; a width of 21 and 3 outputs leave columns of panels empty."""
    compiled, xla = (train(monkeypatch, engine, network, mode, rates=(0.05, 0.1)) for engine in ("", "off"))
    agree(compiled, xla)
    assert np.abs(compiled.trained["W"][0] - compiled.trained["W"][1]).max() > 1e-2  # it has learned, at two rates
    assert all(np.array_equal(compiled.frozen[name], w) for name, w in xla.frozen.items())


@pytest.mark.parametrize(("d", "k", "width"), [(1, 1, 1), (33, 20, 300), (7, 35, 64)])
def test_as_xla_in_several_panels_and_chunks(monkeypatch, d, k, width):
    agree(*(train(monkeypatch, engine, "3resnet", d=d, k=k, width=width, rates=(0.01,)) for engine in ("", "off")))


def test_a_wide_three_layer_network(monkeypatch):
    agree(*(train(monkeypatch, engine, "3layer", width=300, rates=(0.01,)) for engine in ("", "off")))


def test_the_first_block(monkeypatch):
    rng = np.random.default_rng(0)
    base = rng.standard_normal((50, 6)), rng.standard_normal((50, 3))
    agree(*(train(monkeypatch, engine, "3resnet", base=base) for engine in ("", "off")))


def test_a_member_has_the_same_bits_alone_and_among_others(monkeypatch):
    together = train(monkeypatch, "", "3resnet", rates=(0.02, 0.05, 0.1))
    for member, rate in enumerate((0.02, 0.05, 0.1)):
        alone = train(monkeypatch, "", "3resnet", rates=(rate,))
        for name, w in alone.trained.items():
            assert np.array_equal(w[0], together.trained[name][member])


def test_stretches_that_are_cut_do_not_change_a_bit(monkeypatch):
    whole = train(monkeypatch, "", "3resnet")
    monkeypatch.setattr("kernelgap.training.native.AT_ONCE", 1.0)
    parts = train(monkeypatch, "", "3resnet")
    assert all(np.array_equal(w, parts.trained[name]) for name, w in whole.trained.items())


@pytest.mark.parametrize("network", NETWORKS)
def test_what_overflows_has_diverged(monkeypatch, network):
    """A number that is none must not vanish in a ReLU."""
    long = Schedule(epochs=60, batch=8)
    result = train(monkeypatch, "", network, rates=(1e4, 0.01), schedule=long)
    assert result.diverged.tolist() == [True, False]
    assert np.isinf(result.final("test")[0])
    assert np.isfinite(result.final("test")[1])


def test_an_error_in_a_thread_comes_through(monkeypatch):
    monkeypatch.setattr("kernelgap.training.native.threads", lambda: 2)
    monkeypatch.setattr(
        "kernelgap.training.native._check", lambda code: (_ for _ in ()).throw(MemoryError("none left"))
    )
    with pytest.raises(MemoryError, match="none left"):
        train(monkeypatch, "", "3resnet", rates=(0.1, 0.2))


@pytest.mark.slow
@pytest.mark.parametrize("march", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_other_processors(monkeypatch, march):
    flags = {"x86-64": "sse2", "x86-64-v3": "avx2", "x86-64-v4": "avx512f"}
    if platform.machine() != "x86_64" or flags[march] not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor cannot do that")
    for network in NETWORKS:
        agree(*(train(monkeypatch, engine, network, rates=(0.05, 0.1)) for engine in (march, "off")))
