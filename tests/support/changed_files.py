"""Model files that somebody changed, with a right digest: what only the checks of their contents refuse."""

import json
import re

import pytest
from safetensors.numpy import load, save

from kernelgap import tensor_file
from kernelgap.errors import InputError


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


def check_refused(read, path, header, arrays, words):
    """Changed so (``header`` may be None), the file is refused in one sentence that has these words."""
    change(path, header or (lambda h: h), arrays)
    with pytest.raises(InputError, match=re.escape(f"'{path}' is not a model that kernelgap saved: ")) as caught:
        read(path)
    sentence = str(caught.value)
    assert words in sentence
    assert re.search(r"[^.]\.$", sentence)
    assert len(sentence) < 1000


def under(*steps, value):
    """A change of one value, deep in a header."""

    def changed(header):
        at = header
        for step in steps[:-1]:
            at = at[step]
        at[steps[-1]] = value
        return header

    return changed
