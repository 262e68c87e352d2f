#!/usr/bin/env python3
"""Check a kernelgap certificate (format 3) with Python's standard library alone: check_certificate.py cert.zip

Exit code 0: every statement holds. 1: some statement does not hold. 2: the file is refused, or the command is wrong.

This file shares no code with kernelgap. Its sections follow docs/certificate-format.md, which has the statements. What
is compared is compared in whole numbers and fractions; floats occur only in the test of a sample (section 4).
"""

import argparse
import ast
import functools
import hashlib
import json
import math
import re
import runpy
import secrets
import struct
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from math import comb, isqrt
from operator import add, mul
from pathlib import Path
from typing import Any, NamedTuple

Matrix = list[list[int]]
Record = dict[str, Any]
Kernel = tuple[str, Record]  # a name with its arguments


class Refused(Exception):  # noqa: N818
    """The file is no certificate, or none that this program can judge."""


class Check(NamedTuple):
    """A statement of the file and what came out. ``confidence`` is given where only a sample was looked at."""

    what: str
    holds: bool
    found: object
    confidence: str | None = None


def need(condition: object, value: Any, where: str) -> Any:
    if not condition:
        raise Refused(f"{where}: {ascii(value)[:100]} is not possible")
    return value


# ------------------------------------------------------------------------------------------------ 1. The container
# A zip archive of stored parts, byte for byte as Python's zipfile writes it. No zip library reads it: parts are taken
# by their lengths, and the archive that is built from them must be the file.
PARTS = ("claim.json", "weights.safetensors", "inputs.safetensors", "witnesses.json")
MOST_BYTES, MOST_CLAIM, MOST_HEADER, ENTRIES, TYPES = 2**27, 2**22, 2**20, 2**18, {"I8": "b", "I32": "i", "I64": "q"}
LOCAL, ENTRY, END = struct.Struct("<4s5H3I2H"), struct.Struct("<4s4B4H3I5H2I"), struct.Struct("<4s4H2IH")


def zipped(parts: dict[str, bytes]) -> bytes:
    """The archive of these parts, all of them dated 1980-01-01 (33)."""
    body, directory = b"", b""
    for name, content in parts.items():
        crc, size, label, at = zlib.crc32(content), len(content), name.encode(), len(body)
        sizes = (33, crc, size, size, len(label), 0)
        directory += ENTRY.pack(b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, *sizes, 0, 0, 0, 0o644 << 16, at) + label
        body = b"".join((body, LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, *sizes), label, content))
    return body + directory + END.pack(b"PK\5\6", 0, 0, len(parts), len(parts), len(directory), len(body), 0)


def read_parts(content: bytes) -> tuple[dict[str, bytes], str]:
    """The parts of a certificate and its seal."""
    parts, start = {}, 0
    for name in (*PARTS, "seal.txt"):
        size, start = int.from_bytes(content[start + 22 : start + 26], "little"), start + LOCAL.size + len(name)
        parts[name] = content[start : start + size]
        start += size
    need(content == zipped(parts), content[:8], "damaged, or no certificate")
    seal = parts.pop("seal.txt")
    own = hashlib.sha256(zipped(parts)).hexdigest().encode() + b"\n"
    return parts, need(seal == own, seal[:70], "the parts do not match the seal, which").decode().strip()


def read_json(content: bytes, name: str, end: str = "\n", **layout: Any) -> Any:
    """JSON in the one way in which a certificate writes it: no key twice, no NaN, no other layout."""
    need(sum(map(content.count, b"[{,")) <= ENTRIES, len(content), f"the number of entries of {name} in bytes")
    try:
        value = json.loads(content.decode("ascii"))
        again = (json.dumps(value, allow_nan=False, **(layout or {"indent": 1, "sort_keys": True})) + end).encode()
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name} is not the JSON of a certificate ({ascii(str(error))[:80]})") from None
    return need(again == content, "another layout, or a key twice", name) and value


def read_tensors(content: bytes, name: str) -> dict[str, tuple[str, list[int], "array[int]"]]:
    """The types, shapes and entries of the arrays of a safetensors file, which fill it without gaps."""
    size = int.from_bytes(content[:8], "little")
    head, data, tensors, ends = content[8 : 8 + min(size, MOST_HEADER)], content[8 + size :], {}, [0]
    header = read_json(head.rstrip(b" "), f"{name}, header", "", separators=(",", ":"))
    entry = keys(dtype=one_of(*TYPES), shape=[whole(1, 2**31)], data_offsets=[whole(0, len(data))])
    found = {key: conform(x, entry, f"{name}: {ascii(key)[:40]}") for key, x in RECORD(header, name).items()}
    for key, value in sorted(found.items(), key=lambda item: item[1]["data_offsets"]):
        shape, offsets, entries = value["shape"], value["data_offsets"], array(TYPES[value["dtype"]])
        ends.append(ends[-1] + math.prod(shape) * entries.itemsize)
        need(1 <= len(shape) <= 2 and offsets == ends[-2:], shape, f"{name}: {ascii(key)[:40]}, shape")
        entries.frombytes(data[ends[-2] : ends[-1]])
        if sys.byteorder == "big":
            entries.byteswap()
        tensors[key] = (value["dtype"], shape, entries)
    need(ends[-1] == len(data), len(data), f"the bytes of {name}")
    return tensors


# --------------------------------------------------------------------------------------------------- 2. claim.json
# Every field has its type; none is missing or unknown. Texts of fractions become fractions here. A shape is a dict of
# shapes, a list of one shape, or a function that gives the value back or refuses it.
OUT_BITS = 20
LAYERS = {"2layer": "W C", "2layer-signs": "W C", "3layer": "W V D", "3resnet": "W A V C D", "3resnet-full": "W V C D"}
Shape = Any
keys = dict[str, Shape]


def conform(value: Any, shape: Shape, where: str) -> Any:
    """The value, its fractions read, if it has this shape."""
    if isinstance(shape, dict):
        need(isinstance(value, dict) and value.keys() == shape.keys(), value, f"{where}, keys")
        return {key: conform(value[key], shape[key], f"{where}.{key}") for key in shape}
    if isinstance(shape, list):
        return [conform(x, shape[0], f"{where}[{i}]") for i, x in enumerate(need(type(value) is list, value, where))]
    return shape(value, where)


def a(kind: type, good: Callable[[Any], object] = lambda value: True) -> Shape:
    return lambda value, where: need(type(value) is kind and good(value), value, where)


