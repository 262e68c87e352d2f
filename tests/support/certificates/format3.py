"""Certificates of format 3, written from the format's page alone: for tests of the checker, honest ones and others.

A certificate is made as a ``Draft``, whose fields a test may change before it is sealed. Kernels, targets and inputs
come from kernelgap, witnesses from ball arithmetic, risks from NumPy's integers: nothing from the checker.
"""

import copy
import hashlib
import io
import json
import math
import zipfile
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from safetensors.numpy import load, save

from kernelgap import kernels, problems
from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.floors.bound import any_kernel
from kernelgap.certificates.floors.family import as_written
from kernelgap.kernels.cube.balls import as_ball, precision
from kernelgap.kernels.cube.spectrum import eigenvalue_balls, krawtchouk_rows
from kernelgap.problems.fourier import symmetric_difference

PARTS = ("claim.json", "weights.safetensors", "inputs.safetensors", "witnesses.json")
OUT = 20


@dataclass
class Draft:
    """What a certificate holds, to be changed and sealed."""

    claim: dict[str, Any]
    weights: dict[str, np.ndarray]
    inputs: dict[str, np.ndarray]
    witnesses: list[dict[str, Any]] = field(default_factory=list)

    def parts(self) -> dict[str, bytes]:
        return dict(
            zip(
                PARTS,
                (as_json(self.claim), tensors(self.weights), tensors(self.inputs), as_json(self.witnesses)),
                strict=True,
            )
        )

    def sealed(self) -> bytes:
        return seal(self.parts())

    def copy(self) -> "Draft":
        return copy.deepcopy(self)


def tensors(arrays: dict[str, np.ndarray]) -> bytes:
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()})


