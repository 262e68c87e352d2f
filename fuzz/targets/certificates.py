"""Certificates for ``kernelgap verify``: damaged ones, and forged ones whose seal is right."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from fuzz import mutate, values
from fuzz.case import Case, Place, WrongError
from fuzz.command import Ended, call
from kernelgap.certificates.files.parts import CLAIM, INPUTS, WEIGHTS, WITNESSES
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
        part = CLAIM if draw < 0.75 else WITNESSES
        changed = mutate.json_value(json.loads(parts[part]), rng)
        parts[part] = _encoded(changed, rng)
        name, false = f"{part} {parts[part][:3000]!r}", False
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
    factor = rng.choice((2, 3, -1, 0))
    _weights(parts, lambda w: w.update({k: v * v.dtype.type(factor) for k, v in w.items() if k in ("0.C", "1.D")}))


def _swapped(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    def change(weights: dict[str, np.ndarray]) -> None:
        other = {f"{1 - int(k[0])}{k[1:]}": v for k, v in weights.items()}
        weights.clear()
        weights.update(other)

    _weights(parts, change)


def _twice(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    """One network sold as two: with its risk, and all that follows from it."""
    which = rng.randrange(2)

    def change(weights: dict[str, np.ndarray]) -> None:
        own = {k[1:]: v for k, v in weights.items() if k[0] == str(which)}
        weights.clear()
        weights.update({f"{i}{k}": v for i in range(2) for k, v in own.items()})

    risk = claim["networks"][which]["risk"]
    _weights(parts, change)
    claim["networks"][1 - which]["risk"] = claim["mean"]["risk"] = risk


def _set(*path: Any, to: Callable[[Any, Random], Any]) -> Callable[[Claim, dict[str, bytes], Random], None]:
    def change(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
        *way, last = path
        holder: Any = claim
        for key in way:
            holder = holder[key]
        holder[last] = to(holder[last], rng)

    return change


def _divided(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    factor = Fraction(rng.choice(("1001/1000", "2", "1000000")))
    for network in claim["networks"]:
        network["risk"] = str(Fraction(network["risk"]) / factor)
    claim["mean"]["risk"] = str(Fraction(claim["mean"]["risk"]) / factor)


def _inverted(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    floor = rng.choice(claim["floors"])
    floor["low"], floor["high"] = floor["high"] + 1e-3, floor["low"] - 1e-3


def _sigma(claim: Claim, parts: dict[str, bytes], rng: Random) -> None:
    """A least eigenvalue that is larger than the true one."""
    witnesses = json.loads(parts[WITNESSES])
    witness = rng.choice(witnesses)
    witness["sigma"][0] *= 2 ** rng.choice((8, 20, 200))
    parts[WITNESSES] = (json.dumps(witnesses, indent=1, sort_keys=True) + "\n").encode()


def _less(value: str, rng: Random) -> str:
    return str(Fraction(value) * Fraction(rng.choice(("999999/1000000", "1/2", "0"))))


OTHER_PROBLEMS = (("alpha=0.5", "alpha=0.6"), ("k=2", "k=3"), ("seed=0", "seed=1"), ("beta=1.0", "beta=0.5"))
FALSE: dict[str, Callable[[Claim, dict[str, bytes], Random], None]] = {
    "risks divided": _divided,
    "weights scaled": _scaled,
    "networks swapped": _swapped,
    "one network as two": _twice,
    "samples": _set("samples", to=lambda v, rng: rng.choice((1, v - 1, v + 1))),
    "seed": _set("networks", 0, "seed", to=lambda v, rng: v + rng.choice((1, 2))),
    "start": _set("networks", 0, "start", to=lambda v, rng: v + 1),
    "one risk": _set("networks", 1, "risk", to=_less),
    "mean": _set("mean", "risk", to=_less),
    "limit": _set("mean", "upper", to=_less),
    "confidence": _set("mean", "confidence", to=lambda v, rng: rng.choice(("99/100", "1", "2"))),
    "loss bound": _set("mean", "loss_bound", to=_less),
    "threshold": _set("threshold", to=lambda v, rng: str(Fraction(v) * rng.choice((2, 10)))),
    "family": _set("any_kernel", "family_size", to=lambda v, rng: v * rng.choice((2, 10**6))),
    "functions": _set("any_kernel", "matrix", "functions", to=lambda v, rng: v - rng.choice((1, v // 2))),
    "mean risk": _set("any_kernel", "scalar", "mean_risk", to=lambda v, rng: rng.choice(("1", "2/3", "-1/2"))),
    "samples for the mean": _set("any_kernel", "scalar", "samples_for_mean", to=lambda v, rng: v + rng.choice((1, 99))),
    "samples for the limit": _set("any_kernel", "matrix", "samples_for_upper", to=lambda v, rng: v + 1),
    "floor raised": _set("floors", 0, "low", to=lambda v, rng: v + rng.choice((1e-3, 1.0))),
    "floors inverted": _inverted,
    "eigenvalue raised": _sigma,
    "another kernel": _set("floors", 0, "kernel", to=lambda v, rng: rng.choice(("ntk2", "laplace(bandwidth=1.0)"))),
    "other inputs of a floor": _set("floors", 0, "inputs", to=lambda v, rng: 1),
    "units": _set("network", "bits", "A", to=lambda v, rng: v + rng.choice((1, -1))),
    "width": _set("network", "width", to=lambda v, rng: v + rng.choice((1, -1))),
    "a name that is none": _set("network", "name", to=lambda v, rng: rng.choice(("\x1b[2J", "gaussian", "3layer"))),
    "target": _set("target", "base", 0, "set", to=lambda v, rng: [(v[0] + 1) % 6]),
    "another problem": _set("problem", to=lambda v, rng: v.replace(*rng.choice(OTHER_PROBLEMS))),
}
