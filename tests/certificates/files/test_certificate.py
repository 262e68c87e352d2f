"""Certificates as files: whole, changed, false."""

import json
import os
import re
import time
import zipfile
from fractions import Fraction

import jax
import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap import console, networks, problems
from kernelgap.certificates import TrainedNetwork, any_kernel, certify, exact_risk, verify
from kernelgap.certificates.confidence import upper_limit
from kernelgap.certificates.exact.fixed_point.network import LAYOUTS
from kernelgap.certificates.files.limits import bounded_network
from kernelgap.certificates.files.sealed import SEAL, read_sealed, write_sealed
from kernelgap.errors import InputError
from support.forged import as_written, both, in_claim, in_weights, reseal

PROBLEM = "hard(d=9, k=3, alpha=0.5)"


def started(seed, name="3resnet", width=8, inputs=9, outputs=3):
    network = networks.get(name)
    params = network.init(jax.random.key(seed), inputs=inputs, outputs=outputs, width=width)
    return TrainedNetwork(network, params)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Two networks on 9 coordinates, and two kernels."""
    problem = problems.get(PROBLEM)
    path = tmp_path_factory.mktemp("certificate") / "cert.zip"
    trained = [started(seed) for seed in (3, 4)]
    claim = certify(
        path, problem, trained, samples=20, seeds=[3, 4], kernels=["ck2", "gaussian"], method="3resnet(all)"
    )
    return path, claim


def failing(verification):
    return [check.what for check in verification.checks if not check.holds]


def test_a_certificate_holds_and_says_so(certificate):
    path, claim = certificate
    found = verify(path)
    assert found.holds
    assert found.claim == claim
    assert len(found.checks) == 23
    assert claim.any_kernel.family_size == 84
    assert (claim.any_kernel.scalar.functions, claim.any_kernel.matrix.functions) == (20, 60)
    assert claim.floors[1].kernel.startswith("gaussian(bandwidth=")  # is_fitted on the inputs
    assert claim.sentence.startswith("3resnet(all) reached")
    assert claim.network.method == "3resnet(all)"
    assert Fraction(claim.mean.risk) == sum(claim.risks) / 2


def test_risks_are_those_of_the_trained_networks_but_for_rounding(certificate):
    problem = problems.get(PROBLEM)
    for seed, risk in zip((3, 4), certificate[1].risks, strict=True):
        network = started(seed)
        clipped = exact_risk(problem, lambda X, network=network: np.clip(network(X), -1.5, 1.5)).risk
        assert float(risk) == pytest.approx(clipped, rel=1e-4)


def test_progress_goes_to_who_asked_and_nothing_is_printed(certificate, capsys, monkeypatch):
    monkeypatch.setattr(console, "PATIENCE", 0.0)
    heard = []
    verify(certificate[0], on_progress=lambda share, activity: heard.append((share, activity)))
    shares, activities = zip(*heard, strict=True)
    assert list(shares) == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert activities[0] == "floor of ck2"
    assert activities[-1] == "network 2 of 2: 100% of 512 points"
    verify(certificate[0])
    assert capsys.readouterr() == ("", "")


def test_every_network_that_has_a_fixed_point_form_is_certified(tmp_path):
    problem = problems.get("hard(d=6, k=2, alpha=0.5)")
    for name in LAYOUTS:
        claim = certify(tmp_path / "cert.zip", problem, started(0, name, 5, 6, 2), samples=5)
        assert (claim.network.method, claim.network.width) == (name, 5)
        assert verify(tmp_path / "cert.zip").holds
    for name in ("3resnet-gated(sharpness=8.0)", "3resnet-conv(patches=3)"):
        with pytest.raises(InputError, match="no form in fixed-point numbers"):
            certify(tmp_path / "cert.zip", problem, started(0, name, 5, 6, 2), samples=5)


@pytest.mark.parametrize("background", ["zero", "uniform"])
def test_backgrounds_and_scales_are_part_of_the_certificate(tmp_path, background):
    problem = problems.hard(d=8, k=2, alpha=0.5, d1=6, background=background)
    network = networks.get("2layer")
    params = network.init(jax.random.key(1), inputs=8, outputs=2, width=5)
    trained = TrainedNetwork(network, params, scale=1.5, offset=np.array([0.1, -0.2]))
    claim = certify(tmp_path / "cert.zip", problem, trained, samples=6, seeds=2, kernels=["ntk2"])
    assert claim.target.background == background
    assert verify(tmp_path / "cert.zip").holds


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"method": "gaussian kernel ridge regression"}, r"is 3resnet\(all\) or 3resnet\(hidden\), not 'gaussian"),
        ({"seeds": [1, 2]}, "1 networks need as many seeds, not 2"),
        ({"seeds": -1}, "from 0 to 2\\^32"),
        ({"samples": 0}, "about 1 to 20,000 samples"),
        ({"confidence": 1.0}, "confidence must be a number between 0 and 1"),
        ({"predictors": []}, "about trained networks"),
        ({"predictors": [started(0), started(1)], "seeds": [1, 1]}, "a seed of its own"),
        ({"predictors": [started(0), started(1, "2layer")], "seeds": [1, 2]}, "are of one kind"),
        ({"predictors": [started(0), started(1, width=7)], "seeds": [1, 2]}, "have one width"),
        ({"predictors": started(0, inputs=8)}, "weights are not those of a 3resnet"),
        ({"predictors": lambda X: X}, "about trained networks"),
    ],
)
def test_what_cannot_be_certified_is_refused(tmp_path, changes, sentence):
    given = {"predictors": started(0), "samples": 20, "seeds": 0} | changes
    with pytest.raises(InputError, match=sentence):
        certify(tmp_path / "cert.zip", problems.get(PROBLEM), given.pop("predictors"), **given)
    assert not list(tmp_path.iterdir())


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
        (("networks", 1, "risk"), lambda v: str(Fraction(v) * Fraction(999, 1000)), "risk of network 2"),
        (("networks", 0, "risk"), lambda v: str(Fraction(v) - Fraction(1, 2**60)), "risk of network 1"),
        (("networks", 0, "seed"), 5, "training inputs"),
        (("networks", 0, "seed"), 4, "Different networks"),
        (("networks", 0, "start"), 4, "Different networks"),
        (("mean", "risk"), lambda v: str(Fraction(v) / 2), "Their mean"),
        (("mean", "upper"), lambda v: str(Fraction(v) - Fraction(1, 2**59)), "upper limit"),
        (("mean", "upper"), "1000", "upper limit"),
        (("mean", "confidence"), "99/100", "upper limit"),
        (("mean", "confidence"), "1", "upper limit"),
        (("mean", "loss_bound"), "26", "greatest risk"),
        (("any_kernel", "family_size"), lambda v: v + 1, "size of the family"),
        (("any_kernel", "scalar", "functions"), lambda v: v - 1, "functions of any scalar"),
        (("any_kernel", "matrix", "functions"), 20, "functions of any matrix"),
        (("any_kernel", "scalar", "mean_risk"), "2/3", "mean risk of any scalar kernel"),
        (("any_kernel", "matrix", "mean_risk"), "2/3", "mean risk of any matrix-valued kernel"),
        (("any_kernel", "scalar", "samples_for_mean"), lambda v: v + 1, "Samples that any scalar kernel needs"),
        (("any_kernel", "matrix", "samples_for_mean"), lambda v: v + 1, "any matrix-valued kernel needs"),
        (("any_kernel", "scalar", "samples_for_upper"), lambda v: v + 1, "and for the upper limit"),
        (("floors", 0, "low"), lambda v: v + 1e-9, "No weights get ck2 under"),
        (("floors", 0, "high"), lambda v: v + 1e-3, "No weights get ck2 under"),
        (("floors", 0, "inputs"), 1, "No weights get ck2 under"),
        (("floors", 1, "kernel"), "ntk2", "No weights get ntk2 under"),
        (("threshold",), "76/100", "threshold"),
        (("target", "alpha"), "1/3", "The target is that of"),
        (("target", "base", 0, "set"), [1], "The target is that of"),
        (("target", "composite", 0), None, "The target is that of"),
        (("network", "training"), {"samples": 150}, "description of the training"),
    ],
)
def test_a_false_claim_is_found(certificate, tmp_path, path, value, what):
    if path == ("threshold",):
        value = str(Fraction(value))
    tiny = path == ("networks", 0, "risk")
    found = verify(reseal(certificate[0], tmp_path / "forged.zip", claim=in_claim(*path, value=value)))
    assert not found.holds
    assert any(what in check for check in failing(found))
    assert any(", another fraction" in check.found for check in found.checks) == tiny


def test_other_weights_inputs_or_witnesses_are_found(certificate, tmp_path):
    path = tmp_path / "forged.zip"
    weights = in_weights(**{"1.A": lambda A: A + (np.arange(A.size).reshape(A.shape) == 0).astype(np.int32)})
    found = failing(verify(reseal(certificate[0], path, weights=weights)))
    assert found[:2] == ["The risk of network 2 over 512 points", "Their mean"]
    found = verify(reseal(certificate[0], path, inputs=in_weights(**{"0.signs": np.ones((20, 9), np.int8)})))
    assert "The training inputs are the problem's own" in failing(found)

    def weaker(content):
        fields = json.loads(content)
        fields[0]["weights"][0] = "1 1 1"
        return as_written(fields)

    found = verify(reseal(certificate[0], path, witnesses=weaker))
    assert failing(found) == ["... as its witness proves"]


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.update(sigma=[w["sigma"][0] * 2**20, w["sigma"][1]]),  # more than the least eigenvalue
        lambda w: w.update(factor_bits=w["factor_bits"] + 1),
        lambda w: w.update(weights_bits=w["weights_bits"] + 1),
        lambda w: w.update(factor=w["factor"][:-1]),
        lambda w: w.update(factor=w["factor"][::-1]),
        lambda w: w.update(weights=w["weights"][:-1]),
        lambda w: w.update(weights=[row + " 0" for row in w["weights"]]),
    ],
)
def test_a_witness_that_shows_nothing_is_found(certificate, tmp_path, change):
    def changed(content):
        fields = json.loads(content)
        change(fields[0])
        return as_written(fields)

    found = verify(reseal(certificate[0], tmp_path / "forged.zip", witnesses=changed))
    assert failing(found) == ["... as its witness proves"]


def consistent(risks):
    """The claim of these risks, and of all that follows from them: nothing but the risks themselves is false."""

    def change(content):
        fields, problem = json.loads(content), problems.get(PROBLEM)
        sure, most = Fraction(fields["mean"]["confidence"]), Fraction(fields["mean"]["loss_bound"])
        mean = sum(risks) / len(risks)
        upper = upper_limit(risks, most, sure)
        for network, risk in zip(fields["networks"], risks, strict=True):
            network["risk"] = str(risk)
        fields["mean"].update(risk=str(mean), upper=str(upper))
        for kind in ("scalar", "matrix"):
            bound = any_kernel(problem, 20, kind)
            fields["any_kernel"][kind].update(
                samples_for_mean=bound.samples_for_exact(mean), samples_for_upper=bound.samples_for_exact(upper)
            )
        return as_written(fields)

    return change


def test_no_forged_risk_is_believed(certificate, tmp_path):
    path, risks = tmp_path / "forged.zip", certificate[1].risks
    of_risks = {"The risk of network 1 over 512 points", "The risk of network 2 over 512 points"}
    assert failing(verify(reseal(certificate[0], path, claim=consistent(risks)))) == []
    for forged in ([Fraction(0), Fraction(0)], [risks[0] / 1000, risks[1] / 1000], risks[::-1]):
        found = verify(reseal(certificate[0], path, claim=consistent(forged)))
        assert set(failing(found)) >= of_risks
    zeros = in_weights(**{f"{i}.{name}": np.zeros_like for i in range(2) for name in ("C", "D")})
    found = verify(reseal(certificate[0], path, weights=zeros, claim=consistent([Fraction(15, 4)] * 2)))
    assert failing(found) == []  # such networks have the risk of the target itself: the claim is true
    same = in_weights(
        **{f"{i}.{name}": np.zeros_like for i in range(2) for name in ("W", "b1", "A", "V", "b2", "C", "D")}
    )
    found = verify(reseal(certificate[0], path, weights=same, claim=consistent([Fraction(15, 4)] * 2)))
    assert failing(found) == ["Different networks, each with seeds of its own"]


def test_one_start_is_not_sold_as_several(certificate, tmp_path):
    """The better network twice, with seeds and inputs of their own."""
    best = min(range(2), key=lambda i: certificate[1].risks[i])
    content = load(read_sealed(certificate[0])["weights.safetensors"])
    twice = {f"{i}.{name.split('.')[1]}": w for i in range(2) for name, w in content.items() if name[0] == str(best)}
    claim = consistent([certificate[1].risks[best]] * 2)
    found = verify(reseal(certificate[0], tmp_path / "forged.zip", weights=lambda _: save(twice), claim=claim))
    assert failing(found) == ["Different networks, each with seeds of its own"]


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
    assert "No weights get ck2 under" in failing(found)
    assert set(failing(found)) <= {"No weights get ck2 under", "... as its witness proves"}


def test_a_kernel_left_out_leaves_a_sentence_that_is_true(certificate, tmp_path):
    claim = in_claim("floors", value=lambda floors: floors[1:])
    one = reseal(certificate[0], tmp_path / "one.zip", claim=claim, witnesses=lambda c: as_written(json.loads(c)[1:]))
    found = verify(one)
    assert found.holds
    assert f"Of the kernels in this file the best ({found.claim.floors[0].kernel})" in found.claim.sentence
    assert "ck2" not in found.claim.sentence


def test_what_is_taken_on_trust_is_told(certificate):
    trusted = verify(certificate[0]).trusted
    assert any("learned from its 20 inputs" in statement for statement in trusted)
    assert any("How they were trained" in statement for statement in trusted)
    assert any("not the best of more" in statement for statement in trusted)
    assert any("Checked of its 3resnet: One target stands for its family" in statement for statement in trusted)
    assert not any("learned from" in check.what for check in verify(certificate[0]).checks)


def test_the_sentence_says_what_the_numbers_support(certificate):
    claim = certificate[1]
    assert "on average over 2 starts" in claim.sentence
    assert "no gap follows" in claim.sentence

    def said(mean, risks, upper, **samples):
        bound = claim.any_kernel
        scalar = bound.scalar.model_copy(update=samples)
        networks = tuple(claim.networks[0].model_copy(update={"risk": risk}) for risk in risks)
        changed = {"networks": networks, "any_kernel": bound.model_copy(update={"scalar": scalar})}
        changed["mean"] = claim.mean.model_copy(update={"risk": mean, "upper": upper})
        return claim.model_copy(update=changed).sentence

    few = said("1/100", ["1/100"] * 5, "20", samples_for_mean=80, samples_for_upper=0)
    assert "needs at least 80 on average over which coordinates matter: a gap of 4 times" in few
    assert "5 starts are too few" in few
    assert re.search(r"\. [0-9]+ would do, if each had the greatest risk seen", few)
    many = said("1/100", ["1/100"] * 50, "1/10", samples_for_mean=80, samples_for_upper=60)
    assert "at most 0.1, for which any scalar kernel needs 60: a gap of at least 3 times" in many
    one = said("1/100", ["1/100"], "20", samples_for_mean=80, samples_for_upper=0)
    assert "with one start, each with" in one
    assert "one start is too few" in one


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
        ({"claim": lambda content: b" " * 2**22 + content}, "larger than any certificate's"),
        ({"claim": lambda content: content + b" "}, "not written as a certificate writes it"),
        ({"claim": twice}, "keys given twice"),
        ({"claim": in_claim("version", value=1)}, "make the certificate again"),
        ({"claim": in_claim("samples", value="20")}, "samples = '20' is not possible"),
        ({"claim": in_claim("samples", value=20.0)}, "samples = 20.0 is not possible"),
        ({"claim": in_claim("samples", value=True)}, "samples = True is not possible"),
        ({"claim": in_claim("threshold", value="0.75")}, "threshold = '0.75' is not possible"),
        ({"claim": in_claim("threshold", value="6/8")}, "threshold = '6/8' is not possible"),
        ({"claim": in_claim("threshold", value="3/0")}, "threshold = '3/0' is not possible"),
        ({"claim": in_claim("threshold", value="1" * 3000)}, "threshold"),
        ({"claim": in_claim("mean", "upper", value=0.5)}, "mean.upper = 0.5 is not possible"),
        ({"claim": in_claim("floors", 0, "high", value=float("nan"))}, "floors.0.high"),
        ({"claim": in_claim("floors", 0, "high", value=float("inf"))}, "floors.0.high"),
        ({"claim": in_claim("floors", 0, "inputs", value=2)}, "a network that is not there"),
        ({"claim": in_claim("networks", value=[])}, "networks"),
        ({"claim": in_claim("networks", value=lambda v: v[:1])}, "the tensors in weights.safetensors"),
        ({"claim": in_claim("network", "bits", "out", value=19)}, "units of 2"),
        ({"claim": in_claim("network", "bits", "W", value=40)}, "too large, or too coarse"),
        ({"claim": in_claim("network", "bits", "W", value=-1)}, "network.bits.W = -1 is not possible"),
        ({"claim": in_claim("network", "name", value="2layer")}, "a 2layer has no V whose bits"),
        ({"claim": in_claim("network", "name", value="3resnet-gated")}, "a network of a certificate is one of 2layer"),
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
        ({"claim": in_claim("network", "name", value="4resnet")}, "is one of 2layer, .* not '4resnet'"),
        ({"weights": lambda _: b"no tensors"}, "the tensors in weights.safetensors"),
        ({"weights": lambda _: save({"W": np.zeros((2, 2), np.float32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(more=np.zeros(3, np.float32))}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b1": lambda b: b.astype(np.complex64)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b1": lambda b: b.astype(np.float32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b1": lambda b: b.astype(np.int64)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.b2": lambda b: b.astype(np.int32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.W": lambda w: w[:, :8]})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"2.W": np.zeros((8, 9), np.int32)})}, "the tensors in weights.safetensors"),
        ({"weights": in_weights(**{"0.W": lambda w: w | np.int32(2**30)})}, "too large, or too coarse"),
        ({"witnesses": lambda _: b"[]"}, "has 0 witnesses for 2 floors"),
        ({"witnesses": lambda _: b"{}"}, "not written as a certificate writes it"),
        ({"witnesses": lambda content: content + b" "}, "not written as a certificate writes it"),
        ({"witnesses": lambda content: content.replace(b'"weights"', b'"weight"')}, "not written as a certificate"),
        ({"witnesses": lambda content: content.replace(b'"factor": [\n   "', b'"factor": [\n   "0x')}, "hexadecimal"),
        ({"witnesses": lambda content: content.replace(b'"factor": [\n   "', b'"factor": [\n   "00')}, "hexadecimal"),
        ({"weights": lambda content: save(load(content), {"note": "hello"})}, "the tensors in weights.safetensors"),
        ({"weights": lambda c: (2**60).to_bytes(8, "little") + c[8:]}, "the tensors in weights.safetensors"),
        ({"inputs": lambda _: save({"other": np.zeros(3, np.int8)})}, "the tensors in inputs.safetensors"),
        ({"inputs": in_weights(**{"0.signs": np.ones((20, 9), np.int16)})}, "the tensors in inputs.safetensors"),
        ({"inputs": in_weights(**{"1.signs": np.ones((19, 9), np.int8)})}, "the tensors in inputs.safetensors"),
        ({"inputs": in_weights(**{"1.signs": np.zeros((20, 9), np.int8)})}, "are not signs"),
        ({"inputs": in_weights(**{"1.signs": np.full((20, 9), -128, np.int8)})}, "are not signs"),
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
    "risk": ["9" * 10**5, "1/" + "9" * 10**5, "9" * 1999, str(10**18 + 1)],
    "needed": [10**19, 10**400, 10**4000],
    "sets": [[10**40], list(range(10**5))],
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
    path |= {"needed": ("any_kernel", "scalar", "samples_for_mean")}
    path |= {"seed": ("networks", 0, "seed"), "risk": ("networks", 0, "risk"), "sets": ("target", "base", 0, "set")}
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
    with pytest.raises(InputError, match="about trained networks"):
        certify(tmp_path / "cert.zip", problems.get(PROBLEM), lambda X: X, samples=20)
