"""Training again what a certificate describes: whether its risk is one that this training gives."""

import jax
import numpy as np
import pytest

from kernelgap import networks, problems
from kernelgap.certificates import certify, retrain, verify
from kernelgap.certificates.files.retraining import Retraining
from kernelgap.errors import InputError
from kernelgap.training import Schedule, get_model, train_grid

PROBLEM = problems.get("hard(d=6, k=2, alpha=0.5)")
SCHEDULE = Schedule(epochs=3, batch=10)
TRAINING = {"rate": 0.05, "decay": 0.0, "schedule": SCHEDULE.model_dump()}


def trained(seed):
    network = networks.get("2layer")
    params = network.init(jax.random.key(seed), inputs=6, outputs=2, width=10)
    sample = PROBLEM.sample(20, seed)
    grid = train_grid(get_model(network, "all"), params, [0.05], [0.0], sample, schedule=SCHEDULE, seed=[seed, 3])
    return grid.predictor(0)


def certificate(path, method="2layer(all)", seeds=(0,), **training):
    predictors, training = [trained(seed) for seed in seeds], {**TRAINING, **training}
    certify(path, PROBLEM, predictors, samples=20, seeds=seeds, method=method, training=training)
    return path


def test_every_network_is_trained_again_on_its_own_inputs(tmp_path):
    path = certificate(tmp_path / "cert.zip", seeds=(5, 2))
    again = retrain(path, 3)
    assert again.seeds == (5, 2, 6)
    certified = [float(risk) for risk in verify(path).claim.risks]
    assert again.risks[:2] == pytest.approx(certified, rel=1e-3)
    assert again.certified[0] == again.certified[1] == pytest.approx(sum(certified) / 2)


def test_the_first_start_is_the_certified_training(tmp_path):
    heard = []
    again = retrain(certificate(tmp_path / "cert.zip"), 2, on_progress=lambda *progress: heard.append(progress))
    assert again.risks[0] == pytest.approx(again.certified[0], rel=1e-3)  # the certified one is rounded
    assert again.seeds == (0, 1)
    assert again.consistent
    assert (heard[0], heard[-1][1]) == ((0.0, "start 1 of 2"), "start 2 of 2")
    assert [share for share, _ in heard] == sorted(share for share, _ in heard)


def test_a_start_that_diverges_has_no_finite_risk(tmp_path):
    again = retrain(certificate(tmp_path / "cert.zip", rate=1e5), 1)
    assert again.risks == (np.inf,)
    assert not again.consistent


@pytest.mark.parametrize(
    ("certified", "risks", "consistent", "sentence"),
    [
        (0.02, (0.01, 0.03), True, "lies within that range"),
        (0.08, (0.01, 0.03), True, "lies near it: from 0.00333 to 0.09 would"),
        (0.1, (0.01, 0.03), False, "does not give risks like the certified one"),
        (0.02, (0.01, 0.03, np.inf), True, "from 3 starts (1 diverged), risks are"),
        (0.02, (0.02, np.inf, np.inf), False, "(2 diverged)"),
        (0.02, (np.inf, np.inf), False, "diverged from each of 2 starts"),
    ],
)
def test_how_far_a_risk_may_lie_from_those_of_other_starts(certified, risks, consistent, sentence):
    count = len(risks)
    again = Retraining((certified, certified), tuple(range(count)), risks, (0.0,) * count)
    assert again.consistent == consistent
    assert sentence in again.sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"method": None}, "does not say which layers were trained"),
        ({"rate": -1.0}, "cannot be trained again"),
        ({"schedule": {"epochs": 10**7, "batch": 10}}, "would take days"),
    ],
)
def test_a_description_that_cannot_be_followed_is_refused(tmp_path, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        retrain(certificate(tmp_path / "cert.zip", **changes), 1)


@pytest.mark.parametrize("starts", [0, 1001, True, 2.0])
def test_a_number_of_starts_that_is_none_is_refused(tmp_path, starts):
    with pytest.raises(InputError, match="from 1 to 1,000"):
        retrain(tmp_path / "cert.zip", starts)
