"""The binary parts of a certificate and its witnesses: how arrays and whole numbers are written and read."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from jaxtyping import Float, Int8
from pydantic import Field, TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from kernelgap.certificates.exact.fixed_point import FixedPointNetwork
from kernelgap.certificates.exact.fixed_point.network import BIASES, LAYOUTS, LONG, Grid
from kernelgap.certificates.files.claim import Strict, as_json
from kernelgap.certificates.floors.witness import Rows, Witness
from kernelgap.errors import InputError

CLAIM, WEIGHTS, INPUTS, WITNESSES = "claim.json", "weights.safetensors", "inputs.safetensors", "witnesses.json"
MOST_HEADER = 2**20  # bytes of a header of tensors
MOST_WITNESS_BITS = 2**14
MOST_ENTRIES = 2**18  # of a part in JSON: brackets and commas, before anything is made of them
HEXADECIMAL = re.compile(r"(0|-?[1-9a-f][0-9a-f]{0,8191})( (0|-?[1-9a-f][0-9a-f]{0,8191}))*")

Bits = Annotated[int, Field(ge=0, le=MOST_WITNESS_BITS)]


class _WitnessPart(Strict):
    """A witness as ``witnesses.json`` has it: rows of hexadecimal whole numbers."""

    weights_bits: Bits
    weights: list[str]
    factor_bits: Bits
    factor: list[str]
    sigma: tuple[Annotated[int, Field(ge=1, lt=2**4096)], Bits]


_WITNESSES = TypeAdapter(list[_WitnessPart])


def shapes_of(name: str, width: int, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    """The shape of each array that a network of this name can have."""
    inner = outputs if "A" in LAYOUTS[name] else width
    every: dict[str, tuple[int, ...]] = {"W": (width, inputs), "b1": (width,), "A": (outputs, width)}
    every |= {"V": (width, inner), "b2": (width,), "C": (outputs, width), "D": (outputs, width), "offset": (outputs,)}
    names = [*LAYOUTS[name], *(bias for bias, beside in BIASES.items() if beside in LAYOUTS[name])]
    return {part: every[part] for part in every if part in names}


def write_networks(networks: Sequence[FixedPointNetwork]) -> bytes:
    return save({f"{i}.{part}": array for i, each in enumerate(networks) for part, array in each.arrays.items()})


def read_networks(
    content: bytes, name: str, grid: Grid, shapes: Mapping[str, tuple[int, ...]], count: int
) -> tuple[FixedPointNetwork, ...]:
    """Networks with what their kind must have; biases may be missing where they are 0."""
    allowed = {f"{i}.{part}": (i, part) for i in range(count) for part in shapes}
    needed = {f"{i}.{part}" for i in range(count) for part in LAYOUTS[name]}
    tensors = read_tensors(WEIGHTS, content, needed, set(allowed))
    arrays: list[dict[str, np.ndarray]] = [{} for _ in range(count)]
    for key, array in tensors.items():
        i, part = allowed[key]
        kind = np.dtype(np.int64 if part in LONG else np.int32)
        if array.shape != shapes[part] or array.dtype != kind:
            raise InputError(f"the tensors in {WEIGHTS} are not those that this certificate must have.")
        arrays[i][part] = array
    return tuple(FixedPointNetwork(name, grid, each) for each in arrays)


def write_inputs(inputs: Sequence[Float[np.ndarray, "n d"]]) -> bytes:
    return save({f"{i}.signs": signs.astype(np.int8) for i, signs in enumerate(inputs)})


def read_inputs(content: bytes, shape: tuple[int, int], count: int) -> tuple[Int8[np.ndarray, "n d"], ...]:
    """The training inputs of each network."""
    names = {f"{i}.signs" for i in range(count)}
    tensors = read_tensors(INPUTS, content, names, names)
    for signs in tensors.values():
        if signs.shape != shape or signs.dtype != np.int8:
            raise InputError(f"the tensors in {INPUTS} are not those that this certificate must have.")
        if not ((signs == 1) | (signs == -1)).all():
            raise InputError(f"the training inputs in {INPUTS} are not signs.")
    return tuple(tensors[f"{i}.signs"] for i in range(count))


def read_tensors(part: str, content: bytes, needed: set[str], allowed: set[str]) -> dict[str, np.ndarray]:
    """Tensors with these names and nothing beside them. The header is looked at before the data."""
    wrong = InputError(f"the tensors in {part} are not those that this certificate must have.")
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > min(MOST_HEADER, len(content) - 8):
        raise wrong
    try:
        header = json.loads(content[8 : 8 + size].decode("utf-8"), object_pairs_hook=once)
        if not isinstance(header, dict) or not needed <= set(header) <= allowed:
            raise wrong
        tensors = {name: np.array(tensor) for name, tensor in load(content).items()}
    except (UnicodeDecodeError, ValueError, RecursionError, SafetensorError, KeyError, TypeError, AttributeError):
        raise wrong from None
    return tensors


def write_witnesses(witnesses: Sequence[Witness]) -> bytes:
    return as_json([_part(each).model_dump(mode="json") for each in witnesses])


def check_entries(name: str, content: bytes) -> None:
    """Refuse JSON of more entries than a certificate's has, before it is read."""
    if sum(map(content.count, b"[{,")) > MOST_ENTRIES:
        raise InputError(f"{name} has more entries than any certificate's.")


def read_witnesses(content: bytes, count: int) -> tuple[Witness, ...]:
    check_entries(WITNESSES, content)
    try:
        parts = _WITNESSES.validate_json(content)
        if len(parts) != count:
            raise InputError(f"{WITNESSES} has {len(parts)} witnesses for {count} floors.")
        witnesses = tuple(_witness(part) for part in parts)
    except ValidationError:
        raise InputError(f"{WITNESSES} is not written as a certificate writes it.") from None
    if write_witnesses(witnesses) != content:
        raise InputError(f"{WITNESSES} is not written as a certificate writes it.")
    return witnesses


def _part(witness: Witness) -> _WitnessPart:
    return _WitnessPart(
        weights_bits=witness.weights_bits,
        weights=[_hexadecimal(row) for row in witness.weights],
        factor_bits=witness.factor_bits,
        factor=[_hexadecimal(row) for row in witness.factor],
        sigma=(witness.sigma, witness.sigma_bits),
    )


def _witness(part: _WitnessPart) -> Witness:
    weights, factor = (_rows(rows) for rows in (part.weights, part.factor))
    return Witness(part.weights_bits, weights, part.factor_bits, factor, part.sigma[1], part.sigma[0])


def _hexadecimal(row: Sequence[int]) -> str:
    return " ".join(f"{value:x}" for value in row)


def _rows(rows: Sequence[str]) -> Rows:
    if not all(HEXADECIMAL.fullmatch(row) for row in rows):
        raise InputError(f"{WITNESSES} has a row that is not one of hexadecimal whole numbers.")
    return tuple(tuple(int(value, 16) for value in row.split(" ")) for row in rows)


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON none of whose keys is given twice."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)
