"""Images as a pool."""

import numpy as np
import pytest

from kernelgap.images.pool import pool_of_images


@pytest.mark.parametrize("own_test", [True, False])
def test_pixels_are_scaled_and_classes_are_centred(tmp_path, rng, own_test):
    pixels, labels = rng.integers(0, 256, (60, 4, 5, 3), dtype=np.uint8), np.arange(60) % 3
    names = {"X": pixels, "y": labels}
    if own_test:
        names = {"x_train": pixels[:40], "y_train": labels[:40], "x_test": pixels[40:], "y_test": labels[40:]}
    np.savez(tmp_path / "own.npz", **names)
    X, Y = pool_of_images(tmp_path / "own.npz", rows=30, seed=0)
    assert X.shape == (30, 60)
    assert X.mean() == pytest.approx(0, abs=1e-6)
    assert X.std() == pytest.approx(1, abs=0.02)
    assert Y.shape == (30, 3)
    assert np.allclose(Y.mean(axis=0), 0)
    assert len(pool_of_images(tmp_path / "own.npz", rows=1000, seed=0).X) == (40 if own_test else 59)
