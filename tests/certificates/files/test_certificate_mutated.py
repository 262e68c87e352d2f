"""Random changes to a certificate, each with a right seal: refused or judged, and what is said to hold is true."""

import json
from fractions import Fraction
from itertools import product
from math import comb

import jax
import numpy as np
import pytest
from safetensors.numpy import load, save

from kernelgap import networks, problems
from kernelgap.certificates import TrainedNetwork, certify, oracle_risk, verify
from kernelgap.certificates.files.parts import CLAIM, INPUTS, WEIGHTS, WITNESSES
from kernelgap.certificates.files.sealed import read_sealed, write_sealed
from kernelgap.errors import InputError
from support.certificates.forged import as_written

PROBLEM = "hard(d=6, k=2, alpha=0.5)"
ODD = (
    *(None, True, [], {}, "", "0", "nan", "\x1b[31m", "x" * 400, "[bold]", "ck(depth=99999999)", "hard(d=10**9)"),
    *(0, -1, 1, 2, 10**9, 10**18, 10**400, 0.0, -0.0, 1e-300, 1e300, -1.5, float("nan"), float("inf")),
)


def make(path):
    network = networks.get("3resnet")
    params = [network.init(jax.random.key(seed), inputs=6, outputs=2, width=4) for seed in range(2)]
    training = {"rate": 0.1, "decay": 1e-4, "schedule": {"epochs": 3, "batch": 5}, "samples": 10, "network": "3resnet"}
    return certify(
        path,
        problems.get(PROBLEM),
        [TrainedNetwork(network, each) for each in params],
        samples=10,
        seeds=[0, 1],
        kernels=["ck2"],
        method="3resnet(all)",
        training=training,
    )


def leaves(tree, path=()):
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(value, (*path, key))
    yield path


def change_number(value, rng):
    kind = rng.integers(6)
    if isinstance(value, int):
        return [value + 1, value - 1, -value, value * 2, float(min(value, 10**300)), str(value)][kind]
    step = [np.nextafter(value, np.inf), np.nextafter(value, -np.inf)]
    return float([*step, value + 9e-10, value - 9e-10, value * 0.999, value * 2][kind])


def change_claim(content, rng):
    fields = json.loads(content)
    for _ in range(rng.integers(1, 4)):
        every = [path for path in leaves(fields) if path]
        path = every[rng.integers(len(every))]
        place = fields
        for key in path[:-1]:
            place = place[key]
        kind, old = rng.integers(5), place[path[-1]]
        if kind == 0 and isinstance(place, dict):
            del place[path[-1]]
        elif kind == 1 and isinstance(place, dict):
            place["more"] = ODD[rng.integers(len(ODD))]
        elif kind == 2 or not isinstance(old, int | float) or isinstance(old, bool):
            place[path[-1]] = ODD[rng.integers(len(ODD))]
        else:
            place[path[-1]] = change_number(old, rng)
    return as_written(fields)


def change_tensors(content, rng):
    tensors = load(content)
    name = list(tensors)[rng.integers(len(tensors))]
    old = tensors[name]
    flat = old.reshape(-1).copy()
    flat[rng.integers(flat.size)] = np.array([0, -1, 1, 3][rng.integers(4)]).astype(old.dtype)
    with np.errstate(over="ignore"):
        narrower = old.astype([np.float64, np.int8, np.float16][rng.integers(3)])
    changed = [
        flat.reshape(old.shape),
        old * np.array([1e30 if old.dtype == np.float32 else 2, 0, -1, 1.0001][rng.integers(4)]).astype(old.dtype),
        narrower,
        old[:-1],
        old.T.copy(),
    ][rng.integers(5)]
    if rng.integers(8) == 0:
        del tensors[name]
    else:
        tensors[f"{name}2" if rng.integers(8) == 0 else name] = changed
    return save(tensors)


def change_bytes(content, rng):
    changed = bytearray(content)
    changed[rng.integers(len(changed))] = int(rng.integers(256))
    return bytes(changed)