def whole(least: int, most: int) -> Shape:
    return a(int, lambda value: least <= value <= most)


def one_of(*allowed: object) -> Shape:
    return lambda value, where: need(any(type(value) is type(x) and value == x for x in allowed), value, where)


def fraction(value: Any, where: str) -> Fraction:
    found = Fraction(a(str, re.compile(r"(?=.{1,400}$)[0-9]+(/[1-9][0-9]*)?").fullmatch)(value, where))
    need(str(found) == value and found < 10**18, value, f"{where}, its size or terms")
    return found


TEXT, NUMBER, RECORD = a(str, re.compile(r"[ -~]{0,300}").fullmatch), a(float, math.isfinite), a(dict)
BITS, COUNT, SEED = whole(0, 60), whole(0, 10**20), whole(0, 2**32 - 1)
BOUND = keys(functions=COUNT, samples_for_mean=COUNT, samples_for_upper=COUNT, mean_risk=fraction)
CLAIM = keys(format=one_of("kernelgap certificate"), version=one_of(3), problem=TEXT, samples=whole(1, 20_000))
CLAIM |= keys(threshold=fraction, versions=RECORD, networks=[keys(seed=SEED, start=SEED, risk=fraction)])
CLAIM |= keys(mean=keys(risk=fraction, confidence=fraction, loss_bound=fraction, upper=fraction))
CLAIM |= keys(any_kernel=keys(family_size=COUNT, scalar=BOUND, matrix=BOUND))
CLAIM |= keys(floors=[keys(kernel=TEXT, inputs=whole(0, 999), low=NUMBER, high=NUMBER)])
CLAIM["target"] = keys(d=whole(1, 30), d1=whole(1, 30), outputs=whole(1, 64), alpha=fraction, beta=fraction)
CLAIM["target"] |= keys(squared_scale=fraction, background=one_of("uniform", "zero", None))
PARITY = keys(sign=one_of(-1, 1), set=[whole(0, 29)])
CLAIM["target"] |= keys(base=[lambda x, where: x if x is None else conform(x, PARITY, where)], composite=[PARITY])
CLAIM["network"] = keys(name=one_of(*LAYERS), mode=one_of("all", "hidden", None), width=whole(1, 100_000))
CLAIM["network"] |= keys(training=RECORD, bits=keys(W=BITS, A=BITS, V=BITS, out=one_of(OUT_BITS)))


# -------------------------------------------------------------------------------------------- 3. Target and inputs
# The text of the problem determines the target, NumPy's generator the inputs: SeedSequence (O'Neill's seed_seq) and
# PCG64, a linear congruential generator of 128 bits with the output function XSL-RR.
class Target(NamedTuple):
    """H_j(s) = sum of coefficient x parity over ``terms[j]``; bit i of a point s is 1 where its i-th sign is -1."""

    own: Record  # what the field ``target`` must be
    d: int  # coordinates of the cube: those of a background of zeros are not among them
    terms: list[list[tuple[int, Fraction]]]  # the mask of the coordinates that a parity multiplies, its coefficient
    family_size: int
    threshold: Fraction
    norm: Fraction  # |H|^2
    limits: list[int]  # in units of 2^-20: outputs are clipped to what the target can reach
    bound: Fraction  # M: (f_j - H_j)^2 is at most (2 limit_j)^2


def parse_call(source: str) -> Kernel:
    """A name, or a name with plain arguments in alphabetical order, written as Python writes them."""
    name, _, inside = source.partition("(")
    texts = {key: x for key, _, x in (item.partition("=") for item in inside[:-1].split(", ") if item)}
    again = ", ".join(f"{key}={texts[key]}" for key in sorted(texts))
    need(source == (f"{name}({again})" if texts else name), source, "the form of a problem or kernel")
    try:
        values = {key: ast.literal_eval(x) for key, x in texts.items()}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise Refused("the arguments of a problem or kernel cannot be read") from None
    return name, need(all(repr(values[key]) == x for key, x in texts.items()), values, "an argument")


def build_target(source: str) -> Target:
    """What the text of the problem says."""
    name, given = parse_call(source)
    form = {"parity": "d k noise", "hard": "alpha beta d d1 k noise seed"}.get(name, "alpha beta noise")
    law = given.pop("background", None) if name == "hard" else None
    known = name in ("sec8", "slides", "hard", "parity") and law in ("uniform", "zero", None)
    need(known and given.keys() == {*form.split()}, source, "the problem")
    for key, most in {"d": 30, "d1": 30, "k": 30, "seed": 2**32 - 1}.items():
        whole(key != "seed", most)(given.get(key, 1), f"the problem's {key}")
    d, k, scale = int(given.get("d", 30)), int(given.get("k", 8)), Fraction(1)
    d1, real = int(given.get("d1", d)), keys(alpha=1, beta=0, noise=0)
    real |= {key: x for key, x in given.items() if key in ("alpha", "beta", "noise")}
    for x in real.values():
        need(type(x) in (int, float) and (x == 0 or 1e-6 <= x <= 1e6), x, "a number of the problem")
    alpha, beta = Fraction(repr(real["alpha"])), Fraction(repr(real["beta"]))  # as written: 0.3 is 3/10
    need(k <= d1 <= d and (name != "hard" or k > 1) and alpha > 0, source, "the problem")
    if name in ("sec8", "slides"):
        r = 15 if name == "sec8" else 8
        base: list[Any] = [[2 * j, 2 * j + 1] for j in range(r)]
        composite = [[*range(8)] if name == "sec8" or j < 4 else [*range(8, 16)] for j in range(r)]
    else:
        hidden, scale = sorted(permutation(given["seed"], d1)[:k]) if name == "hard" else [*range(k)], Fraction(1, d)
        base, composite = ([[i] for i in hidden], [hidden] * k) if name == "hard" else ([None], [hidden])
    signs, r = [-1 if name == "sec8" and j % 2 == 0 else 1 for j in range(len(base))], len(base)
    own = {"d": d, "d1": d1, "outputs": r, "squared_scale": scale, "alpha": alpha, "beta": beta}
    own["background"] = None if d1 == d else law or "uniform"
    own["base"] = [{"sign": 1, "set": B} if B and beta else None for B in base]
    own["composite"] = [{"sign": sign, "set": each} for sign, each in zip(signs, composite, strict=True)]
    terms = [[(sum(1 << i for i in B), beta)] if B and beta else [] for B in base]
    for term, sign, S in zip(terms, signs, composite, strict=True):
        term.append((sum(1 << i for i in S), sign * alpha))
    # All composite parities have one degree, and no base parity has it (1 or 2 beside 2..30 or 8). So base and
    # composite signals are orthogonal, as the bound for any kernel needs, and C is the same for every output.
    limits = [math.ceil(sum(abs(c) for _, c in term) * 2**OUT_BITS) for term in terms]
    need(sum(x * x for x in limits) <= MOST_SQUARES, source, "the size of the outputs of the problem")
    norm, bound = sum(c * c for term in terms for _, c in term), Fraction(sum(4 * x * x for x in limits), 4**OUT_BITS)
    dimensions, family = d1 if own["background"] == "zero" else d, comb(d1, len(composite[0]))
    return Target(own, dimensions, terms, family, r * alpha**2, Fraction(norm), limits, bound)


