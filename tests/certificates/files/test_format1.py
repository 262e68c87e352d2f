"""Certificates of format 1, the oldest one: one that was written by such a version is still verified."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap.certificates import any_kernel, retrain, verify
from kernelgap.certificates.files.format1.claim import Claim1
from kernelgap.certificates.files.sealed import read_sealed
from kernelgap.errors import InputError
from kernelgap.problems import get
from support.certificates.forged import FALSE_OF_ONE_NETWORK, both, in_claim, in_weights, reseal

OLD = Path(__file__).with_name("data") / "version-1.zip"
PROBLEM = "hard(d=6, k=2, alpha=0.5)"


def failing(verification):
    return [check.what for check in verification.checks if not check.holds]


def own():
    return Claim1.model_validate_json(read_sealed(OLD)["claim.json"])


def test_an_old_certificate_holds_and_is_said_to_be_old():
    found = verify(OLD)
    assert failing(found) == []
    assert len(found.checks) == 11
    assert found.trusted[0].startswith("It is of format 1, the oldest one, about one network")
    matrix = any_kernel(get(PROBLEM), 20, kernel="matrix").samples_for(own().high)
    assert f"it means any scalar one; a matrix-valued kernel needs {matrix} samples" in found.trusted[0]
    assert found.claim.sentence.startswith("3resnet(all) reached")
    assert not any("format 2" in statement for statement in found.trusted)


def test_its_training_can_be_repeated():
    assert len(retrain(OLD, 2).risks) == 2


def with_sentence(content):
    """The sentence that such a version would make of the changed numbers."""
    claim = Claim1.model_validate_json(content)
    return in_claim("sentence", value=claim.own_sentence)(content)


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        *FALSE_OF_ONE_NETWORK,
        (("network", "risk"), lambda v: v * 0.999, "network's risk"),
        (("network", "risk"), lambda v: v * (1 + 1e-6), "network's risk"),
        (("network", "rounding"), 0.1, "network's risk"),  # that it allows itself too much is no support
        (("floors", 0, "low"), lambda v: v + 1e-7, "No weights get ck2 under"),
        (("floors", 0, "low"), lambda v: v - 1e-3, "No weights get ck2 under"),
    ],
)
def test_a_false_claim_is_found(tmp_path, path, value, what):
    changed = both(in_claim(*path, value=value), with_sentence)
    found = verify(reseal(OLD, tmp_path / "forged.zip", claim=changed))
    assert any(what in check for check in failing(found))


def test_a_false_sentence_is_found(tmp_path):
    boast = in_claim("sentence", value=lambda v: v.replace("with 20 samples", "with 2 samples"))
    found = verify(reseal(OLD, tmp_path / "forged.zip", claim=boast))
    assert failing(found) == ["The sentence says what the numbers say"]


def test_its_sentence_is_that_of_such_versions():
    """As those versions wrote it, where there is a gap and where there is none."""
    claim = own()
    assert claim.sentence == claim.own_sentence
    assert "20 samples: no gap is proved, since the bound for any kernel allows that with 0; the best" in claim.sentence
    bound = claim.any_kernel.model_copy(update={"samples_for_same_risk": 60})
    assert claim.model_copy(update={"any_kernel": bound, "floors": ()}).own_sentence == (
        "3resnet(all) reached 3.8 with 20 samples; any kernel needs at least 60 on average over which coordinates "
        "matter: a gap of 3 times."
    )


def test_other_weights_and_inputs_are_found(tmp_path):
    zeros = in_weights(**dict.fromkeys(("W", "b1", "V", "b2", "A", "offset"), np.zeros_like))
    assert "The network's risk over 64 points" in failing(verify(reseal(OLD, tmp_path / "a.zip", weights=zeros)))
    signs = save({"signs": np.ones((20, 6), np.int8)})
    found = verify(reseal(OLD, tmp_path / "b.zip", inputs=lambda _: signs))
    assert failing(found) == ["The training inputs are the problem's own"]


def cancelling(content):
    """Weights that cancel, so that rounding can move the risk by more than anything that is allowed."""
    w = {name: np.array(array) for name, array in load(content).items()}
    w["W"], w["b1"] = np.zeros_like(w["W"]), np.ones_like(w["b1"])
    w["A"] = np.tile(np.where(np.arange(w["A"].shape[1]) % 2, -1e7, 1e7), (len(w["A"]), 1)).astype(np.float32)
    return save(w)


def test_rounding_is_no_excuse(tmp_path):
    found = verify(reseal(OLD, tmp_path / "forged.zip", weights=cancelling))
    assert "The network's risk over 64 points" in failing(found)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"claim": in_claim("version", value=2)}, "network.mode is missing"),
        ({"claim": in_claim("version", value=1.0)}, "not written as a certificate"),
        ({"claim": in_claim("network", "risk", value=float("nan"))}, "network.risk"),
        ({"claim": in_claim("network", "risk", value=1e308)}, "network.risk"),
        ({"claim": in_claim("more", value=1)}, "more = 1 is not possible"),
        ({"claim": in_claim("sentence", value="\x1b[2J")}, "sentence"),
        ({"claim": in_claim("problem", value="hard(d=10**9, k=3, alpha=0.5)")}, "is not a problem"),
        ({"weights": in_weights(W=lambda w: w[:, :5].copy())}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(b1=lambda b: b[:4].copy())}, "the tensors in weights.safetensors"),
        ({"weights": lambda _: b""}, "the tensors in weights.safetensors"),
        ({"weights": lambda _: b"\x02\0\0\0\0\0\0\0{}"}, "the tensors in weights.safetensors"),
        ({"inputs": lambda _: save({"signs": np.zeros((20, 6), np.int8)})}, "are not signs"),
    ],
)
def test_nonsense_is_refused_with_the_reason(tmp_path, changes, reason):
    with pytest.raises(InputError, match=reason):
        verify(reseal(OLD, tmp_path / "forged.zip", **changes))
