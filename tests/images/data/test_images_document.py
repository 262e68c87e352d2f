"""The document's code prints what it says."""

import doctest
from pathlib import Path


def test_the_document():
    path = Path(__file__).parents[3] / "docs" / "images.md"
    failed, tried = doctest.testfile(str(path), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_examples_in_the_code():
    import kernelgap.images.data.images as images

    failed, tried = doctest.testmod(images)
    assert tried > 2
    assert failed == 0
