"""Model files that somebody changed, with a right digest: what only the checks of their contents refuse."""

import json

from safetensors.numpy import load, save

from kernelgap import tensor_file


def parts(path):
    """The header and the arrays of a file."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + size])["__metadata__"]
    (mark,) = set(metadata) - {"sha256"}
    return mark, json.loads(metadata[mark]), load(content)


def change(path, header=lambda h: h, arrays=None):
    """Change the header of a file, and some arrays: None takes one away."""
    mark, fields, kept = parts(path)
    kept = {name: values for name, values in {**kept, **(arrays or {})}.items() if values is not None}
    text = json.dumps(header(fields))
    path.write_bytes(save(kept, {mark: text, "sha256": tensor_file.digest(text, kept)}))
    return path


def under(*steps, value):
    """A change of one value, deep in a header."""

    def changed(header):
        at = header
        for step in steps[:-1]:
            at = at[step]
        at[steps[-1]] = value
        return header

    return changed
