"""Certificates as files: whole, changed, false."""

import os
import time
import zipfile

import jax
import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap import console, networks, problems
from kernelgap.certificates import TrainedNetwork, any_kernel, certify, verify
from kernelgap.certificates.files.limits import bounded_network
from kernelgap.certificates.files.sealed import SEAL, read_sealed, write_sealed
from kernelgap.errors import InputError
from support.forged import both, in_claim, in_weights, reseal

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
    assert len(found.checks) == 10
    assert 0 < claim.network.high - claim.network.low < 1e-7 * claim.network.high
    assert claim.any_kernel.family_size == 84
    assert claim.floors[1].kernel.startswith("gaussian(bandwidth=")  # is_fitted on the inputs
    assert claim.sentence.startswith("3resnet(all) reached")
    assert claim.network.method == "3resnet(all)"


def test_progress_goes_to_who_asked_and_nothing_is_printed(certificate, capsys, monkeypatch):
    monkeypatch.setattr(console, "PATIENCE", 0.0)
    heard = []
    verify(certificate[0], on_progress=lambda share, activity: heard.append((share, activity)))
    shares, activities = zip(*heard, strict=True)
    assert list(shares) == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert activities[0] == "floor of ck2"
    assert activities[-1] == "100% of 512 points"
    verify(certificate[0])
    assert capsys.readouterr() == ("", "")


def test_every_network_that_can_be_certified_is(tmp_path):
    problem = problems.get("hard(d=6, k=2, alpha=0.5)")
    for name in ("2layer-signs", "3resnet-gated(sharpness=8.0)", "3resnet-conv(patches=3)"):
        network = networks.get(name)
        params = network.init(jax.random.key(0), inputs=6, outputs=2, width=5)
        claim = certify(tmp_path / "cert.zip", problem, TrainedNetwork(network, params), samples=5)
        assert (claim.network.method, claim.network.width) == (name, 5)
        assert verify(tmp_path / "cert.zip").holds


def test_a_method_says_what_it_is(tmp_path):
    network = networks.get("2layer")
    params = network.init(jax.random.key(0), inputs=9, outputs=3, width=5)
    with pytest.raises(InputError, match=r"is 2layer\(all\) or 2layer\(hidden\), not 'gaussian kernel"):
        certify(
            tmp_path / "cert.zip",
            problems.get(PROBLEM),
            TrainedNetwork(network, params),
            samples=20,
            method="gaussian kernel ridge regression",
        )


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
    for other in (content[:-1], content + b"\0", b"x" + content, content[:100], b""):
        (tmp_path / "changed.zip").write_bytes(other)
        with pytest.raises(InputError, match="refused"):
            read_sealed(tmp_path / "changed.zip")


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        (("network", "low"), lambda v: v * 1.001, "network's risk"),
        (("network", "high"), lambda v: v * 0.999, "network's risk"),
        (("network", "points"), lambda v: v - 1, "network's risk"),
        (("any_kernel", "family_size"), lambda v: v + 1, "size of the family"),
        (("any_kernel", "mean_risk"), "2/3", "mean risk of any scalar kernel"),
        (("any_kernel", "samples_for_same_risk"), lambda v: v + 1, "Samples that any such kernel needs"),
        (("any_kernel", "matrix_valued_samples_for_same_risk"), lambda v: v + 1, "any matrix-valued one"),
        (("floors", 0, "low"), lambda v: v + 1e-9, "No weights get ck2 under"),
        (("floors", 0, "high"), lambda v: v + 1e-3, "No weights get ck2 under"),
        (("floors", 1, "kernel"), "ntk2", "No weights get ntk2 under"),
        (("threshold",), 0.76, "threshold"),
        (("seed",), 4, "training inputs"),
        (("network", "training"), {"samples": 150}, "description of the training"),
    ],
)
def test_a_false_claim_is_found(certificate, tmp_path, path, value, what):
    found = verify(reseal(certificate[0], tmp_path / "forged.zip", claim=in_claim(*path, value=value)))
    assert not found.holds
    assert any(what in check.what for check in found.checks if not check.holds)


