"""What an unknown name is taken for."""

import pytest

from kernelgap.errors import unknown

KNOWN = ("fig1", "fig2a", "fig2b", "images", "ntk2", "gaussian")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("gausian", "gaussian"),
        ("IMAGE", "images"),
        ("fig2c", "fig2b"),
        ("ntkk2", "ntk2"),
        ("ntk", "ntk2"),
        ("fig9", None),
        ("fig3a", None),
        ("ntk4", None),
        ("gaussian2", "gaussian"),
        ("2", None),
        ("quick", None),
    ],
)
def test_only_what_is_near_is_suggested(given, meant):
    sentence = str(unknown("name", given, KNOWN))
    assert sentence.startswith(
        f"Unknown name '{given}'. " + ("Known:" if meant is None else f"Did you mean '{meant}'?")
    )
