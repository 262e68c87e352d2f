"""PNG sheets against filters written plainly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelgap.errors import InputError
from kernelgap.images.data.png import read_png
from support.image_files import chunk, filtered, pixels, png


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 7), st.integers(1, 7), st.sampled_from([1, 3]), st.integers(0, 2**32 - 1))
def test_all_filters(tmp_path_factory, height, width, channels, seed):
    rng = np.random.default_rng(seed)
    image, filters = pixels(rng, height, width, channels), rng.integers(0, 5, height).tolist()
    path = tmp_path_factory.mktemp("png") / "x.png"
    path.write_bytes(png(filtered(image, filters), width, height, channels))
    np.testing.assert_array_equal(read_png(path), image)


@pytest.fixture
def good(rng):
    return png(filtered(pixels(rng, 2, 3, 3), [1, 4]), 3, 2, 3)


def refused(path, content, message):
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_png(path)


def test_damaged_sheets(tmp_path, good):
    path = tmp_path / "x.png"
    refused(path, b"GIF89a" + good, "bytes 0 to 7 are not its signature")
    refused(path, good[:8], "it ends at byte 8")
    refused(path, good[:50], "cut short: the part at byte 33 goes on to byte")
    refused(path, good[:45] + bytes([good[45] ^ 1]) + good[46:], "damaged: the part at byte 33 has not the sum")
    refused(path, good[:-12], "has no end")
    refused(path, good[:8] + chunk(b"IEND", b""), "does not begin with a PNG file's heading")


def test_other_kinds_of_png(tmp_path):
    path, rows = tmp_path / "x.png", bytes(2 * 10)
    refused(path, png(rows, 3, 2, 3, bits=16), "not 8 bits a channel")
    refused(path, png(rows, 3, 2, 3, interlaced=1), "not interlaced")
    refused(path, png(rows[:-1], 3, 2, 3), "announces 20 bytes of pixels")
    refused(path, png(rows + b"!", 3, 2, 3), "announces 20 bytes of pixels")
    refused(path, png(rows[:10] + b"\x05" + rows[11:], 3, 2, 3), r"row 1 \(counted from 0\) has no known filter")
