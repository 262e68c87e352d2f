"""What a run refuses before it begins."""

import pytest

import kernelgap as kg
from kernelgap.errors import InputError


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("audit", {}, "'audit' is started by its own command: kernelgap audit"),
        ("fig2a", {"seed": -1}, "seed = -1 is no whole number"),
        ("fig2a", {"seed": True}, "seed = True is no whole number"),
        ("fig2a", {"flips": False}, "takes no flips"),
        ("fig2", {}, "Did you mean"),
    ],
)
def test_it_is_refused_and_nothing_is_made(name, options, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=sentence):
        kg.run(name, **options)
    assert list(tmp_path.iterdir()) == []
