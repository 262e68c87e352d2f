"""Trials in which a network learns by SGD, or its last layer by ridge regression."""

from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np

from kernelgap import networks
from kernelgap.images.data import Images
from kernelgap.images.experiment.kernel import centred_labels, chosen_by_holdout
from kernelgap.images.experiment.outcome import ImageOutcome
from kernelgap.images.experiment.trials import FeaturesTrial, NetworkTrial, TrainingTrial
from kernelgap.images.training import train_images
from kernelgap.images.training.step import at_rest
from kernelgap.images.training.step import outputs as outputs_of
from kernelgap.networks import Network, Params
from kernelgap.training import get_model

WATCHED = 1000  # test images that learning curves are drawn with; the end is measured on all


def by_training(
    trial: TrainingTrial, train: Images, test: Images, folder: Path, tell: Callable[[float], None]
) -> ImageOutcome:
    """Train, from where an earlier process left it if one did, and test once at the end."""
    network, params = _started(trial)
    checkpoint = folder / f"{trial.id}.safetensors"
    folder.mkdir(parents=True, exist_ok=True)
    trained = train_images(
        get_model(network, trial.mode),
        params,
        train,
        schedule=trial.schedule,
        seed=[trial.seed],
        evaluate={"test": test.rows(np.arange(min(WATCHED, len(test))))},
        checkpoint=checkpoint,
        on_progress=lambda share: tell(0.95 * share),
    )
    curves = {name: [v for v in values if np.isfinite(v)] for name, values in trained.curves.items()}
    outputs = trained.outputs(test.images)
    if trained.diverged or not np.isfinite(outputs).all():
        return ImageOutcome(trained.earlier, 0, len(test), "diverged", curves=curves)
    setting = {"steps": trained.steps, "weights": sum(int(w.size) for w in trained.state.trained.values())}
    predicted = np.argmax(outputs, axis=1)
    return ImageOutcome.of(predicted, test.labels, setting=setting, curves=curves, seconds=trained.earlier)


def by_last_layer(trial: FeaturesTrial, train: Images, test: Images) -> ImageOutcome:
    """The ridge is chosen on a holdout of the training images, then used on all of them."""
    network, params = _started(trial)
    features, of_test = (_features(network, params, train, images) for images in (train, test))
    Y = centred_labels(train)
    setting, weights = chosen_by_holdout(features, Y, seed=trial.seed)
    predicted = np.argmax(of_test @ weights, axis=1)
    return ImageOutcome.of(predicted, test.labels, setting={**setting, "features": features.shape[1]})


def _started(trial: NetworkTrial) -> tuple[Network, Params]:
    network = networks.get(trial.spec)
    d = int(np.prod(trial.shape))
    return network, network.init(jax.random.key(trial.seed), inputs=d, outputs=trial.classes, width=trial.width)


def _features(network: Network, params: Params, train: Images, images: Images) -> np.ndarray:
    """The features at the start, by an output for each of them."""
    model = get_model(network, "last")
    state = at_rest(model, params)
    every = state._replace(trained={"A": np.eye(params["A"].shape[1], dtype=np.float32)})
    return outputs_of(model, every, train.scaling(), images.images)
