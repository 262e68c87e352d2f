"""Certificates as files: true ones, and false ones that verifying finds."""

import json
import re
from fractions import Fraction

import jax
import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap import console, networks, problems
from kernelgap.certificates import TrainedNetwork, any_kernel, certify, exact_risk, verify
from kernelgap.certificates.confidence import upper_limit
from kernelgap.certificates.exact.fixed_point.network import LAYOUTS
from kernelgap.certificates.files.sealed import read_sealed
from kernelgap.errors import InputError
from support.certificates.certified import PROBLEM, started
from support.certificates.forged import as_written, both, in_claim, in_weights, reseal


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
