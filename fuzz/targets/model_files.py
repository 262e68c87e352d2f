"""Saved models, estimators and trainings under way: damaged, and changed with a right digest; then used."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from fuzz import mutate, values
from fuzz.case import Case, Place
from fuzz.command import call
from kernelgap import estimators, tensor_file
from kernelgap.tensor_file import MODEL, TRAINING, Kind

ESTIMATOR = Kind("kernelgap.model", "an estimator", "kernelgap.load")
OLD_ESTIMATOR = Kind("kernelgap", "an estimator", "kernelgap.load")

NEW = "size,weight,colour\n1.5,2,red\n-3,1e3,blue\n,0,mauve\n"


def make(rng: Random, place: Place) -> Case:
    kind, whole = rng.choice(_files(place.materials))
    path = place.folder / "model.safetensors"
    if rng.random() < 0.35:
        path.write_bytes(mutate.octets(whole.read_bytes(), rng))
        what = "bytes"
    else:
        header, arrays = _parts(kind, whole)
        what = ""
        if rng.random() < 0.8:
            header = mutate.json_value(header, rng)
            what = json.dumps(header)[:3000]
        if rng.random() < 0.5:
            arrays = _changed(arrays, rng)
            what += f" {[(k, v.dtype.str, v.shape) for k, v in arrays.items()]}"
        path.write_bytes(tensor_file.pack(kind, header, arrays))
    return Case(f"{kind.mark} {whole.name}: {what}", lambda: _use(kind, path, place.folder))


def _files(materials: Path) -> list[tuple[Kind, Path]]:
    found = [(MODEL, p) for p in sorted((materials / "models").iterdir())]
    found += [(ESTIMATOR, p) for p in sorted((materials / "estimators").iterdir())]
    found += [(OLD_ESTIMATOR, p) for p in sorted((materials / "old").glob("estimator-*"))]
    found += [(MODEL, p) for p in sorted((materials / "old").glob("model-*"))]
    return found + [
        (TRAINING, p) for p in sorted((materials / "runs" / "images" / "checkpoints").glob("*.safetensors"))
    ]


def _parts(kind: Kind, path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()[kind.mark]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def _changed(arrays: dict[str, np.ndarray], rng: Random) -> dict[str, np.ndarray]:
    found = dict(arrays)
    name = rng.choice(sorted(found))
    array = found[name].copy()
    match rng.randrange(8):
        case 0:
            del found[name]
        case 1:
            found[values.text(rng).encode("utf-8", "replace").decode()] = array
        case 2:
            found[name] = array.astype(rng.choice((np.float32, np.int8, bool, np.float16, np.uint64)))
        case 3:
            found[name] = array[..., None]
        case 4:
            found[name] = array[:0]
        case 5 if array.size and array.dtype.kind == "f":
            array.flat[rng.randrange(array.size)] = rng.choice((np.nan, np.inf, -np.inf, 1e300, 1e-300))
            found[name] = array
        case 6:
            found[name] = np.concatenate([array, array]) if array.ndim else array
        case _:
            found[name] = (array * 1e200).astype(array.dtype)
    return found


def _use(kind: Kind, path: Path, folder: Path) -> object:
    if kind in (ESTIMATOR, OLD_ESTIMATOR):
        model = estimators.load(path)
        if model.n_features_in_ <= 1000:
            model.predict(np.random.default_rng(0).normal(size=(2, model.n_features_in_)))
        return None
    if kind is TRAINING:
        _go_on(path)
        return None
    (folder / "new.csv").write_text(NEW)
    return call(["predict", str(path), "new.csv", "--json"])


def _go_on(path: Path) -> None:
    """As a training that is resumed reads it."""
    from kernelgap.images.training.learning import read_checkpoint
    from kernelgap.images.training.step import ImageState

    description, names = {}, []
    with suppress(SafetensorError, OSError, ValueError, LookupError, TypeError), safe_open(path, "numpy") as file:
        names = list(file.keys())
        description = json.loads((file.metadata() or {})[TRAINING.mark])["description"]
    description = description if isinstance(description, dict) else {}
    fields = {
        part: {n.partition(".")[2]: None for n in names if n.startswith(f"{part}.")} for part in ImageState._fields
    }
    read_checkpoint(path, description, ImageState(**fields))  # type: ignore[arg-type]
