"""Certificates as files: whole, changed, false."""

import json

import jax
import numpy as np
import pytest
from safetensors.numpy import save

from kernelgap import networks, problems
from kernelgap.certificates import TrainedNetwork, certify, verify
from kernelgap.certificates.certificate import CLAIM, INPUTS, WEIGHTS
from kernelgap.certificates.sealed import SEAL, read_sealed, write_sealed
from kernelgap.errors import InputError

PROBLEM = "hard(d=9, k=3, alpha=0.5)"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    problem = problems.get(PROBLEM)
    params = networks.get("3resnet").init(jax.random.key(0), inputs=9, outputs=3, width=8)
    path = tmp_path_factory.mktemp("certificate") / "cert.zip"
    trained = TrainedNetwork(networks.get("3resnet"), params)
    claim = certify(path, problem, trained, samples=20, seed=3, kernels=["ck2", "gaussian"], method="3resnet(all)")
    return path, claim


def test_a_certificate_holds_and_says_so(certificate):
    path, claim = certificate
    found = verify(path)
    assert found.holds
    assert found.claim == claim
    assert len(found.checks) == 9
    assert claim.any_kernel.family_size == 84
    assert claim.floors[1].kernel.startswith("gaussian(bandwidth=")  # settled on the inputs
    assert claim.sentence.startswith("3resnet(all) reached")


def test_every_changed_byte_is_refused(certificate, tmp_path, rng):
    content = certificate[0].read_bytes()
    places = set(range(40)) | set(range(len(content) - 400, len(content)))  # headers, seal and directory: all of them
    places |= set(rng.integers(0, len(content), 300).tolist())
    for place in sorted(places):
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "changed.zip").write_bytes(changed)
        with pytest.raises(InputError, match="refused"):
            read_sealed(tmp_path / "changed.zip")
    for changed in (content[:-1], content + b"\0", b"x" + content, content[:100], b""):
        (tmp_path / "changed.zip").write_bytes(changed)
        with pytest.raises(InputError, match="refused"):
            read_sealed(tmp_path / "changed.zip")


def reseal(certificate, tmp_path, **changes):
    """A forged file: its seal is right, its content is not."""
    parts = read_sealed(certificate[0])
    for name, change in changes.items():
        part = {"claim": CLAIM, "weights": WEIGHTS, "inputs": INPUTS}[name]
        parts[part] = change(parts[part])
    return write_sealed(tmp_path / "forged.zip", parts)


def in_claim(*path, value):
    def change(content):
        fields = json.loads(content)
        place = fields
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value(place[path[-1]])
        return json.dumps(fields).encode()

    return change


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        (("network", "risk"), lambda v: v * 0.999, "network's risk"),
        (("network", "points"), lambda v: v - 1, "network's risk"),
        (("any_kernel", "family_size"), lambda v: v + 1, "size of the family"),
        (("any_kernel", "mean_risk"), lambda v: "2/3", "mean risk of any kernel"),
        (("any_kernel", "samples_for_same_risk"), lambda v: v + 1, "Samples that any kernel needs"),
        (("floors", 0, "low"), lambda v: v + 1e-9, "No weights get ck2 under"),
        (("floors", 0, "high"), lambda v: v + 1e-3, "No weights get ck2 under"),
        (("floors", 1, "kernel"), lambda v: "ntk2", "No weights get ntk2 under"),
        (("threshold",), lambda v: 0.76, "threshold"),
        (("seed",), lambda v: 4, "training inputs"),
        (("samples",), lambda v: 21, "training inputs"),
        (("sentence",), lambda v: "The network wins.", "sentence"),
    ],
)
def test_a_false_claim_is_found(certificate, tmp_path, path, value, what):
    found = verify(reseal(certificate, tmp_path, claim=in_claim(*path, value=value)))
    assert not found.holds
    assert any(what in check.what for check in found.checks if not check.holds)


def test_other_weights_or_inputs_are_found(certificate, tmp_path):
    def other_weights(content):
        from safetensors.numpy import load

        weights = load(content)
        weights["A"] = weights["A"] * 1.001
        return save(weights)

    found = verify(reseal(certificate, tmp_path, weights=other_weights))
    assert [check.what for check in found.checks if not check.holds] == ["The network's risk over 512 points"]
    found = verify(reseal(certificate, tmp_path, inputs=lambda _: save({"signs": np.ones((20, 9), np.int8)})))
    assert [check.what for check in found.checks if not check.holds] == ["The training inputs are the problem's own"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"claim": lambda _: b"[]"}, "not an object"),
        ({"claim": lambda _: b"\xff"}, "cannot be read"),
        ({"claim": in_claim("version", value=lambda v: 2)}, "version"),
        ({"claim": in_claim("network", "risk", value=lambda v: -1.0)}, "network.risk = -1.0 is not possible"),
        ({"claim": in_claim("problem", value=lambda v: "nothing")}, "Unknown problem 'nothing'"),
        ({"claim": in_claim("network", "name", value=lambda v: "4resnet")}, "Unknown network '4resnet'"),
        ({"weights": lambda _: b"no tensors"}, "cannot be read"),
        ({"weights": lambda _: save({"W": np.zeros((2, 2), np.float32)})}, "weights are not those of a 3resnet"),
        ({"inputs": lambda _: save({"other": np.zeros(3, np.int8)})}, "cannot be read"),
    ],
)
def test_nonsense_is_refused_with_the_reason(certificate, tmp_path, changes, reason):
    with pytest.raises(InputError, match=reason):
        verify(reseal(certificate, tmp_path, **changes))


def test_files_that_are_no_certificates(tmp_path):
    with pytest.raises(InputError, match="could not be read"):
        verify(tmp_path / "none.zip")
    with pytest.raises(InputError, match="could not be read"):
        verify(tmp_path)
    write_sealed(tmp_path / "other.zip", {"letter.txt": b"hello"})
    with pytest.raises(InputError, match=r"it has no claim\.json"):
        verify(tmp_path / "other.zip")
    with pytest.raises(InputError, match="could not be written"):
        write_sealed(tmp_path / "missing" / "cert.zip", {})
    assert SEAL not in read_sealed(tmp_path / "other.zip")
    with pytest.raises(InputError, match="about a trained network"):
        certify(tmp_path / "cert.zip", problems.get(PROBLEM), lambda X: X, samples=20)