def as_json(value: object) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def zipped(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            file.writestr(entry, content)
    return buffer.getvalue()


def seal(parts: dict[str, bytes]) -> bytes:
    digest = hashlib.sha256(zipped(parts)).hexdigest().encode() + b"\n"
    return zipped({**parts, "seal.txt": digest})


def read_draft(content: bytes) -> Draft:
    """A certificate as something to change."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        parts = {name: file.read(name) for name in PARTS}
    return Draft(json.loads(parts[PARTS[0]]), load(parts[PARTS[1]]), load(parts[PARTS[2]]), json.loads(parts[PARTS[3]]))


def target_of(problem: problems.ParityProblem) -> dict[str, Any]:
    law = None if problem.d1 == problem.d else problem.arguments.get("background", "uniform")
    base, composite = [], []
    for j in range(problem.outputs):
        none = problem.name == "parity" or problem.beta == 0
        base.append(None if none else {"set": sorted(problem.base_sets[j]), "sign": 1})
        product = symmetric_difference([problem.base_sets[i] for i in problem.composite_sets[j]])
        composite.append({"set": list(product), "sign": problem.composite_signs[j]})
    cube = cube_of(problem)
    assert cube is not None
    return {
        "d": problem.d,
        "d1": problem.d1,
        "outputs": problem.outputs,
        "squared_scale": str(cube.squared_scale),
        "background": law,
        "alpha": str(as_written(problem.alpha)),
        "beta": str(as_written(problem.beta)),
        "base": base,
        "composite": composite,
    }


def terms_of(target: dict[str, Any]) -> list[dict[tuple[int, ...], Fraction]]:
    """H_j by index sets."""
    rows = []
    for base, composite in zip(target["base"], target["composite"], strict=True):
        row: dict[tuple[int, ...], Fraction] = {}
        for part, strength in ((base, target["beta"]), (composite, target["alpha"])):
            if part is not None:
                key = tuple(part["set"])
                row[key] = row.get(key, Fraction(0)) + part["sign"] * Fraction(strength)
        rows.append(row)
    return rows


def limits_of(target: dict[str, Any]) -> list[int]:
    return [math.ceil(sum(abs(c) for c in row.values()) * 2**OUT) for row in terms_of(target)]


def draw_network(
    name: str, d: int, outputs: int, width: int, rng: np.random.Generator, bits: dict[str, int], scale: float = 1.0
) -> dict[str, np.ndarray]:
    """Random weights on the grid, as the format stores them."""
    unit_a, unit_b, unit_c = 2 ** bits["W"], 2 ** bits["A"], 2 ** bits["V"]

    def drawn(shape: tuple[int, ...], unit: int, size: float, kind: type = np.int32) -> np.ndarray:
        return np.round(scale * size * unit * rng.standard_normal(shape)).astype(kind)

    found = {"W": drawn((width, d), unit_a, d**-0.5), "b1": drawn((width,), unit_a, 0.3)}
    inner = outputs if name == "3resnet" else width
    if name == "3resnet":
        found["A"] = drawn((outputs, width), unit_b, width**-0.5)
    if name != "2layer":
        found["V"] = drawn((width, inner), unit_c, inner**-0.5)
        unit = unit_a * unit_c * (unit_b if name == "3resnet" else 1)
        found["b2"] = drawn((width,), unit, 0.3, np.int64)
        found["D"] = drawn((outputs, width), unit_b, width**-0.5)
    if name != "3layer":
        found["C"] = drawn((outputs, width), unit_b, width**-0.5)
    fine = unit_a * unit_b * (1 if name == "2layer" else unit_c * (unit_b if name == "3resnet" else 1))
    found["offset"] = drawn((outputs,), min(fine, 2**55), 0.1, np.int64)
    return found


def outputs_at(name: str, weights: dict[str, np.ndarray], bits: dict[str, int], signs: np.ndarray) -> tuple[Any, int]:
    """The outputs before rounding, as Python's whole numbers in units of 2^-f, and f."""
    w = {key: value.astype(object) for key, value in weights.items()}
    s = signs.astype(int).astype(object)
    h = np.maximum(s @ w["W"].T + w.get("b1", 0), 0)
    unit_c = bits["W"] + bits["A"]
    terms = []
    if "C" in w:
        terms.append((h @ w["C"].T, unit_c))
    if "V" in w:
        y = h @ w["A"].T if "A" in w else h
        g = np.maximum(y @ w["V"].T + w.get("b2", 0), 0)
        unit_z = bits["W"] + (bits["A"] if "A" in w else 0) + bits["V"]
        terms.append((g @ w["D"].T, unit_z + bits["A"]))
    fine = max(unit for _, unit in terms)
    return sum(term * 2 ** (fine - unit) for term, unit in terms) + w.get("offset", 0), fine


def all_signs(d: int) -> np.ndarray:
    return 1 - 2 * ((np.arange(2**d)[:, None] >> np.arange(d)) & 1)


def risk_of(name: str, weights: dict[str, np.ndarray], bits: dict[str, int], target: dict[str, Any]) -> Fraction:
    """By brute force over the coordinates that the network sees: of the target it meets only parities of these."""
    seen = np.flatnonzero(np.abs(weights["W"]).sum(axis=0))
    signs = all_signs(len(seen))
    outputs, fine = outputs_at(name, {**weights, "W": weights["W"][:, seen]}, bits, signs)
    total = Fraction(0)
    for j, (row, limit) in enumerate(zip(terms_of(target), limits_of(target), strict=True)):
        rounded = np.array([(o + (1 << (fine - OUT) >> 1)) // 2 ** (fine - OUT) for o in outputs[:, j]], dtype=object)
        clipped = np.clip(rounded, -limit, limit)
        total += Fraction(int((clipped * clipped).sum()), 4**OUT * len(signs))
        for key, c in row.items():
            total += c * c
            if set(key) <= set(seen.tolist()):
                parity = signs[:, [seen.tolist().index(i) for i in key]].prod(axis=1).astype(object)
                total -= 2 * c * Fraction(int((clipped * parity).sum()), 2**OUT * len(signs))
    return total


def upper_limit(risks: list[Fraction], bound: Fraction, confidence: Fraction) -> Fraction:
    """A fraction U with (M - U)^n <= delta prod (M - R_i)."""
    room = (1 - confidence) * math.prod((bound - risk for risk in risks), start=Fraction(1))
    grid = 10**9
    guess = int(float(room) ** (1 / len(risks)) * grid) + 2
    while Fraction(guess, grid) ** len(risks) > room:
        guess -= 1
    return min(bound, bound - Fraction(guess, grid))


def add_claims(draft: Draft, confidence: Fraction = Fraction(19, 20)) -> Draft:
    """Every number of the claim that follows from the networks' risks."""
    claim = draft.claim
    problem = problems.get(claim["problem"])
    risks = [Fraction(network["risk"]) for network in claim["networks"]]
    bound = sum((Fraction(2 * limit, 2**OUT) ** 2 for limit in limits_of(claim["target"])), Fraction(0))
    mean = sum(risks, Fraction(0)) / len(risks)
    upper = upper_limit(risks, bound, confidence)
    claim["mean"] = {key: str(value) for key, value in [("risk", mean), ("confidence", confidence)]}
    claim["mean"] |= {"loss_bound": str(bound), "upper": str(upper)}
    claim["threshold"] = str(problem.outputs * as_written(problem.alpha) ** 2)
    claim["any_kernel"] = {"family_size": any_kernel(problem, 1).family_size}
    for kind in ("scalar", "matrix"):
        family = any_kernel(problem, claim["samples"], kernel=kind)
        claim["any_kernel"][kind] = {
            "functions": claim["samples"] * (problem.outputs if kind == "matrix" else 1),
            "mean_risk": str(family.exact_mean_risk),
            "samples_for_mean": least_samples(family, mean),
            "samples_for_upper": least_samples(family, upper),
        }
    return draft


def least_samples(bound: Any, risk: Fraction) -> int:
    """By bisection on the bound itself."""
    from dataclasses import replace

    low, high = 0, bound.family_size
    while low < high:
        middle = (low + high) // 2
        if replace(bound, n=middle).exact_mean_risk <= risk:
            high = middle
        else:
            low = middle + 1
    return low


def make_draft(
    problem_text: str,
    *,
    network: str = "3resnet",
    width: int = 4,
    networks: int = 2,
    samples: int = 6,
    floors: tuple[str, ...] = (),
    bits: dict[str, int] | None = None,
    seed: int = 0,
    risks: list[Fraction] | None = None,
    scale: float = 1.0,
    sees: int | None = None,
) -> Draft:
    """An honest certificate of networks with random weights, which see the first ``sees`` coordinates (all)."""
    rng = np.random.default_rng(seed)
    problem = problems.get(problem_text)
    target, cube = target_of(problem), cube_of(problem)
    assert cube is not None
    bits = {"W": 10, "A": 11, "V": 9 if network != "2layer" else 0, "out": OUT} if bits is None else bits
    weights, inputs, entries = {}, {}, []
    for i in range(networks):
        own = draw_network(network, cube.d, problem.outputs, width, rng, bits, scale)
        own["W"][:, cube.d if sees is None else sees :] = 0
        weights |= {f"{i}.{key}": value for key, value in own.items()}
        X, _ = problem.sample(samples, seed + 10 * i)
        signs = cube.signs(X)
        assert signs is not None
        inputs[f"{i}.signs"] = signs.astype(np.int8)
        risk = risk_of(network, own, bits, target) if risks is None else risks[i]
        entries.append({"seed": seed + 10 * i, "start": i, "risk": str(risk)})
    claim = {
        "format": "kernelgap certificate",
        "version": 3,
        "problem": problem.spec,
        "target": target,
        "samples": samples,
        "network": {"name": network, "mode": "all", "width": width, "training": {"rate": 0.1}, "bits": bits},
        "networks": entries,
        "floors": [],
        "versions": {"python": "3.11"},
    }
    draft = add_claims(Draft(claim, weights, inputs))
    for n, text in enumerate(floors):
        add_floor(draft, text, n % networks)
    return draft


def largest_sum(name: str, weights: dict[str, np.ndarray], bits: dict[str, int]) -> list[int]:
    """For each output, the sum of magnitudes that the format's page limits."""
    w = {key: value.astype(object) for key, value in weights.items()}
    f = outputs_at(name, weights, bits, all_signs(weights["W"].shape[1])[:1])[1]
    h = abs(w["W"]).sum(axis=1) + abs(w["b1"])
    up, down = (np.maximum(w["A"], 0) @ h, np.maximum(-w["A"], 0) @ h) if "A" in w else (h, 0 * h)
    o = abs(w["offset"]) + 2 ** (f - OUT)
    if "C" in w:
        o = o + abs(w["C"]) @ h * 2 ** (f - bits["W"] - bits["A"])
    if "V" in w:
        o = o + abs(w["D"]) @ (np.maximum(w["V"], 0) @ up + np.maximum(-w["V"], 0) @ down + abs(w["b2"]))
    return [int(value) for value in o]


def with_largest_sum(draft: Draft, largest: int) -> Draft:
    """The first network's first offset so large that this is its largest sum of magnitudes."""
    own = {key[2:]: value for key, value in draft.weights.items() if key.startswith("0.")}
    name, bits = draft.claim["network"]["name"], draft.claim["network"]["bits"]
    own["offset"] = own["offset"] * 0
    own["offset"][0] = largest - largest_sum(name, own, bits)[0]
    draft.weights["0.offset"] = own["offset"]
    draft.claim["networks"][0]["risk"] = str(risk_of(name, own, bits, draft.claim["target"]))
    return add_claims(draft)


def add_floor(draft: Draft, kernel: str, inputs: int = 0) -> Draft:
    text = kernels.get(kernel).spec
    low, high, witness = floor_witness(draft.claim["target"], text, draft.inputs[f"{inputs}.signs"])
    draft.claim["floors"].append({"kernel": text, "inputs": inputs, "low": low, "high": high})
    draft.witnesses.append(witness)
    return draft


def floor_witness(
    target: dict[str, Any], kernel: str, signs: np.ndarray, bits: int = 0
) -> tuple[float, float, dict[str, Any]]:
    """An enclosure of a kernel's floor with its witness: a plain solution with far more bits than are needed."""
    d, signs = signs.shape[1], np.array(list(dict.fromkeys(map(tuple, signs.tolist()))))
    rows, N = terms_of(target), len(signs)
    scale = Fraction(target["squared_scale"])
    with precision(bits or 1024):
        balls = eigenvalue_balls(kernels.get(kernel), d, d * scale, ctx.prec)
        profile = [arb(0)] * (d + 1)
        for ball, row in zip(balls, krawtchouk_rows(d), strict=True):
            profile = [total + ball * ball * value for total, value in zip(profile, row, strict=True)]
        differ = (d - signs.astype(int) @ signs.T.astype(int)) // 2
        gram = arb_mat([[profile[i] for i in row] for row in differ.tolist()])
        b = arb_mat(
            [
                [
                    sum((balls[len(key)] * as_ball(c) * int(s[list(key)].prod()) for key, c in row.items()), arb(0))
                    for row in rows
                ]
                for s in signs.astype(int)
            ]
        )
        inverse = gram.inv()
        size = sum((entry * entry for entry in inverse.entries()), arb(0)).sqrt()
        if not size.is_finite():
            raise ValueError(f"{kernel}: the Gram matrix is singular, or needs more bits")
        sigma_bits = int(float(size.log().upper()) / math.log(2)) + 2
        sigma = arb(2) ** -sigma_bits
        trace = float(profile[0].log()) / math.log(2) if profile[0] > 0 else 0
        factor_bits = max(40, sigma_bits + int(max(trace, 0)) + 2 * N.bit_length() + 12)
        weights_bits = max(64, 2 * sigma_bits + 64)
        w = gram.solve(b)
        norm = sum((c * c for row in rows for c in row.values()), Fraction(0))
        value = as_ball(norm) - sum((x * y for x, y in zip(w.entries(), b.entries(), strict=True)), arb(0))
        factor = cholesky([[gram[i, j] - (sigma if i == j else 0) for j in range(i + 1)] for i in range(N)])
        spare = 1e-11 * float(norm)
        witness = {
            "weights_bits": weights_bits,
            "weights": [dyadics([w[i, j] for j in range(len(rows))], weights_bits) for i in range(N)],
            "factor_bits": factor_bits,
            "factor": [dyadics(row, factor_bits) for row in factor],
            "sigma": [2 ** max(-sigma_bits, 0), max(sigma_bits, 0)],
        }
        return float(value.mid()) - spare, float(value.mid()) + spare, witness


def cholesky(lower: list[list[arb]]) -> list[list[arb]]:
    factor: list[list[arb]] = []
    for n, row in enumerate(lower):
        new: list[arb] = []
        for m in range(n + 1):
            rest = row[m] - sum((new[k] * (new[k] if m == n else factor[m][k]) for k in range(m)), arb(0))
            new.append(rest.sqrt() if m == n else rest / factor[m][m])
        factor.append([entry.mid() for entry in new])
    return factor


def dyadics(values: list[arb], bits: int) -> str:
    return " ".join(format(int((value.mid() * arb(2) ** bits).floor().unique_fmpz()), "x") for value in values)
