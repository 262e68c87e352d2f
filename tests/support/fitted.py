"""One small model of each kind, for a table of two numbers and a colour."""

from functools import cache

import jax
import numpy as np
import pandas as pd

from kernelgap import kernels, networks
from kernelgap.audit.models import TableModel
from kernelgap.audit.tables.preparing import Preparation
from kernelgap.audit.tables.targets import Targets
from kernelgap.kernels.empirical.kernel import Empirical
from kernelgap.kernels.formulas.distance_kernel import Mahalanobis
from kernelgap.models import AdaptiveModel, KernelModel, LinearModel, NetworkModel, TangentModel, TreesModel

ROWS = 60
COLOURS = ("red", "green", "blue")
FEATURES, POINTS = 5, 12  # size, weight and the three colours

REGRESSION = Targets(names=("price", "age"), task="regression", means=(100.0, -1.0), scales=(20.0, 0.5))
CLASSES = Targets(names=("kind",), task="classification", classes=("a", "b", "c"))


def table(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    numbers = {"size": rng.normal(3, 2, rows), "weight": rng.normal(size=rows) ** 3}
    return pd.DataFrame({**numbers, "colour": rng.choice(COLOURS, rows)})


def preparation():
    return Preparation.fit(table())


@cache
def _weights(network, outputs, d=FEATURES):
    return networks.get(network).init(jax.random.key(1), inputs=d, outputs=outputs, width=7)


def model(kind, outputs=2, d=FEATURES):
    rng = np.random.default_rng(5)
    points, coefficients = rng.normal(size=(POINTS, d)), rng.normal(size=(POINTS, outputs))
    offset, root = rng.normal(size=outputs), rng.normal(size=(d, d))
    match kind:
        case "kernel":
            return KernelModel(kernels.get("ntk3(bias=True)"), points, coefficients, offset, scale=1.7)
        case "gaussian":
            return KernelModel(kernels.get("gaussian").fit(points), points, coefficients, offset)
        case "adaptive":
            laplace = Mahalanobis(kernels.get("laplace(bandwidth=2.3)"), root @ root.T)
            return AdaptiveModel(laplace, points, coefficients, offset)
        case "linear":
            return LinearModel(rng.normal(size=(d, outputs)), offset)
        case "trees":
            nodes = {
                "feature": [0, 0, 3, 0, 0, 1, 0, 0],
                "left": [1, 1, 3, 3, 4, 6, 6, 7],
                "right": [2, 1, 4, 3, 4, 7, 6, 7],
            }
            places = {name: np.array(each, dtype=np.int32) for name, each in nodes.items()}
            roots, sums = np.array([0, 5], dtype=np.int32), np.arange(2, dtype=np.int32) % outputs
            numbers = {"threshold": np.linspace(-0.3, 0.4, 8), "value": rng.normal(size=8)}
            columns, link = np.arange(outputs, dtype=np.int32), "softmax" if outputs > 2 else "identity"
            baseline = rng.normal(size=outputs)
            return TreesModel(
                **places, **numbers, roots=roots, outputs=sums, baseline=baseline, columns=columns, offset=offset,
                link=link, inputs=d,
            )  # fmt: skip
        case "tangent":
            kernel = Empirical(networks.get("2layer"), _weights("2layer", outputs, d), "all")
            return TangentModel(kernel, points, coefficients, offset)
        case "last":
            kernel = Empirical(networks.get("3resnet"), _weights("3resnet", outputs, d), "last")
            return TangentModel(kernel, points, coefficients, offset)
        case _:
            return NetworkModel(networks.get(kind), _weights(kind, outputs, d), offset, scale=3.1)


KINDS = ("kernel", "gaussian", "adaptive", "linear", "trees", "3resnet", "tangent", "last")


def table_model(kind: str = "linear", targets: Targets = REGRESSION) -> TableModel:
    about = {"contender": kind, "samples": ROWS, "notes": ["ß", None, 1.5]}
    return TableModel(model(kind, targets.outputs), preparation(), targets, about)
