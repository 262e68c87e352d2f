"""Which ridge over Nystroem features: by held-out data."""

from dataclasses import replace

import numpy as np

from kernelgap.errors import InputError
from kernelgap.regression.features import path_of_products
from kernelgap.regression.nystroem import Nystroem, NystroemPath, summed_products
from kernelgap.regression.ridge import check_ridges, check_targets, default_ridges
from kernelgap.regression.selection import Choice, SplitRandomness, best_ridge, held_out_rows
from kernelgap.rows import check_rows


def choose_nystroem(
    features: Nystroem, X: object, Y: object, ridges: object = None, *, rng: SplitRandomness, held_out: float = 0.2
) -> Choice:
    """Judge every ridge on samples held out, then solve for the best one on all of them.

    Phi' Phi of all the samples is that of those kept plus that of those held out, so that each is visited once, and
    those held out once more. The coefficients belong to the landmarks; ``spectrum`` is that of Phi' Phi.
    """
    rows = check_rows(X)
    targets = check_targets(Y, len(rows))
    if len(rows) < 2:
        raise InputError("A ridge cannot be chosen with 1 sample.")
    order = rng.permutation(len(rows))
    out = held_out_rows(order, held_out)[0]
    kept = np.sort(order[len(out) :])
    products, cross = summed_products(features, rows[kept], targets[kept])
    if ridges is None:
        chosen = default_ridges(float(np.trace(products)) / len(kept), len(rows))
    else:
        chosen = check_ridges(ridges)
    judged = NystroemPath(features, path_of_products(products.copy(), cross, len(kept), chosen))
    errors = judged.errors(rows[out], targets[out])
    assert judged.path.spectrum is not None
    best = best_ridge(errors, chosen, judged.path.spectrum)
    more, more_cross = summed_products(features, rows[out], targets[out])
    more += products
    whole = path_of_products(more, cross + more_cross, len(rows), chosen[best])
    coefficients = NystroemPath(features, whole).coefficients[0]
    assert whole.spectrum is not None
    return Choice(
        float(chosen[best]), chosen, errors, coefficients, replace(whole.spectrum, samples=len(features.landmarks))
    )
