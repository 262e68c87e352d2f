"""Certificates for ``kernelgap verify``: damaged ones, and forged ones whose seal is right."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from fuzz import mutate, values
from fuzz.case import Case, Place, WrongError
from fuzz.command import Ended, call
from kernelgap.certificates.files.certificate import CLAIM, INPUTS, WEIGHTS
from kernelgap.certificates.files.sealed import read_sealed, write_sealed

Claim = dict[str, Any]


def make(rng: Random, place: Place) -> Case:
    whole = place.materials / "cert.zip"
    path = place.folder / "changed.zip"
    draw = rng.random()
    if draw < 0.2:
        path.write_bytes(mutate.octets(whole.read_bytes(), rng))
        return Case("bytes of a certificate", lambda: _verify(path, false=path.read_bytes() != whole.read_bytes()))
    parts = read_sealed(whole)
    if draw < 0.45:
        name, false = _forge(rng, parts), True
    elif draw < 0.85:
        changed = mutate.json_value(json.loads(parts[CLAIM]), rng)
        parts[CLAIM] = _encoded(changed, rng)
        name, false = f"claim {parts[CLAIM][:3000]!r}", False
    elif draw < 0.95:
        part = rng.choice((WEIGHTS, INPUTS))
        arrays = {key: _other(value, rng) if rng.random() < 0.4 else value for key, value in load(parts[part]).items()}
        if rng.random() < 0.2:
            arrays.pop(rng.choice(sorted(arrays)))
        parts[part] = save(arrays)
        name, false = f"{part} {[(k, v.dtype.str, v.shape) for k, v in arrays.items()]}", False
    else:
        part = rng.choice(sorted(parts))
        match rng.randrange(4):
            case 0:
                parts.pop(part)
            case 1:
                parts[values.text(rng).replace("\0", "")[:200].encode("utf-8", "replace").decode()] = b"x"
            case 2:
                parts[part] = mutate.octets(parts[part], rng)
            case _:
                parts = dict(reversed(parts.items()))
        name, false = f"parts {sorted(parts)}", False
    write_sealed(path, parts)
    return Case(name, lambda: _verify(path, false=false, named=name))


def _verify(path: Any, *, false: bool, named: str = "") -> Ended:
    ended = call(["verify", str(path), *(["--json"] if len(named) % 2 else [])])
    if false and ended.code == 0:
        raise WrongError(f"a false certificate holds: {named}")
    if "\x1b" in ended.out + ended.err:
        raise WrongError("an escape of the terminal is printed")
    return ended


def _encoded(claim: Any, rng: Random) -> bytes:
    text = json.dumps(claim, indent=1, sort_keys=True) + "\n"  # as certificates are written
    draw = rng.random()
    if draw < 0.05:
        return text.encode("utf-16")
    if draw < 0.1:
        return b"\xef\xbb\xbf" + text.encode()
    if draw < 0.15:
        return text.replace('"problem"', '"problem": "sec8", "problem"').encode()
    if draw < 0.2:
        return (text[:-2] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}").encode()
    return text.encode()


def _other(array: np.ndarray, rng: Random) -> np.ndarray:
    found = array.copy()
    match rng.randrange(7):
        case 0:
            return found.astype(rng.choice((np.float16, np.float64, np.int8, np.complex64, bool)))
        case 1:
            return found[..., :-1].copy() if found.ndim and found.shape[-1] > 1 else found[None]
        case 2:
            return np.concatenate([found, found])
        case 3 if found.dtype.kind == "f":
            found.flat[rng.randrange(found.size)] = rng.choice((np.nan, np.inf, 1e38, 1e7))
        case 4:
            return np.zeros_like(found)
        case 5:
            return np.zeros((0, *found.shape[1:]), found.dtype)
        case _:
            return found * np.asarray(rng.choice((2, -1))).astype(found.dtype)
    return found


def _forge(rng: Random, parts: dict[str, bytes]) -> str:
    """Change the substance, so that what is claimed is false. A change that has no place is a mistake of ours."""
    claim = json.loads(parts[CLAIM])
    name, change = rng.choice(sorted(FALSE.items()))
    change(claim, parts, rng)
    parts[CLAIM] = (json.dumps(claim, indent=1, sort_keys=True) + "\n").encode()
    return name


def _weights(parts: dict[str, bytes], change: Callable[[dict[str, np.ndarray]], None]) -> None:
    weights = load(parts[WEIGHTS])
    change(weights)
    parts[WEIGHTS] = save(weights)


def _scaled(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    factor = rng.choice((0.5, 2.0, 1e7, -1.0, 0.0))
    _weights(parts, lambda w: w.update({k: v * np.float32(factor) for k, v in w.items() if k in ("A", "V")}))


def _cancelling(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    def change(weights: dict[str, np.ndarray]) -> None:
        for name in ("W", "V", "U"):
            if name in weights:
                weights[name] = np.zeros_like(weights[name])
        if "b1" in weights:
            weights["b1"] = np.ones_like(weights["b1"])
        weights["A"] = np.where(np.arange(weights["A"].size).reshape(weights["A"].shape) % 2, 1e7, -1e7).astype("f4")

    claim["network"].update(low=0.0, high=rng.choice((0.0, 1e-9)))
    _weights(parts, change)


def _set(*path: Any, to: Callable[[Any, Random], Any]) -> Callable[[Claim, dict[str, bytes], Random], None]:
    def change(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
        *way, last = path
        holder: Any = claim
        for key in way:
            holder = holder[key]
        holder[last] = to(holder[last], rng)

    return change


def _wide(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    claim["network"].update(low=0.0, high=claim["network"]["low"] * rng.choice((0.0, 0.05, 0.9)))


def _divided(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    factor = rng.choice((1.001, 2, 1e6))
    for end in ("low", "high"):
        claim["network"][end] /= factor


def _inverted(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    floor = rng.choice(claim["floors"])
    floor["low"], floor["high"] = floor["high"] + 1e-3, floor["low"] - 1e-3


OTHER_PROBLEMS = (("alpha=0.5", "alpha=0.6"), ("k=2", "k=3"), ("seed=0", "seed=1"), ("beta=1.0", "beta=0.5"))
FALSE: dict[str, Callable[[Claim, dict[str, bytes], Random], None]] = {
    "risk divided": _divided,
    "a wide interval below": _wide,
    "scale": _set("network", "scale", to=lambda v, rng: rng.choice((1e60, 0.0, 2.0, -1.0, 1e-60))),
    "weights scaled": _scaled,
    "weights that cancel": _cancelling,
    "samples": _set("samples", to=lambda v, rng: rng.choice((1, v - 1, v + 1))),
    "seed": _set("seed", to=lambda v, rng: v + 1),
    "threshold": _set("threshold", to=lambda v, rng: v * rng.choice((0.5, 1.0001, 10))),
    "points": _set("network", "points", to=lambda v, rng: v + rng.choice((1, -1))),
    "family": _set("any_kernel", "family_size", to=lambda v, rng: v * rng.choice((2, 10**6))),
    "mean risk": _set("any_kernel", "mean_risk", to=lambda v, rng: rng.choice(("1", "0", "2/3", "-1/2"))),
    "samples for the same risk": _set("any_kernel", "samples_for_same_risk", to=lambda v, rng: v + rng.choice((1, 99))),
    "floor raised": _set("floors", 0, "low", to=lambda v, rng: v + rng.choice((1e-3, 1.0))),
    "floors inverted": _inverted,
    "another kernel": _set("floors", 0, "kernel", to=lambda v, rng: rng.choice(("ntk2", "laplace(bandwidth=1.0)"))),
    "width": _set("network", "width", to=lambda v, rng: v + rng.choice((1, -1))),
    "a name that is none": _set("network", "name", to=lambda v, rng: rng.choice(("\x1b[2J", "gaussian", "3layer"))),
    "another problem": _set("problem", to=lambda v, rng: v.replace(*rng.choice(OTHER_PROBLEMS))),
}