def test_other_weights_or_inputs_are_found(certificate, tmp_path):
    path = tmp_path / "forged.zip"
    found = verify(reseal(certificate[0], path, weights=in_weights(A=lambda A: A * np.float32(1.001))))
    assert [check.what for check in found.checks if not check.holds] == ["The network's risk over 512 points"]
    found = verify(reseal(certificate[0], path, inputs=lambda _: save({"signs": np.ones((20, 9), np.int8)})))
    assert [check.what for check in found.checks if not check.holds] == ["The training inputs are the problem's own"]


def risk_stated(low, high):
    return both(in_claim("network", "low", value=low), in_claim("network", "high", value=high))


def consistent(problem, high, *, low=0.0):
    """The claim of this risk, and of all that follows from it: nothing but the risk itself is false."""
    bound, matrix = any_kernel(problem, 20), any_kernel(problem, 20, kernel="matrix")
    return both(
        risk_stated(low, high),
        in_claim("any_kernel", "samples_for_same_risk", value=bound.samples_for(high)),
        in_claim("any_kernel", "matrix_valued_samples_for_same_risk", value=matrix.samples_for(high)),
    )


def cancels(A):
    """Entries of 1e7 in pairs that differ in sign."""
    return np.tile(np.where(np.arange(A.shape[1]) % 2, -1e7, 1e7), (len(A), 1)).astype(np.float32)


def test_no_forged_risk_is_believed(certificate, tmp_path):
    """Each of these held once, to 1e-9 with a rounding of the forger's choice."""
    problem, path = problems.get(PROBLEM), tmp_path / "forged.zip"
    little = consistent(problem, 1e-9)
    zeros = in_weights(**dict.fromkeys(("W", "b1", "V", "b2", "A", "offset"), np.zeros_like))
    large = in_weights(W=np.zeros_like, b1=np.ones_like, A=cancels)
    forgeries = {
        "a scale that overflows float32": {"claim": both(in_claim("network", "scale", value=1e60), little)},
        "a scale that overflows float64": {"claim": both(in_claim("network", "scale", value=1e300), little)},
        "weights that cancel": {"weights": large, "claim": little},
        "zeros, and any rounding": {"weights": zeros, "claim": consistent(problem, 3.3)},
        "zeros, and none": {"weights": zeros, "claim": consistent(problem, 0.0)},
        "an interval that says nothing": {"claim": consistent(problem, 1e6)},
        "low above high": {"claim": risk_stated(5.0, 1.0)},
    }
    for name, changes in forgeries.items():
        found = verify(reseal(certificate[0], path, **changes))
        assert not found.holds, name
        assert "The network's risk over 512 points" in [c.what for c in found.checks if not c.holds], name


def test_what_the_verifier_cannot_tell_does_not_hold(certificate, tmp_path):
    """A true statement, but rounding hides it: entries of 1e30 that cancel."""
    network = networks.get("3resnet")
    problem = problems.get(PROBLEM)
    params = {n: np.zeros(w.shape, np.float32) for n, w in network.weights(9, 3, 8).items()}
    params |= {"b1": np.ones(8, np.float32), "A": cancels(params["A"]) * np.float32(1e23)}
    with pytest.raises(InputError, match="not narrow against"):
        certify(tmp_path / "cert.zip", problem, TrainedNetwork(network, params), samples=20)
    true = 3 * (1 + 0.25)  # outputs are 0: |H|^2
    weights = in_weights(**params, offset=np.zeros(3, np.float32))
    claim = consistent(problem, true + 1e-6, low=true - 1e-6)
    found = verify(reseal(certificate[0], tmp_path / "wide.zip", weights=weights, claim=claim))
    assert "too wide to tell" in next(c.found for c in found.checks if not c.holds)


@pytest.mark.parametrize(
    "change",
    [
        lambda low, high: (high, low),  # inverted
        lambda low, high: (low + 9e-10, high + 9e-10),
        lambda low, high: (low - 9e-10, high - 9e-10),
        lambda low, high: (low + 9e-10, high),
        lambda low, high: (low, low),
        lambda low, high: (0.0, high),
    ],
)
def test_a_floor_is_what_the_whole_proof_supports(certificate, tmp_path, change):
    floor = certificate[1].floors[0]
    low, high = change(floor.low, floor.high)
    claim = both(in_claim("floors", 0, "low", value=low), in_claim("floors", 0, "high", value=high))
    found = verify(reseal(certificate[0], tmp_path / "forged.zip", claim=claim))
    assert [c.what for c in found.checks if not c.holds] == ["No weights get ck2 under"]