def pcg64(seed: int, key: tuple[int, ...] = ()) -> Iterator[int]:
    """The 64-bit outputs of NumPy's default generator, seeded by ``SeedSequence(seed, spawn_key=key)``."""
    entropy = [seed >> shift & 0xFFFFFFFF for shift in range(0, max(seed.bit_length(), 1), 32)]
    entropy += [0] * (4 - len(entropy)) * bool(key) + [*key]
    multiplier = 0x43B0D7E5

    def mixed(value: int, factor: int) -> int:
        nonlocal multiplier
        value ^= multiplier
        multiplier = multiplier * factor % 2**32
        value = value * multiplier % 2**32
        return value ^ (value >> 16)

    pool = [mixed(entropy[i] if i < len(entropy) else 0, 0x931E8875) for i in range(4)]
    for source in range(max(4, len(entropy))):
        for i in {0, 1, 2, 3} - {source}:
            word = mixed(pool[source] if source < 4 else entropy[source], 0x931E8875)
            value = (0xCA01F9DD * pool[i] - 0x4973F715 * word) % 2**32
            pool[i] = value ^ (value >> 16)
    multiplier = 0x8B51F9DD
    words = [mixed(pool[i % 4], 0x58F38DED) for i in range(8)]
    a, b, c, d = (words[2 * i] | words[2 * i + 1] << 32 for i in range(4))
    factor, increment = 0x2360ED051FC65DA44385DF649FCCF645, ((c << 64 | d) << 1 | 1) % 2**128
    state = (increment + (a << 64 | b)) * factor + increment
    while True:
        state = (state * factor + increment) % 2**128
        word, turn = (state >> 64) ^ (state % 2**64), state >> 122
        yield (word >> turn | word << (64 - turn)) % 2**64


def permutation(seed: int, n: int) -> list[int]:
    """``numpy.random.default_rng(seed).permutation(n)``: Fisher and Yates, from the end; j <= i by rejection."""
    words, order = (half for word in pcg64(seed) for half in (word % 2**32, word >> 32)), list(range(n))
    for i in range(n - 1, 0, -1):
        j = next(value for word in words if (value := word % (1 << i.bit_length())) <= i)
        order[i], order[j] = order[j], order[i]
    return order


