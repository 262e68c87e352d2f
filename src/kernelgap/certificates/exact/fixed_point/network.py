"""A trained network rounded to fixed-point numbers, so that float64 evaluates it without any error.

On signs s, in whole numbers:

  h = max(W s + b1, 0)       units 2^-a
  y = A h, or h without A    units 2^-(a+b)
  g = max(V y + b2, 0)       c bits more
  o = C h + D g + offset     b bits more than h, and than g: the finest unit is 2^-f
  r = o rounded to units of 2^-20, then clipped to the range of the target

The grid is the finest for which all sums of magnitudes, over all signs, stay below 2^53. Every partial sum of a
product is then a whole number below 2^53, and float64 makes no error in any order of additions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from kernelgap.certificates.exact.cube import Cube
from kernelgap.certificates.exact.every_point import TrainedNetwork
from kernelgap.certificates.exact.fixed_point.target import OUT_BITS
from kernelgap.errors import InputError

MOST_BITS = 24  # as many as a float32 has: more would not bring the rounded network nearer
EXACT = 2.0**53
LAYOUTS = {  # what a network must have; biases and the offset may be missing where they are 0
    "2layer": ("W", "C"),
    "2layer-signs": ("W", "C"),
    "3layer": ("W", "V", "D"),
    "3resnet": ("W", "A", "V", "C", "D"),
    "3resnet-full": ("W", "V", "C", "D"),
}
BIASES = {"b1": "W", "b2": "V", "offset": "W"}  # and what each stands beside
LONG = ("b2", "offset")  # of 64 bits


@dataclass(frozen=True)
class Grid:
    """The bits of W and b1, of A, C and D, and of V."""

    W: int
    A: int
    V: int


@dataclass(frozen=True, eq=False)
class FixedPointNetwork:
    """Whole numbers in the units of a grid.

    Attributes
    ----------
    name
        The network, such as 3resnet.
    grid
        The units.
    arrays
        W, b1, A, V, b2, C, D and offset, as far as the network has them; W acts on signs.
    """

    name: str
    grid: Grid
    arrays: Mapping[str, Int[np.ndarray, "..."]]

    def get(self, name: str) -> Float[np.ndarray, "..."] | None:
        """An array in float64, which holds it exactly."""
        found = self.arrays.get(name)
        return None if found is None else found.astype(np.float64)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Inputs, width and outputs."""
        last = self.arrays["D"] if "D" in self.arrays else self.arrays["C"]
        return self.arrays["W"].shape[1], self.arrays["W"].shape[0], last.shape[0]

    @property
    def bits(self) -> int:
        """f: outputs come in units of 2^-f."""
        first = self.grid.W + self.grid.A
        if "D" not in self.arrays:
            return first
        return first + self.grid.V + (self.grid.A if "A" in self.arrays else 0)

    @property
    def first_shift(self) -> int:
        """By how many bits C h is shifted to that unit."""
        return self.bits - self.grid.W - self.grid.A

    @property
    def units(self) -> bytes:
        """The rows of W and b1 in one order, whatever order the units have: the same for copies of a network."""
        W = self.arrays["W"]
        rows = np.column_stack([W, self.arrays.get("b1", np.zeros(len(W), W.dtype))])
        return rows[np.lexsort(rows.T)].tobytes()

    def largest(self) -> float:
        """An upper bound, over all signs, of every sum of magnitudes that its evaluation adds up.

        It is exact below 2^53, and at least 2^53 otherwise: float64 adds whole numbers below 2^53 without error, and a
        sum that reaches 2^53 is not rounded to less.
        """
        W, b1 = self._size("W"), self.get("b1")
        h = W.sum(axis=1) + (0.0 if b1 is None else np.abs(b1))
        sums, above, below = [h], h, np.zeros_like(h)  # y lies in [-below, above]
        if "A" in self.arrays:
            up, down = self._parts("A")
            above, below = up @ h, down @ h
            sums.append(above + below)
        out = np.zeros(self.shape[2])
        if "V" in self.arrays:
            up, down = self._parts("V")
            g = up @ above + down @ below
            b2 = self.get("b2")
            g += 0.0 if b2 is None else np.abs(b2)
            sums += [g, self._size("V") @ np.maximum(above, below) + (0.0 if b2 is None else np.abs(b2))]
            out += self._size("D") @ g
        if "C" in self.arrays:
            out += self._size("C") @ h * 2.0**self.first_shift
        if "offset" in self.arrays:
            out += self._size("offset")
        out += 2.0 ** (self.bits - OUT_BITS)  # half a unit is added before the rounding
        return float(max(part.max() for part in (*sums, out)))

    @property
    def exact(self) -> bool:
        """Whether float64 evaluates it without error, and its outputs are at least as fine as the clipped ones."""
        return self.bits >= OUT_BITS and self.largest() < EXACT

    def outputs(self, signs: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """Rounded outputs in units of 2^-20, before they are clipped: whole numbers."""
        b1, b2, offset = (self.get(name) for name in ("b1", "b2", "offset"))
        return self.rest(signs @ self._array("W").T + (0.0 if b1 is None else b1), b2, offset)

    def rest(
        self,
        first: Float[np.ndarray, "n m"],
        b2: Float[np.ndarray, " m"] | None,
        offset: Float[np.ndarray, " k"] | None,
    ) -> Float[np.ndarray, "n k"]:
        """The outputs from W s + b1."""
        h = np.maximum(first, 0.0)
        out = np.zeros((len(h), self.shape[2]))
        if "C" in self.arrays:
            out += h @ self._array("C").T * 2.0**self.first_shift
        if "V" in self.arrays:
            y = h @ self._array("A").T if "A" in self.arrays else h
            out += np.maximum(y @ self._array("V").T + (0.0 if b2 is None else b2), 0.0) @ self._array("D").T
        if offset is not None:
            out += offset
        shift = self.bits - OUT_BITS
        return np.floor((out + 2.0 ** (shift - 1)) * 2.0**-shift) if shift else out

    def _array(self, name: str) -> Float[np.ndarray, "..."]:
        return self.arrays[name].astype(np.float64)

    def _size(self, name: str) -> Float[np.ndarray, "..."]:
        return np.abs(self._array(name))

    def _parts(self, name: str) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
        whole = self._array(name)
        return np.maximum(whole, 0.0), np.maximum(-whole, 0.0)


def round_networks(networks: Sequence[TrainedNetwork], cube: Cube) -> tuple[FixedPointNetwork, ...]:
    """Networks of one kind on the finest grid on which float64 evaluates all of them without error.

    Parameters
    ----------
    networks
        Trained networks: 2layer, 2layer-signs, 3layer, 3resnet or 3resnet-full. Scale and offset are folded in.
    cube
        Where they are evaluated; its scale is folded into W.

    Raises
    ------
    InputError
        If a network is of another kind, or has weights that no grid holds.
    """
    for trained in networks:
        if trained.network.name not in LAYOUTS:
            raise InputError(
                f"{trained.network.name} has no form in fixed-point numbers, only {', '.join(LAYOUTS)} do; "
                "certificates.exact_risk evaluates it in float64."
            )
    numbers = [_numbers(trained, cube) for trained in networks]
    named = [(trained.network.name, each) for trained, each in zip(networks, numbers, strict=True)]
    second = "V" in LAYOUTS[named[0][0]]

    def fits(grid: Grid) -> bool:
        made = [_rounded(name, grid, each) for name, each in named]
        return all(each is not None and each.exact for each in made)

    equal = (Grid(bits, bits, bits if second else 0) for bits in range(MOST_BITS, 0, -1))
    grid = next((grid for grid in equal if fits(grid)), None)
    if grid is None:
        raise InputError("The weights are too large, or too small, for fixed-point numbers that float64 adds exactly.")
    for finer in _finer(grid, second):
        if fits(finer):
            grid = finer
            break
    rounded = [_rounded(name, grid, each) for name, each in named]
    return tuple(each for each in rounded if each is not None)


def _finer(grid: Grid, second: bool) -> list[Grid]:
    """The same with a bit more for some of the layers, the finest first."""
    steps = [(w, a, v) for w in (1, 0) for a in (1, 0) for v in ((1, 0) if second else (0,)) if w + a + v]
    more = [Grid(grid.W + w, grid.A + a, grid.V + v) for w, a, v in steps]
    return sorted((each for each in more if max(each.W, each.A, each.V) <= MOST_BITS), key=lambda g: -(g.W + g.A + g.V))


def _numbers(trained: TrainedNetwork, cube: Cube) -> dict[str, Float[np.ndarray, "..."]]:
    """The arrays of the fixed-point form, in float64."""
    params = {name: np.asarray(w, dtype=np.float64) for name, w in trained.params.items()}
    name, k = trained.network.name, params["A"].shape[0]
    last = params["A"] * float(trained.scale)
    offset = np.broadcast_to(np.asarray(trained.offset, dtype=np.float64), (k,))
    parts = {
        "W": params["W"][:, : cube.d] * cube.scale,
        "b1": params.get("b1"),
        "A": params["A"],
        "V": params.get("U", params.get("V")),
        "b2": params.get("b2"),
        "C": last,
        "D": last,
        "offset": offset,
    }
    wanted = [*LAYOUTS[name], *(bias for bias, beside in BIASES.items() if beside in LAYOUTS[name])]
    found = {part: parts[part] for part in parts if part in wanted}
    numbers = {part: w for part, w in found.items() if w is not None and (part not in BIASES or w.any())}
    if not all(np.isfinite(w).all() for w in numbers.values()):
        raise InputError("A network with a weight that is infinite, or no number, has no risk.")
    return numbers


def _rounded(name: str, grid: Grid, numbers: Mapping[str, Float[np.ndarray, "..."]]) -> FixedPointNetwork | None:
    """On this grid; None if a number does not fit into its bits."""
    inner = grid.W + grid.V + (grid.A if "A" in numbers else 0)
    out = (inner if "D" in numbers else grid.W) + grid.A
    units = {"W": grid.W, "b1": grid.W, "A": grid.A, "V": grid.V, "b2": inner, "C": grid.A, "D": grid.A, "offset": out}
    arrays = {}
    for part, values in numbers.items():
        kind = np.int64 if part in LONG else np.int32
        whole = np.rint(values * 2.0 ** units[part])
        if np.abs(whole).max(initial=0.0) >= (EXACT if part in LONG else 2.0**31):
            return None
        arrays[part] = whole.astype(kind)
    return FixedPointNetwork(name, grid, arrays)
