"""Which inputs count: repetitions, opposite inputs and dependent functions are left out."""

import numpy as np

from kernelgap.certificates.floors.spectral import distinct, independent
from kernelgap.kernels.cube.spectrum import cube_spectrum


def test_opposite_inputs_are_one_only_where_all_degrees_are_even_or_odd(rng):
    some = np.sign(rng.standard_normal((5, 8)))
    both = np.concatenate([some, -some, some])
    counts = {name: len(distinct(cube_spectrum(name, 8, 1), both)) for name in ("arcsin", "ck2", "linear", "ntk3")}
    assert counts == {"arcsin": 5, "ck2": 10, "linear": 5, "ntk3": 10}
    assert len(distinct(cube_spectrum("ck2", 8, 1), both, above=1)) == 5  # even from degree 2 on
    assert len(distinct(cube_spectrum("gaussian(bandwidth=1e15)", 8, 1), both, above=0)) == 10


def test_no_more_functions_than_the_rank_remain(rng):
    spectrum = cube_spectrum("linear", 8, 1)
    kept = independent(spectrum, np.sign(rng.standard_normal((50, 8))))
    assert len(kept) == np.linalg.matrix_rank(kept) == 8
    assert len(independent(spectrum, kept, above=1)) == 0