def risk_of(w, bits):
    """The risk of one network of the format's formulas, in whole numbers of Python."""
    a, b, c = bits["W"], bits["A"], bits["V"]
    of = {name: value.astype(object) for name, value in w.items()}
    f, total = a + 2 * b + c, Fraction(0)
    problem = problems.get(PROBLEM)
    for signs in product((1, -1), repeat=6):
        s = np.array(signs, dtype=object)
        h = np.maximum(of["W"] @ s + of.get("b1", 0), 0)
        g = np.maximum(of["V"] @ (of["A"] @ h) + of.get("b2", 0), 0)
        o = (of["C"] @ h) * 2 ** (b + c) + of["D"] @ g + of.get("offset", 0)
        r = [min(max((int(x) + 2 ** (f - 21)) // 2 ** (f - 20), -3 * 2**19), 3 * 2**19) for x in o]
        H = problem.target(np.array(signs, dtype=float)[None] / 6**0.5)[0]  # halves: exact but for rounding
        total += sum((Fraction(x, 2**20) - Fraction(round(2 * y), 2)) ** 2 for x, y in zip(r, H, strict=True))
    return total / 64


def is_true(parts):
    """The statements of a certificate for PROBLEM, by other programs than the verifier's."""
    claim, problem = json.loads(parts[CLAIM]), problems.get(PROBLEM)
    assert (claim["problem"], claim["network"]["name"]) == (problem.spec, "3resnet")
    arrays, signs = load(parts[WEIGHTS]), load(parts[INPUTS])
    weights = [{k.split(".")[1]: w for k, w in arrays.items() if k[0] == str(i)} for i in range(2)]
    risks = [risk_of(w, claim["network"]["bits"]) for w in weights]
    mean, most, bound = sum(risks) / 2, Fraction(18), claim["any_kernel"]
    upper, sure = Fraction(claim["mean"]["upper"]), Fraction(claim["mean"]["confidence"])
    inputs = [problem.sample(claim["samples"], network["seed"])[0] for network in claim["networks"]]
    floors = [oracle_risk(problem, floor["kernel"], inputs[floor["inputs"]]).risk for floor in claim["floors"]]

    def right(kind, functions):
        needed = [max(Fraction(0), (1 - 2 * risk) * comb(6, 2)) for risk in (mean, upper)]
        least = [-(-need // (1 if kind == "scalar" else 2)) for need in needed]
        risk = Fraction(1, 2) * (1 - Fraction(min(functions, 15), 15))
        found = bound[kind]
        return (found["functions"], Fraction(found["mean_risk"])) == (functions, risk) and (
            [found["samples_for_mean"], found["samples_for_upper"]] == least
        )

    return (
        [Fraction(network["risk"]) for network in claim["networks"]] == risks
        and Fraction(claim["mean"]["risk"]) == mean
        and Fraction(claim["mean"]["loss_bound"]) == most
        and mean <= upper <= most
        and (most - upper) ** 2 <= (1 - sure) * (most - risks[0]) * (most - risks[1])
        and all(np.array_equal(signs[f"{i}.signs"], np.sign(inputs[i])) for i in range(2))
        and right("scalar", claim["samples"])
        and right("matrix", 2 * claim["samples"])
        and all(f["low"] - 1e-9 <= t <= f["high"] + 1e-9 for f, t in zip(claim["floors"], floors, strict=True))
        and all(f["high"] - f["low"] < 1e-8 for f in claim["floors"])
    )


def judged(path):
    """The verdict, or the sentence of a refusal."""
    try:
        return verify(path)
    except InputError as refusal:
        return str(refusal)


def fuzz(folder, count, seed):
    """How many of so many changed certificates were refused, do not hold, and hold."""
    original, path = folder / "cert.zip", folder / "fuzzed.zip"
    make(original)
    whole, rng = read_sealed(original), np.random.default_rng(seed)
    told = {"refused": 0, "fails": 0, "holds": 0}
    for _ in range(count):
        parts = dict(whole)
        kind = rng.integers(10)
        if kind < 7:
            parts[CLAIM] = change_claim(parts[CLAIM], rng)
        elif kind < 9:
            name = (WEIGHTS, INPUTS)[rng.integers(2)]
            parts[name] = change_tensors(parts[name], rng)
        else:
            name = (CLAIM, WEIGHTS, INPUTS, WITNESSES)[rng.integers(4)]
            parts[name] = change_bytes(parts[name], rng)
        write_sealed(path, parts)
        found = judged(path)
        if isinstance(found, str):
            assert found.isprintable()
            told["refused"] += 1
            continue
        told["holds" if found.holds else "fails"] += 1
        assert not found.holds or is_true(parts), parts[CLAIM].decode()
        assert found.claim.sentence.isprintable()
        assert all((c.what + c.stated + c.found).isprintable() for c in found.checks)
    return told


def test_no_change_makes_a_false_certificate_hold(tmp_path):
    told = fuzz(tmp_path, 200, seed=0)
    assert min(told.values()) > 0, told  # changes of all three kinds were tried
    make(tmp_path / "cert.zip")
    assert verify(tmp_path / "cert.zip").holds
    assert is_true(read_sealed(tmp_path / "cert.zip"))


@pytest.mark.slow
def test_no_change_of_thousands_makes_a_false_certificate_hold(tmp_path):
    assert min(fuzz(tmp_path, 3000, seed=1).values()) > 0
