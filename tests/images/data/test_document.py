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
    import kernelgap.images.data.scaling as scaling

    for module in (images, scaling):
        failed, tried = doctest.testmod(module)
        assert tried > 0
        assert failed == 0