def test_a_kernel_left_out_leaves_a_sentence_that_is_true(certificate, tmp_path):
    one = reseal(certificate[0], tmp_path / "one.zip", claim=in_claim("floors", value=lambda floors: floors[1:]))
    found = verify(one)
    assert found.holds
    assert f"Of the kernels in this file the best ({found.claim.floors[0].kernel})" in found.claim.sentence
    assert "ck2" not in found.claim.sentence


def test_what_is_taken_on_trust_is_told(certificate):
    trusted = verify(certificate[0]).trusted
    assert any("learned from these 20 inputs" in statement for statement in trusted)
    assert any("How it was trained" in statement for statement in trusted)
    assert not any("learned from" in check.what for check in verify(certificate[0]).checks)


def twice(content):
    return content.replace(b' "samples": 20', b' "samples": 1,\n "samples": 20')


ESCAPE = "3resnet\x1b[2J"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"claim": lambda _: b"[]"}, "no JSON object"),
        ({"claim": lambda _: b"\xff"}, "no JSON object"),
        ({"claim": lambda _: b"{" * 10**5}, "no JSON object"),
        ({"claim": lambda _: b'{"a":' * 10**4}, "no JSON object"),
        ({"claim": lambda content: content.decode().encode("utf-16")}, "no JSON object"),
        ({"claim": lambda content: b"\xef\xbb\xbf" + content}, "no JSON object"),
        ({"claim": lambda content: b" " * 2**19 + content}, "larger than any certificate's"),
        ({"claim": lambda content: content + b" "}, "not written as a certificate writes it"),
        ({"claim": twice}, "keys given twice"),
        ({"claim": in_claim("version", value=1)}, "make the certificate again"),
        ({"claim": in_claim("samples", value="20")}, "samples = '20' is not possible"),
        ({"claim": in_claim("samples", value=20.0)}, "samples = 20.0 is not possible"),
        ({"claim": in_claim("samples", value=True)}, "samples = True is not possible"),
        ({"claim": in_claim("threshold", value="0.75")}, "threshold = '0.75' is not possible"),
        ({"claim": in_claim("network", "high", value=float("nan"))}, "network.high"),
        ({"claim": in_claim("network", "high", value=float("inf"))}, "network.high"),
        ({"claim": in_claim("network", "low", value=-1.0)}, "network.low = -1.0 is not possible"),
        ({"claim": in_claim("network", "method", value="gaussian kernel ridge regression")}, "network.method"),
        ({"claim": in_claim("network", "rounding", value=0.2)}, "network.rounding"),
        ({"claim": in_claim("network", "mode", value="gaussian")}, "network.mode"),
        ({"claim": in_claim("network", "name", value=ESCAPE)}, r"\\x1b\[2J"),
        ({"claim": in_claim("network", "training", value={"a": {"b": {"c": 1}}})}, "network.training"),
        ({"claim": in_claim("network", "training", value={"\u202e": 1})}, r"network.training.\\u202e"),
        ({"claim": in_claim("sentence", value="The network wins.")}, "sentence"),
        ({"claim": in_claim("problem", value="nothing")}, "Unknown problem 'nothing'"),
        ({"claim": in_claim("problem", value="hard(d=9, k=3, alpha=0.5)")}, "writes its problem as"),
        ({"claim": in_claim("floors", 0, "kernel", value="ntk(depth=1)")}, "writes this kernel as 'ntk2'"),
        ({"claim": in_claim("network", "name", value="4resnet")}, "Unknown network '4resnet'"),
        ({"weights": lambda _: b"no tensors"}, "the tensors in weights.safetensors"),
        ({"weights": lambda _: save({"W": np.zeros((2, 2), np.float32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(more=np.zeros(3, np.float32))}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(b1=lambda b: b.astype(np.complex64))}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(b1=lambda b: b.astype(np.float16))}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(b1=lambda b: b.astype(np.int32))}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(b1=lambda b: b * np.float32("nan"))}, "a weight is infinite"),
        ({"weights": lambda content: save(load(content), {"note": "hello"})}, "the tensors in weights.safetensors"),
        ({"weights": lambda c: (2**60).to_bytes(8, "little") + c[8:]}, "the tensors in weights.safetensors"),
        ({"inputs": lambda _: save({"other": np.zeros(3, np.int8)})}, "the tensors in inputs.safetensors"),
        ({"inputs": lambda _: save({"signs": np.ones((20, 9), np.int16)})}, "the tensors in inputs.safetensors"),
        ({"inputs": lambda _: save({"signs": np.zeros((20, 9), np.int8)})}, "are not signs"),
    ],
)
def test_nonsense_is_refused_with_the_reason(certificate, tmp_path, changes, reason):
    with pytest.raises(InputError, match=reason) as refusal:
        verify(reseal(certificate[0], tmp_path / "forged.zip", **changes))
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 600


