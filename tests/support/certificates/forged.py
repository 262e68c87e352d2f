"""Changed certificates with a right seal: what a forger would hand in."""

import json

from safetensors.numpy import load, save

from kernelgap.certificates.files.parts import CLAIM, INPUTS, WEIGHTS, WITNESSES
from kernelgap.certificates.files.sealed import read_sealed, write_sealed

PARTS = {"claim": CLAIM, "weights": WEIGHTS, "inputs": INPUTS, "witnesses": WITNESSES}


def reseal(original, path, **changes):
    """A copy of a certificate with some parts changed, bytes by bytes, and sealed again."""
    parts = read_sealed(original)
    for name, change in changes.items():
        parts[PARTS[name]] = change(parts[PARTS[name]])
    return write_sealed(path, parts)


def as_written(fields):
    """claim.json in the form in which certificates are written."""
    return (json.dumps(fields, indent=1, sort_keys=True) + "\n").encode()


def in_claim(*path, value):
    """One field of the claim changed: ``value`` is a function of what was there, or what is to be there."""

    def change(content):
        fields = json.loads(content)
        place = fields
        for key in path[:-1]:
            place = place[key]
        old = place.get(path[-1]) if isinstance(place, dict) else place[path[-1]]
        place[path[-1]] = value(old) if callable(value) else value
        return as_written(fields)

    return change


def both(*changes):
    def change(content):
        for one in changes:
            content = one(content)
        return content

    return change


def in_weights(**tensors):
    """Some tensors changed: each a function of what was there, or the tensor itself."""

    def change(content):
        weights = load(content)
        for name, tensor in tensors.items():
            weights[name] = tensor(weights.get(name)) if callable(tensor) else tensor
        return save(weights)

    return change
