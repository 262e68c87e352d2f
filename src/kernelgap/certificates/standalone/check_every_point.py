"""The exact risk of a certificate's network at all 2^d points, with NumPy: what check_certificate.py --all-points uses.

Optional: without this file, or without NumPy, check_certificate.py evaluates the points itself, which takes 40 times as
long.

Why it is exact. All numbers are whole and held in float64. ``Network.largest`` of check_certificate.py bounds the
magnitude of every sum of some terms of every matrix product of an evaluation, at any point, and so of every partial sum
in any order, with fused operations too. It is below 2^53, so every such number is a float64 and no operation rounds. A
ReLU, a clip, a product with a power of 2 and a floor are exact as well. The clipped outputs r are then summed in 64-bit
integers: r^2 (at most 2^51 at a point, over all outputs), and r times the parities of the target, of which the risk is
made:

    2^-d sum_s sum_j (2^-e r_j - H_j)^2  =  2^-d (4^-e sum r_j^2 - 2 2^-e sum_S H_jS sum_s r_j chi_S(s)) + |H|^2.

Points are visited in blocks with the same upper bits: within a block W s + b1 is a table for the lower bits plus one
vector, so the first product is computed once for all blocks.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # blocks are shared out among threads below; has no effect on a loaded NumPy

import numpy as np  # noqa: E402

LOWER = 11  # bits of a point within a block


def signs(numbers: Any, d: int) -> Any:
    """Points as columns of signs: bit i of a number is 1 where the sign of coordinate i is -1."""
    return 1.0 - 2.0 * ((np.asarray(numbers)[None, :] >> np.arange(d)[:, None]) & 1)


def risk(network: Any, target: Any, out_bits: int) -> Fraction:
    """The mean over all points."""
    d, lower = target.d, min(target.d, LOWER)
    down = network.fine - out_bits
    w = {key: np.array(value, dtype=float) for key, value in network.weights.items()}
    limits = np.array(target.limits, dtype=float)[:, None]
    table = w["W"][:, :lower] @ signs(np.arange(2**lower), lower) + w["b1"][:, None]
    masks = sorted({mask for term in target.terms for mask, _ in term})
    within = parities(np.arange(2**lower), masks)

    def block(upper: int) -> tuple[int, Any]:
        """The sum of the squares, and the sums with each parity (outputs x masks), over one block."""
        h = table + (w["W"][:, lower:] @ signs([upper], d - lower))
        np.maximum(h, 0.0, out=h)
        o = np.repeat(w["offset"][:, None], 2**lower, axis=1)
        if "C" in w:
            o += (w["C"] @ h) * 2.0**network.shift
        if "V" in w:
            g = w["V"] @ (w["A"] @ h if "A" in w else h)
            g += w["b2"][:, None]
            np.maximum(g, 0.0, out=g)
            o += w["D"] @ g
        if down:
            o = np.floor((o + 2.0 ** (down - 1)) * 2.0**-down)
        r = np.clip(o, -limits, limits)
        whole = r.astype(np.int64)
        across = parities(np.array([upper << lower]), masks)  # of the bits above the block's
        return int((whole * whole).sum()), (r @ within.T).astype(np.int64) * across[:, 0].astype(np.int64)

    total, sums, blocks = 0, np.zeros((len(target.terms), len(masks)), dtype=object), 2 ** (d - lower)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        step = 4096  # blocks that are waited for at a time
        for start in range(0, blocks, step):
            for square, with_parities in pool.map(block, range(start, min(start + step, blocks))):
                total += square
                sums += with_parities.astype(object)
            if sys.stderr.isatty():
                print(f"\r{min(start + step, blocks) / blocks:6.1%} of the points", end="", file=sys.stderr, flush=True)
    crossed = sum(
        (c * int(sums[j, masks.index(mask)]) for j, term in enumerate(target.terms) for mask, c in term), Fraction(0)
    )
    return (Fraction(total, 4**out_bits) - 2 * crossed / 2**out_bits) / 2**d + target.norm


def parities(numbers: Any, masks: list[int]) -> Any:
    """chi_S at points given as numbers, a row for each mask: 1 where an even number of its bits is set."""
    rows = np.ones((len(masks), len(numbers)))
    for n, mask in enumerate(masks):
        for i in range(mask.bit_length()):
            if mask >> i & 1:
                rows[n] *= 1.0 - 2.0 * ((numbers >> i) & 1)
    return rows