HOSTILE = {
    "samples": [20_000, 10**9, 10**18, 10**40],
    "seed": [2**32, 10**40],
    "problem": [
        "hard(d=1000000000, k=3, alpha=0.5)",
        "hard(alpha=1e+200, beta=1.0, d=9, d1=9, k=3, noise=0.0, seed=0)",
        f"hard(d={'-' * 250}3, k=3)",
        f"hard(d={'(' * 150}3{')' * 150}, k=3)",
        "hard(d=9**9**9, k=3, alpha=0.5)",
        f"hard(d={'9' * 280}, k=3, alpha=0.5)",
        "hard(alpha=0.5, beta=1.0, d=31, d1=31, k=3, noise=0.0, seed=0)",
        "concept1(d=10000000)",
    ],
    "kernel": [
        "polynomial(degree=100000000)",
        "ck(depth=100000000)",
        "ntk(depth=1000)",
        "gaussian(bandwidth=1e+300)",
        "gaussian",  # takes its bandwidth from data
        "precomputed",
        "+".join(["ck2"] * 100),
        "random_features(count=1000000000)",
    ],
    "name": ["resnet-999", "3resnet-conv(patches=1000000000)", "conv-resnet-8(image=(99999999, 9999999, 9))"],
    "width": [10**9, 10**18],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field in HOSTILE for value in HOSTILE[field]])
def test_hostile_sizes_are_refused_at_once(certificate, tmp_path, field, value):
    path = {"kernel": ("floors", 0, "kernel"), "name": ("network", "name"), "width": ("network", "width")}
    claim = in_claim(*path.get(field, (field,)), value=value)
    began = time.perf_counter()
    with pytest.raises(InputError, match="is refused"):
        verify(reseal(certificate[0], tmp_path / "hostile.zip", claim=claim))
    assert time.perf_counter() - began < 10


def test_more_work_than_hours_is_refused():
    sec8 = problems.get("sec8")
    assert bounded_network("3resnet", sec8, 1000).name == "3resnet"
    with pytest.raises(InputError, match="more than a certificate may ask"):
        bounded_network("3layer", sec8, 10_000)


def test_files_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero", "x" * 300, "a\0b"):
        with pytest.raises(InputError, match="could not be read"):
            verify(path)
    with (tmp_path / "large.zip").open("wb") as file:
        file.truncate(2**40)  # takes no room
    with pytest.raises(InputError, match="larger than any certificate"):
        verify(tmp_path / "large.zip")


def test_bombs_are_refused_before_they_are_read(certificate, tmp_path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("claim.json", b"0" * 10**7)
    with pytest.raises(InputError, match="compressed"):
        verify(bomb)
    with zipfile.ZipFile(bomb, "w") as file:
        for i in range(1000):
            file.writestr(f"{i}", b"")
    with pytest.raises(InputError, match="damaged, or no certificate"):
        verify(bomb)
    content = bytearray(certificate[0].read_bytes())
    entry = content.rindex(b"PK\1\2", 0, content.rindex(b"PK\1\2"))
    content[entry + 20 : entry + 28] = (2**31).to_bytes(4, "little") * 2  # a part of 2 GiB, it says
    bomb.write_bytes(content)
    with pytest.raises(InputError, match="larger than it is"):
        verify(bomb)
    more = {**read_sealed(certificate[0]), "more.txt": b"hello"}
    with pytest.raises(InputError, match="other parts than a certificate has"):
        verify(write_sealed(bomb, more))


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
