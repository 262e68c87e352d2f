"""Training on images: what a step does, what stays frozen, and that one which was killed ends as if it had not been."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kernelgap.errors import InputError
from kernelgap.images.data import Images
from kernelgap.images.training import ImageSchedule, augmented, learning, train_images
from kernelgap.images.training.learning import TrainingProgress, read_checkpoint
from kernelgap.images.training.step import at_rest
from kernelgap.networks import conv_resnet
from kernelgap.training import get_model

IMAGE = (6, 6, 1)


def striped(n=40, seed=0):
    """Two classes: bright in the upper or in the lower half, with noise."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    pixels = rng.integers(0, 120, (n, *IMAGE))
    pixels[labels == 0, :3] += 100
    pixels[labels == 1, 3:] += 100
    return Images.of(pixels.astype(np.uint8), labels, ("upper", "lower"))


def started(gated=False, normalisation="group", mode="all", seed=0):
    network = conv_resnet(8, image=IMAGE, gated=gated, normalisation=normalisation)
    params = network.init(jax.random.key(seed), inputs=36, outputs=2, width=8)
    return get_model(network, mode), params


SHORT = ImageSchedule(epochs=2, batch=10, crop=1)


def trained(model, params, schedule=SHORT, **more):
    return train_images(model, params, striped(), schedule=schedule, seed=[3], **more)


def same(a, b):
    return a.curves == b.curves and all(
        np.array_equal(x, y) for x, y in zip(jax.tree.leaves(a.state), jax.tree.leaves(b.state), strict=True)
    )


@pytest.mark.parametrize("gated", [pytest.param(False, marks=pytest.mark.slow), True])
def test_it_learns_and_gates_stay_bit_for_bit(gated):
    model, params = started(gated)
    found = trained(
        model, params, ImageSchedule(epochs=12, batch=10, crop=0, flips=True), evaluate={"test": striped(60, 1)}
    )
    assert found.accuracy(striped(60, 1)) > 0.9
    assert found.curves["accuracy test"][-1] == found.accuracy(striped(60, 1))
    assert found.curves["loss"][-1] < 0.5 * found.curves["loss"][0]
    for name in model.network.gates:
        assert np.array_equal(found.params[name], params[name])
    moved = [name for name in params if name not in model.network.gates]
    assert all(not np.array_equal(found.params[name], params[name]) for name in moved)


@pytest.mark.slow
def test_one_step_is_the_formula():
    model, params = started()
    schedule = ImageSchedule(epochs=1, batch=40, crop=0, flips=False, rate=0.2, decay=0.01, warmup=0.0)
    images = striped()
    found = trained(model, params, schedule)
    x = jnp.asarray(images.scaled(images)).reshape(40, -1)

    def loss(p):
        outputs = model.network.apply(p, x)
        right = outputs[jnp.arange(40), images.labels]
        return jnp.mean(jnp.log(jnp.sum(jnp.exp(outputs), axis=1)) - right)

    gradient = jax.jit(jax.grad(loss))(params)
    for name, w in params.items():
        assert np.allclose(found.params[name], w - 0.2 * (gradient[name] + 0.01 * w), atol=2e-6)
    assert found.curves["loss"] == [pytest.approx(float(loss(params)), abs=1e-5)]


