"""kernelgap: steps of SGD on batches of images."""

import json
import sys

import jax
import numpy as np
from stage import perform

from kernelgap.images.data import Images
from kernelgap.images.training import ImageSchedule, train_images
from kernelgap.networks import conv_resnet
from kernelgap.training import get_model

task = json.loads(sys.argv[1])
image = tuple(task["image"])
rng = np.random.default_rng(0)
n = task["steps"] * task["batch"]
images = Images.of(rng.integers(0, 256, (n, *image), dtype=np.uint8), np.arange(n) % 10, [str(i) for i in range(10)])
network = conv_resnet(8, image=image, stride=task["stride"], gated=task["gated"])
start = network.init(jax.random.key(0), inputs=int(np.prod(image)), outputs=10, width=task["width"])
schedule = ImageSchedule(epochs=1, batch=task["batch"], crop=2)


def work() -> None:
    train_images(get_model(network, "all"), start, images, schedule=schedule, seed=[0])


perform(work, warm_up=work)
