"""Changed certificates with a right seal: what a forger would hand in."""

import json

from safetensors.numpy import load, save

from kernelgap.certificates.files.parts import CLAIM, INPUTS, WEIGHTS, WITNESSES
from kernelgap.certificates.files.sealed import read_sealed, write_sealed

PARTS = {"claim": CLAIM, "weights": WEIGHTS, "inputs": INPUTS, "witnesses": WITNESSES}

FALSE_OF_ONE_NETWORK = (  # a field of formats 1 and 2, something false in it, and the check that finds it
    (("network", "points"), lambda v: v - 1, "network's risk"),
    (("any_kernel", "family_size"), lambda v: v + 1, "size of the family"),
    (("any_kernel", "mean_risk"), "2/3", "mean risk of any scalar kernel"),
    (("any_kernel", "samples_for_same_risk"), lambda v: v + 1, "Samples that any such kernel needs"),
    (("floors", 0, "high"), lambda v: v + 1e-3, "No weights get ck2 under"),
    (("floors", 1, "kernel"), "ntk2", "No weights get ntk2 under"),
    (("threshold",), 0.51, "threshold"),
    (("seed",), 4, "training inputs"),
    (("network", "training"), {"samples": 150}, "description of the training"),
)


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