def test_batch_statistics_follow_the_batches():
    model, params = started(normalisation="batch")
    schedule = ImageSchedule(epochs=2, batch=40, crop=0, flips=False, rate=1e-12, warmup=0.0)
    found = trained(model, params, schedule)
    images = striped()
    x = jnp.asarray(images.scaled(images)).reshape(40, -1)
    _, seen = jax.jit(model.network.apply_batch)(params, x)
    for name, value in seen.items():  # two steps from the start, on the same batch
        assert np.allclose(found.params[name], 0.81 * params[name] + 0.19 * value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", ["ntk", "last"])
def test_batch_statistics_have_no_kernel(mode):
    model, params = started(normalisation="batch", mode=mode)
    with pytest.raises(InputError, match="normalisation='group'"):
        trained(model, params)


@pytest.mark.slow
def test_the_linearised_network_moves_along_its_gradients():
    model, params = started(mode="ntk")
    found = trained(model, params)
    x = jnp.asarray(striped().scaled(striped())).reshape(40, -1)
    moved = {name: jnp.asarray(w) for name, w in found.state.trained.items()}
    out, change = jax.jvp(lambda p: model.network.apply(p, x), (dict(params),), (moved,))
    assert np.allclose(found.outputs(striped().images), out + change, atol=1e-4)


# A training that was interrupted.


class EnoughError(Exception):
    pass


@pytest.mark.parametrize(
    ("gated", "normalisation", "stop"), [(True, "group", 3), pytest.param(False, "batch", 5, marks=pytest.mark.slow)]
)  # within the first epoch, and within the second
def test_resumed_equals_uninterrupted(tmp_path, gated, normalisation, stop):
    model, params = started(gated, normalisation)
    whole = trained(model, params, evaluate={"test": striped(20, 1)})
    path = tmp_path / "training.safetensors"
    real, calls = learning.write_checkpoint, []

    def writing(*arguments):
        real(*arguments)
        calls.append(1)
        if len(calls) == stop:
            raise EnoughError

    learning.write_checkpoint = writing
    try:
        with pytest.raises(EnoughError):
            trained(model, params, evaluate={"test": striped(20, 1)}, checkpoint=path, every=0.0)
    finally:
        learning.write_checkpoint = real
    assert path.exists()
    resumed = trained(model, params, evaluate={"test": striped(20, 1)}, checkpoint=path, every=0.0)
    assert same(resumed, whole)
    again = trained(model, params, evaluate={"test": striped(20, 1)}, checkpoint=path)  # nothing is left to do
    assert same(again, whole)


@pytest.mark.slow
def test_killed_and_resumed(tmp_path):
    """A real process, ended by SIGKILL while it trains."""
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_learning import ImageSchedule, started, trained
print("ready", flush=True)
trained(*started(True), ImageSchedule(epochs=100000, batch=10), checkpoint="t.safetensors", every=0.0)
"""
    process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        until = time.monotonic() + 300
        while not (tmp_path / "t.safetensors").exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.2)  # some more checkpoints
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    model, params = started(True)
    schedule = ImageSchedule(epochs=100000, batch=10)
    run = learning._Run(model, striped(), schedule, [3], {}, learning._looks(None, 100000))
    start = jax.tree.map(np.array, at_rest(model, params))
    state, progress = read_checkpoint(tmp_path / "t.safetensors", run.description(params), start)
    assert progress.step > 0
    fresh, done = start, TrainingProgress()
    while done.step < progress.step:
        fresh = run.advance(fresh, done)
    assert done == progress
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(fresh), jax.tree.leaves(state), strict=True))


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    model, params = started()
    path = tmp_path / "training.safetensors"
    trained(model, params, checkpoint=path)
    with pytest.raises(InputError, match=r"another training \(it differs in seed"):
        train_images(model, params, striped(), schedule=SHORT, seed=[4], checkpoint=path)
    with pytest.raises(InputError, match="differs in images"):
        train_images(model, params, striped(seed=1), schedule=SHORT, seed=[3], checkpoint=path)
    with pytest.raises(InputError, match="differs in schedule"):
        trained(model, params, SHORT.model_copy(update={"rate": 0.3}), checkpoint=path)
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not those that were written\. Move it away"):
        trained(model, params, checkpoint=path)
    path.write_bytes(content[:1000])
    with pytest.raises(InputError, match="Move it away"):
        trained(model, params, checkpoint=path)


def test_a_checkpoint_that_cannot_be_written_ends_no_training(tmp_path):
    model, params = started()
    with pytest.warns(UserWarning, match="training goes on without it"):
        found = trained(model, params, checkpoint=tmp_path / "none" / "t.safetensors", every=0.0)
    assert same(found, trained(model, params))


def test_a_rate_that_is_too_fast_diverges():
    model, params = started(mode="ntk")
    found = trained(model, params, ImageSchedule(epochs=30, batch=10, rate=1e12, warmup=0.0))
    assert found.diverged
    assert found.steps < 120


def test_what_does_not_fit():
    model, params = started()
    other = Images.of(np.zeros((20, 5, 5), np.uint8), np.arange(20) % 2, ("a", "b"))
    with pytest.raises(InputError, match="36 inputs"):
        train_images(model, params, other, schedule=SHORT, seed=[0])
    three = Images.of(np.zeros((20, 6, 6), np.uint8), np.arange(20) % 3, ("a", "b", "c"))
    with pytest.raises(InputError, match="2 outputs, and the images 3 classes"):
        train_images(model, params, three, schedule=SHORT, seed=[0])
    with pytest.raises(InputError, match="do not fill a batch"):
        trained(model, params, ImageSchedule(batch=64))
    with pytest.raises(InputError, match="differ from the training images"):
        trained(model, params, evaluate={"test": three})


# Rates and augmentation.


def test_rates():
    schedule = ImageSchedule(rate=0.4, warmup=0.1, epochs=1, batch=1)
    rates = np.array([schedule.rate_at(step, 100) for step in range(100)])
    assert rates[0] == pytest.approx(0.4 / 11)
    assert np.argmax(rates) == 10
    assert rates[50] == pytest.approx(0.2)
    assert rates[99] < 0.4 * 0.001
    assert (np.diff(rates[10:]) < 0).all()
    with pytest.raises(InputError, match="momentum"):
        ImageSchedule.checked(momentum=1.0)


def test_augmentation_moves_and_mirrors():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 5, 4, 2)).astype(np.float32)
    found = np.asarray(augmented(jax.random.key(1), jnp.asarray(x), crop=1, flips=True))
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    seen = set()
    for image in range(len(x)):
        for i in range(3):
            for j in range(3):
                cut = padded[image, i : i + 5, j : j + 4]
                for flip in (False, True):
                    if np.array_equal(found[image], cut[:, ::-1] if flip else cut):
                        seen.add((i, j, flip))
                        break
                else:
                    continue
                break
            else:
                continue
            break
        else:
            raise AssertionError("an image that is none of the 18 possible ones")
    assert len(seen) == 18
    assert np.array_equal(augmented(jax.random.key(1), jnp.asarray(x), crop=0, flips=False), x)