def training_inputs(target: Target, samples: int, seed: int) -> list[int]:
    """The inputs as points. Each byte is a sign, -1 (and a bit of 1) if its highest bit is 0."""
    points, first, d1 = [0] * samples, 0, target.own["d1"]
    for key, columns in (((0,), d1), ((0, 0), target.d - d1)):
        data = b"".join(x.to_bytes(8, "little") for x in islice(pcg64(seed, key), -(-samples * columns // 8)))
        for n in range(samples):
            points[n] |= sum((data[n * columns + i] < 128) << first + i for i in range(columns))
        first += columns
    return points


def check_inputs(claim: Record, target: Target, content: bytes) -> list[Check]:
    tensors, N, d, checks = read_tensors(content, PARTS[2]), claim["samples"], target.d, []
    need(tensors.keys() == {f"{i}.signs" for i in range(len(claim["networks"]))}, [*tensors], "the arrays of inputs")
    for i, network in enumerate(claim["networks"]):
        kind, shape, entries = tensors[f"{i}.signs"]
        need(kind == "I8" and shape == [N, d] and {*entries} <= {-1, 1}, shape, f"the inputs of network {i}")
        rows = [sum((entries[n * d + c] < 0) << c for c in range(d)) for n in range(N)]
        same = rows == training_inputs(target, N, network["seed"])
        what = f"The inputs of network {i} are the problem's own"
        checks.append(Check(what, same, f"those of seed {network['seed']}" if same else "they are others"))
    return checks


# ------------------------------------------------------------------------------------------------- 4. The networks
# Every activation is a whole number, so that the risk is an exact fraction. Many points are evaluated at once: a long
# whole number holds a small one for each point, in lanes of B bits: X is the sum of v_l 2^(Bl) with |v_l| < 2^(B-1).
# Sums of such numbers and products with a weight act on every lane, and negative v_l do no harm, as X is only a sum. A
# ReLU adds 2^(B-1) to each lane, after which the highest bit of a lane says whether v_l >= 0, and clears the lanes
# where it is 0. B is 64, as no sum of a certificate reaches 2^53.
LANE, EXACT, MOST_SQUARES = 8, 2**53, 2**51  # bytes
BUDGET = 5 * 10**9  # points x weights that take about 25 s, over all networks
DOUBT = Fraction(1, 10**6)  # of a file: the probability that a sample refutes statements that hold
STAKES = (1 - 2.0**-10, 2.0**-3, 2.0**-6, 2.0**-9)


class Network(NamedTuple):
    """W, A, V, C, D as rows of whole numbers, as far as the network has them; b1, b2 and offset, zeros if missing."""

    weights: Record
    shift: int  # of C h, to the unit 2^-f of the outputs
    fine: int  # f

    def run(self, s: list[int], one: int, relu: Callable[[int], int]) -> Matrix:
        """All sums of an evaluation, layer by layer; the last are the outputs in units of 2^-f. ``one`` is 1."""
        w, sums = self.weights, []

        def affine(M: Matrix, x: list[int], b: list[int]) -> list[int]:
            sums.append([sum(map(mul, row, x)) + b_n * one for row, b_n in zip(M, b, strict=True)])
            return sums[-1]

        h, zeros, o = [*map(relu, affine(w["W"], s, w["b1"]))], [0] * len(w["offset"]), [b * one for b in w["offset"]]
        if "C" in w:
            o = [a + (b << self.shift) for a, b in zip(o, affine(w["C"], h, zeros), strict=True)]
        if "V" in w:
            g = [*map(relu, affine(w["V"], affine(w["A"], h, zeros) if "A" in w else h, w["b2"]))]
            o = [*map(add, o, affine(w["D"], g, zeros))]
        return [*sums, o]

    def largest(self) -> int:
        """The largest sum of magnitudes, as the format's page has them: no partial sum of an evaluation is larger."""

        def times(M: Matrix, x: list[int], part: Callable[[int], int] = int) -> list[int]:
            return [sum(map(mul, map(part, row), x)) for row in M]

        w, o = self.weights, [abs(b) + (1 << self.fine - OUT_BITS) for b in self.weights["offset"]]
        h = [*map(add, times(w["W"], [1] * len(w["W"][0]), abs), map(abs, w["b1"]))]
        net, size = (times(w["A"], h), times(w["A"], h, abs)) if "A" in w else (h, h)  # up - down, up + down
        sums = [*h, *size]
        if "C" in w:
            o = [*map(add, o, times(w["C"], [x << self.shift for x in h], abs))]
        if "V" in w:
            larger, b2 = [x + abs(y) >> 1 for x, y in zip(size, net, strict=True)], [*map(abs, w["b2"])]
            sums += map(add, times(w["V"], larger, abs), b2)
            g = [(x + y >> 1) + b for x, y, b in zip(times(w["V"], size, abs), times(w["V"], net), b2, strict=True)]
            o = [*map(add, o, times(w["D"], g, abs))]
        return max(*sums, *o)


def build_network(claim: Record, target: Target, tensors: Record, i: int) -> Network:
    """The i-th network, if its weights have the shapes that fit each other."""
    name, m, r, bits = claim["network"]["name"], claim["network"]["width"], len(target.terms), claim["network"]["bits"]
    letters = LAYERS[name].split()
    shapes = {"W": [m, target.d], "A": [r, m], "V": [m, r if "A" in letters else m], "C": [r, m], "D": [r, m]}
    biases = {"b1": [m], "offset": [r]} | ({"b2": [m]} if "V" in letters else {})
    own = {key.partition(".")[2]: value for key, value in tensors.items() if key.partition(".")[0] == str(i)}
    need({*letters} <= {*own} <= {*letters, *biases}, [*own], f"the weights of network {i}, a {name},")
    found: Record = {key: [0] * shape[0] for key, shape in biases.items()}
    for key, (kind, shape, entries) in own.items():
        fits = kind == ("I64" if key in ("b2", "offset") else "I32") and shape == (shapes | biases)[key]
        need(fits, (kind, shape), f"{i}.{key}, type and shape")
        rows = [[*entries[n : n + shape[-1]]] for n in range(0, len(entries), shape[-1])]
        found[key] = rows if key in letters else rows[0]
    shift = bits["V"] + (bits["A"] if "A" in letters else 0)  # bits["V"] is 0 where there is no V
    network = Network(found, shift, bits["W"] + bits["A"] + shift)
    fits = network.fine >= OUT_BITS and ("V" in letters or not bits["V"]) and network.largest() < EXACT
    return need(fits, bits, f"the units of the weights of network {i}, or its sums of 2^53 or more") and network


def losses(network: Network, target: Target, points: Iterable[int]) -> Iterator[tuple[list[int], int]]:
    """sum_j (f_j(s) - H_j(s))^2 for the points s, many at a time, with the number that counts as 1."""
    lane, B, source, many = LANE, 8 * LANE, iter(points), max(1, min(512, 2**27 // (LANE * len(network.weights["W"]))))
    common = math.lcm(*(c.denominator for term in target.terms for _, c in term))
    down, one = network.fine - OUT_BITS, (common << OUT_BITS) ** 2
    while chunk := [*islice(source, many)]:
        ones = int.from_bytes((1).to_bytes(lane, "little") * len(chunk), "little")
        packed = int.from_bytes(b"".join(point.to_bytes(lane, "little") for point in chunk), "little")

        def relu(x: int, ones: int = ones) -> int:
            above = x + (ones << B - 1)
            positive = (above >> B - 1) & ones
            return (above & ((positive << B) - positive)) - (positive << B - 1)

        outputs = network.run([ones - 2 * ((packed >> i) & ones) for i in range(target.d)], ones, relu)[-1]
        masks, sums = {mask for term in target.terms for mask, _ in term}, [0] * len(chunk)
        odd = {mask: [(point & mask).bit_count() & 1 for point in chunk] for mask in masks}
        for output, term, limit in zip(outputs, target.terms, target.limits, strict=True):
            (mask, c), (last_mask, last_c) = term[0], term[-1] if len(term) > 1 else (term[0][0], Fraction(0))
            table = [[int(common * ((-1) ** x * c + (-1) ** y * last_c)) << OUT_BITS for y in (0, 1)] for x in (0, 1)]
            raw = (output + (ones << B - 1) + (ones << down - 1 if down else 0)).to_bytes(lane * len(chunk), "little")
            for n, (x, y) in enumerate(zip(odd[mask], odd[last_mask], strict=True)):
                rounded = int.from_bytes(raw[n * lane : n * lane + lane], "little") - (1 << B - 1) >> down
                error = max(-limit, min(limit, rounded)) * common - table[x][y]
                sums[n] += error * error
        yield sums, one


def exact_risk(network: Network, target: Target, fast: bool) -> Fraction:
    """The mean over all 2^d points: with check_every_point.py, if that is wanted and possible."""
    path, points = Path(__file__).resolve().with_name("check_every_point.py"), range(2**target.d)
    if fast and path.is_file():
        with suppress(ImportError):  # no NumPy
            return runpy.run_path(str(path))["risk"](network, target, OUT_BITS)
    return sum((Fraction(sum(some), one) for some, one in losses(network, target, points)), Fraction(0)) / len(points)


# How a sample speaks about the mean mu of losses X in [0, M]. If mu is m, each factor 1 + a (X/m - 1) with a in (0, 1)
# is positive and has the mean 1. So has the product over independent points, and the average of such products over some
# fixed a; by Markov's inequality it reaches 1/delta with probability at most delta. It is large if the losses tend to
# lie above m. The factors 1 + a ((M - X)/(M - m) - 1) do the same for losses below m. Both averages are monotone in m,
# so that the m at which neither reaches 1/delta form an interval. It contains mu with probability at least 1 - 2 delta.
def check_sample(stated: Fraction, found: list[float], bound: float, doubt: float) -> tuple[bool, str]:
    """Whether the stated mean is in the interval of the sample, and the interval."""

    def refuted(found: list[float], m: float) -> bool:
        """Whether the average of the products that grow if the mean is above m reaches 1/delta = 2/doubt."""
        if m <= 0:
            return any(found)
        logs = [sum(math.log1p(a * (min(x / m, 1e300) - 1)) for x in found) for a in STAKES]  # or inf, then NaN
        mean = math.fsum(math.exp(each - max(logs)) for each in logs) / len(STAKES)
        return max(logs) + math.log(mean) > math.log(2 / doubt)

    m, others, ends = float(stated), [bound - x for x in found], []
    for values in (found, others):
        outside, inside = 0.0, math.fsum(values) / len(values)
        for _ in range(14):
            middle = (outside + inside) / 2
            outside, inside = (middle, inside) if refuted(values, middle) else (outside, middle)
        ends.append(outside)
    holds = 0 <= m <= bound and not refuted(found, m) and not refuted(others, bound - m)
    return holds, f"between {ends[0]:.4g} and {bound - ends[1]:.4g}"


def check_risks(claim: Record, target: Target, content: bytes, seed: str, every: bool) -> list[Check]:
    tensors, count, size = read_tensors(content, PARTS[1]), len(claim["networks"]), 2**target.d
    need(all(key.partition(".")[0] in map(str, range(count)) for key in tensors), [*tensors], "the networks' weights")
    networks, checks = [build_network(claim, target, tensors, i) for i in range(count)], []
    for i, network in enumerate(networks):
        work = sum(len(row) for letter, M in network.weights.items() if letter in "WAVCD" for row in M)
        drawn = max(256, BUDGET // (count * (work + 100 * len(target.terms) + 3000)))
        what = f"The risk of network {i}, {float(stated := claim['networks'][i]['risk']):.6g}"
        if every or drawn >= size:
            risk = exact_risk(network, target, every)
            checks.append(Check(what, risk == stated, f"{float(risk):.6g}, exactly, at all {size:,} points"))
            continue
        words = b"".join(hashlib.sha256(f"{seed}\n{i}\n{n}".encode()).digest() for n in range(-(-drawn // 4)))
        points = (int.from_bytes(words[8 * n : 8 * n + 8], "little") % size for n in range(drawn))
        found, doubt = [x / one for some, one in losses(network, target, points) for x in some], float(DOUBT / count)
        holds, interval = check_sample(stated, found, float(target.bound), doubt)
        checks.append(Check(what, holds, f"{interval}, from {drawn:,} of {size:,} points", f"1 - {doubt:.1g}"))
    few = min(len({each[key] for each in claim["networks"]}) for key in ("seed", "start"))  # units have no order:
    few = min(few, len({repr(sorted(zip(n.weights["W"], n.weights["b1"], strict=True))) for n in networks}))
    return [*checks, Check("No network or start is counted twice", few == count, f"{few} of {count} are distinct")]


# --------------------------------------------------------------- 5. The mean over starts, the bound for any kernel
# R_1..R_n independent and in [0, M] with mean mu: E prod (M - R_i) = (M - mu)^n, so that by Markov's inequality
# prod (M - R_i) >= (M - mu)^n / delta has a probability of at most delta. mean.upper is a U with
# (M - U)^n <= delta prod (M - R_i): U < mu would imply that rare event. With confidence 1 - delta, mu <= U.
#
# F functions fixed before the target is drawn span F dimensions at most. The C parities that the composite signal of an
# output can be are orthonormal and orthogonal to all base signals; their projections on the span have squared lengths
# that add up to F at most. So on average over the family at least alpha^2 (1 - F/C) is left of each output.
def check_bounds(claim: Record, target: Target) -> list[Check]:
    risks, mean, M = [network["risk"] for network in claim["networks"]], claim["mean"], target.bound
    own, delta, U = sum(risks, Fraction(0)) / len(risks), 1 - mean["confidence"], mean["upper"]
    fits = 0 < delta < 1 and own <= U <= M and all(risk <= M for risk in risks)
    holds = fits and (M - U) ** len(risks) <= delta * math.prod(M - risk for risk in risks)
    sure = f"{float(U):.6g} with confidence {float(mean['confidence']):.6g}, if the starts are independent"
    stated, C, threshold = claim["any_kernel"], target.family_size, target.threshold
    checks = [Check("The mean of the risks", mean["risk"] == own, f"{float(own):.6g}")]
    checks += [Check("The largest possible loss", mean["loss_bound"] == M, f"{float(M):.6g}")]
    checks += [Check("The upper limit of the mean over all starts", holds, sure if holds else "it is too low")]
    checks += [Check("The threshold", claim["threshold"] == threshold, str(threshold))]
    checks += [Check("The size of the family", stated["family_size"] == C, C)]
    for kind, each in (("scalar", 1), ("matrix", len(target.terms))):
        numbers = {"functions": claim["samples"] * each}
        numbers["mean_risk"] = threshold * (1 - min(Fraction(1), Fraction(numbers["functions"], C)))
        for name, risk in (("mean", mean["risk"]), ("upper", U)):
            numbers[f"samples_for_{name}"] = max(0, math.ceil((threshold - risk) * C / (threshold * each)))
        checks += [Check(f"any_kernel.{kind}.{key}", stated[kind][key] == x, str(x)) for key, x in numbers.items()]
    return checks


# ---------------------------------------------------------------------------------------------------- 6. Intervals
class Interval:
    """The real numbers between two whole numbers of units 2^-bits. Every operation rounds outwards."""

    def __init__(self, low: int, high: int, bits: int) -> None:
        self.low, self.high, self.bits = low, high, bits

    @staticmethod
    def of(value: "Interval | Fraction | int", bits: int) -> "Interval":
        if isinstance(value, Interval):
            return value
        return Interval(math.floor(value * 2**bits), math.ceil(value * 2**bits), bits)

    def __add__(self, other: "Interval | Fraction | int") -> "Interval":
        x = Interval.of(other, self.bits)
        return Interval(self.low + x.low, self.high + x.high, self.bits)

    def __sub__(self, other: "Interval | Fraction | int") -> "Interval":
        return self + Interval.of(other, self.bits) * -1

    def __rsub__(self, other: Fraction | int) -> "Interval":
        return self * -1 + other

    def __mul__(self, other: "Interval | Fraction | int") -> "Interval":
        x = Interval.of(other, self.bits)
        ends = (self.low * x.low, self.low * x.high, self.high * x.low, self.high * x.high)
        return Interval(min(ends) >> self.bits, -(-max(ends) >> self.bits), self.bits)

    def __truediv__(self, other: "Interval | Fraction | int") -> "Interval":
        """By what is positive."""
        x = Interval.of(other, self.bits)
        ends = [(end << self.bits, by) for end in (self.low, self.high) for by in (x.low, x.high)]
        return Interval(min(a // b for a, b in ends), max(-(-a // b) for a, b in ends), self.bits)

    __radd__, __rmul__ = __add__, __mul__

    def sqrt(self) -> "Interval":
        low, high = max(self.low, 0) << self.bits, max(self.high, 0) << self.bits
        return Interval(isqrt(low), isqrt(high) + (isqrt(high) ** 2 < high), self.bits)

    def exp(self) -> "Interval":
        """e^x for x <= 0: (e^(x / 2^k))^(2^k), with Taylor's series; its rest is below twice the last term."""
        low = max(self.low, -2 * self.bits << self.bits)  # where e^x is far below 2^-bits
        k = (-low >> self.bits).bit_length() + 8
        x, n, term = Interval(low >> k, -(-max(self.high, low) >> k), self.bits), 0, Interval.of(1, self.bits)
        value = term + Interval(-2, 2, self.bits)
        while max(term.high, -term.low) > 1:
            n += 1
            term = term * x / n
            value = value + term
        for _ in range(k):
            value = value * value
        return value

    def arctan(self) -> "Interval":
        """For x >= 0. arctan x = 2 arctan(x / (1 + sqrt(1 + x^2))), six times, then the alternating series."""
        x = self
        for _ in range(6):
            x = x / (1 + (1 + x * x).sqrt())
        value, power, n = x, x, 1
        while power.high > 1:
            n += 2
            power = power * x * x
            value = value - power / n if n % 4 == 3 else value + power / n
        return 64 * (value + Interval(-power.high, power.high, x.bits))

    def angle(self) -> "Interval":
        """arccos(1 - v) for v in [0, 2]: the tangent of half of it is sqrt(v / (2 - v))."""
        if self.low + self.high <= 2 << self.bits:
            return 2 * (self / (2 - self)).sqrt().arctan()
        return pi(self.bits) - 2 * ((2 - self) / self).sqrt().arctan()


@functools.cache
def pi(bits: int) -> Interval:
    """Machin: pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    return 16 * Interval.of(Fraction(1, 5), bits).arctan() - 4 * Interval.of(Fraction(1, 239), bits).arctan()


# ------------------------------------------------------------------------------------------ 7. Kernels on the cube
# All points of the cube have the same length, so a kernel of <x,z>, |x|, |z| is a function kappa(i) of the number of
# coordinates in which x and z differ. Angles come from v = 1 - cos, which is exact where x = z.
ARGUMENTS = keys(gaussian="bandwidth factor", laplace="bandwidth factor", linear="bias", arcsin="bias")
ARGUMENTS |= keys(polynomial="bias degree offset", recursive="bias depth", ck="bias depth hidden_bias", ck2="bias")
ARGUMENTS |= keys(ck3="bias hidden_bias", ntk="bias depth hidden_bias train", ntk2="bias train")
ARGUMENTS |= keys(ntk3="bias hidden_bias train", ntk3res="bias hidden_bias train", ck3res="bias hidden_bias")
FLAG, SMALL, REAL = a(bool), whole(1, 64), a(float, lambda value: value == 0 or 1e-6 <= value <= 1e6)
ALLOWED = keys(bias=FLAG, hidden_bias=FLAG, train=one_of("all", "hidden", "last"), depth=SMALL, degree=SMALL)
ALLOWED |= keys(bandwidth=REAL, factor=REAL, offset=REAL)


def read_kernel(source: str) -> Kernel:
    """A name with arguments; of a sum or product its sign and two parts, the first of which may be a number."""
    for place in (found.start() for sign in (r" \+ ", r" \* ") for found in re.finditer(sign, source)):
        left, sign, right = source[:place], source[place : place + 3], source[place + 3 :]
        if left.count("(") == left.count(")"):
            scale = re.fullmatch(r"[0-9]+(\.[0-9]+)?(e-[0-9]+)?", left) and sign == " * " and repr(float(left)) == left
            first = ("number", {"value": Fraction(REAL(float(left), source))}) if scale else read_kernel(left)
            return sign, {"parts": (first, read_kernel(right))}
    if source[:1] == "(" and source[-1:] == ")":
        return read_kernel(source[1:-1])
    name, given = parse_call(source)
    need(name in ARGUMENTS and given.keys() <= {*ARGUMENTS[name].split()}, source, "a kernel")
    conform(given, {key: ALLOWED[key] for key in given}, source)
    least = 0.0 if "factor" in ARGUMENTS[name] else 1.0
    need(given.get("bandwidth", least) * given.get("factor", 1.0) > 0, source, "the bandwidth of a kernel")
    return name, given


def kernel_value(name: str, given: Record, inner: Fraction, squared: Fraction, bits: int) -> Interval:
    """K(x,z) for <x,z> = inner and |x|^2 = |z|^2 = squared."""
    if name == "number":
        return Interval.of(given["value"], bits)
    if name in (" + ", " * "):
        x, y = (kernel_value(part[0], part[1], inner, squared, bits) for part in given["parts"])
        return x + y if name == " + " else x * y
    if name in ("gaussian", "laplace"):
        distance, h = 2 * (squared - inner), given["bandwidth"] * given.get("factor", 1.0)  # rounded once
        if name == "gaussian":
            return Interval.of(-distance / Fraction(2 * h * h), bits).exp()
        return (Interval.of(distance, bits).sqrt() / Fraction(h) * -1).exp()
    if given.get("bias", False):
        inner, squared = inner + 1, squared + 1
    if name in ("linear", "polynomial"):
        offset, degree = (given.get("offset", 1.0), given.get("degree", 3)) if name == "polynomial" else (0, 1)
        return Interval.of((inner + Fraction(offset)) ** degree, bits)
    if name == "arcsin":
        return pi(bits) / 2 - Interval.of(1 - inner / squared, bits).angle()
    if name == "recursive":
        steps = range(given.get("depth", 1))
        return Interval.of(functools.reduce(lambda cosine, _: 1 / (2 - cosine), steps, inner / squared), bits)
    depth = given.get("depth", 1 if name in ("ck", "ck2", "ntk", "ntk2") else 2)
    layers = [*relu_layers(inner, squared, bits, depth, given.get("hidden_bias", False))]
    hidden, last = Interval(0, 0, bits), layers[-1][2]
    for inputs, _, _, slopes in layers:
        hidden = (hidden + inputs) * slopes
    if name.endswith("res"):
        (inputs, size, outputs, slopes), (inputs2, size2, outputs2, slopes2) = layers
        last = outputs + outputs2 / 2 + Interval.of(2 * size * size2, bits).sqrt() / pi(bits)
        hidden = inputs2 * slopes2 / 2 + inputs * slopes * (1 + slopes2 / 2)
    train = "last" if name.startswith("ck") else given.get("train", "all")
    return last if train == "last" else hidden if train == "hidden" else hidden + last


def relu_layers(inner: Fraction, squared: Fraction, bits: int, depth: int, hidden_bias: bool) -> Iterator[Any]:
    """E[uv], E[u^2] = E[v^2], 2 E s(u)s(v), 2 E s'(u)s'(v) of each layer, scaled so that it keeps lengths."""
    # With t the angle between u and v the latter are E[u^2] (sin t + (pi - t) cos t) / pi and (pi - t) / pi (Cho and
    # Saul). A hidden bias adds 2^l to covariance and variance after layer l.
    inputs, v = Interval.of(inner, bits), Interval.of(1 - inner / squared, bits)
    for layer in range(1, depth + 1):
        slopes = 1 - v.angle() / pi(bits)
        kappa = (v * (2 - v)).sqrt() / pi(bits) + slopes * (1 - v)
        yield inputs, squared, kappa * squared, slopes
        one = 2**layer if hidden_bias else 0
        v = (1 - kappa) * (squared / (squared + one))  # a low end below 0 is cut off by the square roots
        inputs, squared = kappa * squared + one, squared + one


@functools.cache
def krawtchouk(d: int) -> Matrix:
    """K_k(i), the sum of chi_S over all |S| = k at i signs of -1: the factor of t^k in (1 - t)^i (1 + t)^(d - i)."""
    rows = [[1] for _ in range(d + 1)]
    for i in range(d + 1):
        for sign in [-1] * i + [1] * (d - i):
            rows[i] = [a + sign * b for a, b in zip([*rows[i], 0], [0, *rows[i]], strict=True)]
    return [[rows[i][k] for i in range(d + 1)] for k in range(d + 1)]


# --------------------------------------------------------------------------------------------------- 8. The floors
# For any weights w, with r = b - G w and sigma > 0 at most the least eigenvalue of G,
#     |H|^2 - 2<b,w> + <w,Gw> - |r|^2/sigma  <=  min over all weights  <=  |H|^2 - 2<b,w> + <w,Gw> =: value,
# since the minimum is |H|^2 - b'G^-1 b = value - r'G^-1 r. The certificate brings w, L and sigma0. With
# G - sigma0 I = L L' + E and |E| <= sigma0 / 2 (Frobenius), G has no eigenvalue below sigma = sigma0 / 2.
# G and b are midpoints, whole numbers of units 2^-bits, with a radius. Sums of midpoints are exact; what the radii can
# change is bounded beside them. If that leaves an inequality open, there are twice as many bits.
FIRST_BITS, LAST_BITS = 256, 2**14


def dyadics(value: Any, where: str) -> list[int]:
    form = r"(0|-?[1-9a-f][0-9a-f]{0,8191})( (0|-?[1-9a-f][0-9a-f]{0,8191}))*"
    return [int(x, 16) for x in need(isinstance(value, str) and re.fullmatch(form, value), value, where).split(" ")]


WITNESS = keys(weights_bits=whole(0, LAST_BITS), factor_bits=whole(0, LAST_BITS), sigma=[whole(0, 2**4096 - 1)])
WITNESS |= keys(weights=[dyadics], factor=[dyadics])


def eigenvalues(kernel: Kernel, target: Target, bits: int) -> list[Interval]:
    """lambda_k = 2^-d sum_i binom(d,i) K_k(i)/K_k(0) kappa(i), with the sum exact for the ends of each kappa(i)."""
    d, scale, found = target.d, target.own["squared_scale"], []
    kappa = [kernel_value(*kernel, scale * (d - 2 * i), scale * d, bits) for i in range(d + 1)]
    for row in krawtchouk(d):
        parts = [(comb(d, i) * row[i], each.low, each.high) for i, each in enumerate(kappa)]
        low, high = sum(w * (a if w > 0 else b) for w, a, b in parts), sum(w * (b if w > 0 else a) for w, a, b in parts)
        found.append(Interval(low // (row[0] << d), -(-high // (row[0] << d)), bits))
    return found


def enclose_floor(kernel: Kernel, target: Target, points: list[int], witness: Record, bits: int) -> tuple[Any, ...]:
    """Between which numbers the two ends of the enclosure are, and whether L witnesses sigma0 (None: too few bits)."""
    spectrum, table, N = eigenvalues(kernel, target, bits), krawtchouk(target.d), len(points)
    squares, degrees, (sigma, sigma_bits) = [each * each for each in spectrum], range(target.d + 1), witness["sigma"]
    profile = [sum((squares[k] * table[k][i] for k in degrees), Interval(0, 0, bits)) for i in degrees]
    middle, radius = [(g.low + g.high) >> 1 for g in profile], max(g.high - g.low for g in profile) + 1
    gram = [[middle[(x ^ y).bit_count()] for y in points] for x in points]
    # E = G - sigma0 I - L L' in units 2^-unit
    unit, squared = max(bits, 2 * witness["factor_bits"], sigma_bits), 0
    up, down, sigma_units = unit - bits, unit - 2 * witness["factor_bits"], sigma << unit - sigma_bits
    for n in range(N):
        row = [(g << up) - (p << down) for g, p in zip(gram[n], witness["products"][n], strict=False)]  # n + 1 entries
        squared += 2 * sum(e * e for e in row[:n]) + (row[n] - sigma_units) ** 2
    least, most = 2 * (isqrt(squared) - (N * radius << up)), 2 * (isqrt(squared) + 1 + (N * radius << up))
    positive = True if 0 < most <= sigma_units else False if least > sigma_units else None
    wide, captured, doubt, r_most, r_least = witness["weights_bits"], 0, 0, 0, 0
    for j, term in enumerate(target.terms):
        w, parts = [row[j] for row in witness["weights"]], [(mask, spectrum[mask.bit_count()] * c) for mask, c in term]
        b = [sum((-1) ** (mask & s).bit_count() * ((c.low + c.high) >> 1) for mask, c in parts) << wide for s in points]
        b_radius, size = sum(c.high - c.low + 1 for _, c in parts) << wide, sum(map(abs, w))
        r, r_radius = [b_n - sum(map(mul, row, w)) for b_n, row in zip(b, gram, strict=True)], b_radius + radius * size
        captured += sum(w_n * (b_n + r_n) for w_n, b_n, r_n in zip(w, b, r, strict=True))  # 2<b,w> - <w,Gw> = <w,b + r>
        doubt += size * (b_radius + r_radius)
        r_most += sum((abs(r_n) + r_radius) ** 2 for r_n in r)
        r_least += sum(max(abs(r_n) - r_radius, 0) ** 2 for r_n in r)
    low, high = (target.norm - Fraction(captured + x, 1 << bits + 2 * wide) for x in (doubt, -doubt))
    over = Fraction(2 << sigma_bits, sigma << 2 * (bits + wide))  # 1 / sigma, in the units of |r|^2
    return low, high, low - r_most * over, high - r_least * over, positive


def check_floors(claim: Record, target: Target, content: bytes) -> list[Check]:
    witnesses, checks = conform(read_json(content, PARTS[3]), [WITNESS], PARTS[3]), []
    need(len(witnesses) == len(claim["floors"]), len(witnesses), "the number of witnesses")
    for floor, witness in zip(claim["floors"], witnesses, strict=True):
        inputs = training_inputs(target, claim["samples"], claim["networks"][floor["inputs"]]["seed"])
        points = list(dict.fromkeys(inputs))  # without repetitions, in the order in which they first come
        weights, L, sigma = witness["weights"], witness["factor"], witness["sigma"]
        full = len(points) == len(weights) == len(L) and all(len(row) == len(target.terms) for row in weights)
        need(full and all(len(row) == n for n, row in enumerate(L, 1)), len(points), "a witness, different inputs")
        need(len(sigma) == 2 and sigma[0] > 0 and sigma[1] <= LAST_BITS, sigma, "a witness, sigma")
        low, high, kernel = Fraction(floor["low"]), Fraction(floor["high"]), read_kernel(floor["kernel"])
        witness["products"] = [[sum(map(mul, row, L[m])) for m in range(n + 1)] for n, row in enumerate(L)]
        holds, bits = None if 0 <= high - low <= target.norm / 10**9 else False, FIRST_BITS
        while holds is None and bits <= LAST_BITS:
            a, b, c, d, positive = enclose_floor(kernel, target, points, witness, bits)
            proved = positive and low <= c and b <= high
            holds = False if positive is False or a > high or d < low else True if proved else None
            bits *= 2
        what = f"No weights get {floor['kernel']} under {floor['low']:.10g} on inputs {floor['inputs']}"
        checks.append(Check(what, bool(holds), f"the witness {'proves it' if holds else 'does not prove it'}"))
    return checks


# ------------------------------------------------------------------------------------------------- 9. The verdict
TRUSTED = (
    "that the networks learned from these inputs and their labels alone, and how they were trained",
    "that the starts were independent, not selected, and have a law that is symmetric in the coordinates",
    "that the target was drawn uniformly from the family, and the kernel fixed beforehand",
    "the fields mode, training, start and versions, which are recorded and not checked",
)


def check(content: bytes, seed: str, every: bool = False) -> list[Check]:
    """All that can be checked of a certificate; ``Refused`` if it is none."""
    parts, seal = read_parts(content)
    claim = conform(read_json(parts[PARTS[0]][:MOST_CLAIM], PARTS[0]), CLAIM, PARTS[0])
    networks, floors = len(claim["networks"]), claim["floors"]
    few = 1 <= networks <= 1000 and len(floors) <= 100 and len(floors) * claim["samples"] ** 2 <= 10**8
    need(few and all(floor["inputs"] < networks for floor in floors), networks, "so many networks and floors")
    target = build_target(claim["problem"])
    other = [key for key, value in target.own.items() if claim["target"][key] != value]
    checks = [Check("The seal, and the one form of the file", True, seal)]
    checks += [Check("The target is that of the problem's text", not other, ", ".join(other) or claim["problem"])]
    checks += check_inputs(claim, target, parts[PARTS[2]]) + check_bounds(claim, target)
    risks = check_risks(claim, target, parts[PARTS[1]], f"{seal}\n{seed}", every)
    return checks + check_floors(claim, target, parts[PARTS[3]]) + risks


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a kernelgap certificate of format 3, without kernelgap.")
    parser.add_argument("file", help="the certificate")
    parser.add_argument("--all-points", action="store_true", help="evaluate every network at every point of the cube")
    parser.add_argument("--seed", default=secrets.token_hex(16), help="text that draws random points; else fresh ones")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    reason, checks = None, []
    try:
        with open(options.file, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        need(len(content) <= MOST_BYTES, len(content), "more bytes than any certificate has")
        checks = check(content, options.seed, options.all_points)
    except (OSError, Refused, MemoryError, RecursionError) as error:
        reason = ascii(str(error))[1:-1] or "it does not fit in memory"
    failed = sum(not c.holds for c in checks)
    code = 2 if reason else 1 if failed else 0
    if options.json:
        fields = {"exit": code, "refused": reason, "seed": options.seed, "trusted": TRUSTED}
        print(json.dumps({**fields, "checks": [c._asdict() for c in checks]}, indent=1))
        return code
    for c in checks:
        sure = f" (a sample, from --seed {options.seed}: with confidence {c.confidence})" if c.confidence else ""
        print(f"{'holds' if c.holds else 'FAILS'}  {c.what}: {c.found}{sure}")
    last = f"{failed} statements do not hold." if failed else "Every statement holds."
    print("\n".join([f"Refused: {reason}."] if reason else [*(f"trust  {each}" for each in TRUSTED), last]))
    return code


if __name__ == "__main__":
    sys.exit(main())
