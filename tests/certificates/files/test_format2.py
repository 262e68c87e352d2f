"""Certificates of format 2, the older one: one that was written by an earlier version is still verified."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from kernelgap.certificates import any_kernel, retrain, verify
from kernelgap.errors import InputError
from kernelgap.problems import get
from support.certificates.forged import FALSE_OF_ONE_NETWORK, both, in_claim, in_weights, reseal

OLD = Path(__file__).with_name("data") / "version-2.zip"
PROBLEM = "hard(d=6, k=2, alpha=0.5)"


def failing(verification):
    return [check.what for check in verification.checks if not check.holds]


def test_an_old_certificate_holds_and_is_said_to_be_old():
    found = verify(OLD)
    assert found.holds
    assert len(found.checks) == 10
    assert found.claim.version == 2
    assert found.claim.sentence.startswith("3resnet(all) reached 2.5 (one start) with 20 samples")
    assert any("format 2, the older one, about one network" in statement for statement in found.trusted)
    assert any("learned from these 20 inputs" in statement for statement in found.trusted)


def test_its_training_can_be_repeated():
    assert retrain(OLD, 2).consistent


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        *FALSE_OF_ONE_NETWORK,
        (("network", "low"), lambda v: v * 1.001, "network's risk"),
        (("network", "high"), lambda v: v * 0.999, "network's risk"),
        (("any_kernel", "matrix_valued_samples_for_same_risk"), lambda v: v + 1, "any matrix-valued one"),
        (("floors", 0, "low"), lambda v: v + 1e-9, "No weights get ck2 under"),
    ],
)
def test_a_false_claim_is_found(tmp_path, path, value, what):
    found = verify(reseal(OLD, tmp_path / "forged.zip", claim=in_claim(*path, value=value)))
    assert any(what in check for check in failing(found))


def consistent(high, low=0.0):
    """The claim of this risk, and of all that follows from it: nothing but the risk itself is false."""
    scalar, matrix = (any_kernel(get(PROBLEM), 20, kernel).samples_for(high) for kernel in ("scalar", "matrix"))
    return both(
        in_claim("network", "low", value=low),
        in_claim("network", "high", value=high),
        in_claim("any_kernel", "samples_for_same_risk", value=scalar),
        in_claim("any_kernel", "matrix_valued_samples_for_same_risk", value=matrix),
    )


def cancels(A):
    """Entries of 1e7 in pairs that differ in sign."""
    return np.tile(np.where(np.arange(A.shape[1]) % 2, -1e7, 1e7), (len(A), 1)).astype(np.float32)


def test_no_forged_risk_is_believed(tmp_path):
    zeros = in_weights(**dict.fromkeys(("W", "b1", "V", "b2", "A", "offset"), np.zeros_like))
    large = in_weights(W=np.zeros_like, b1=np.ones_like, A=cancels)
    little = consistent(1e-9)
    forgeries = {
        "a scale that overflows float32": {"claim": both(in_claim("network", "scale", value=1e60), little)},
        "a scale that overflows float64": {"claim": both(in_claim("network", "scale", value=1e300), little)},
        "weights that cancel": {"weights": large, "claim": little},
        "zeros, and any rounding": {"weights": zeros, "claim": consistent(2.4)},
        "an interval that says nothing": {"claim": consistent(1e6)},
        "low above high": {"claim": consistent(1.0, low=5.0)},
    }
    for name, changes in forgeries.items():
        found = verify(reseal(OLD, tmp_path / "forged.zip", **changes))
        assert "The network's risk over 64 points" in failing(found), name
    signs = save({"signs": np.ones((20, 6), np.int8)})
    found = verify(reseal(OLD, tmp_path / "forged.zip", inputs=lambda _: signs))
    assert failing(found) == ["The training inputs are the problem's own"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"claim": in_claim("version", value=1)}, "network.method is missing"),
        ({"claim": in_claim("version", value=3)}, "is missing"),
        ({"claim": in_claim("version", value=2.0)}, "not written as a certificate"),
        ({"claim": in_claim("network", "high", value=float("nan"))}, "network.high"),
        ({"claim": in_claim("network", "rounding", value=0.2)}, "network.rounding"),
        ({"claim": in_claim("problem", value="hard(d=10**9, k=3, alpha=0.5)")}, "is not a problem"),
        ({"weights": in_weights(b1=lambda b: b * np.float32("nan"))}, "a weight is infinite"),
        ({"weights": in_weights(b1=lambda b: b.astype(np.int32))}, "the tensors in weights.safetensors"),
        ({"inputs": lambda _: save({"signs": np.zeros((20, 6), np.int8)})}, "are not signs"),
    ],
)
def test_nonsense_is_refused_with_the_reason(tmp_path, changes, reason):
    with pytest.raises(InputError, match=reason):
        verify(reseal(OLD, tmp_path / "forged.zip", **changes))
