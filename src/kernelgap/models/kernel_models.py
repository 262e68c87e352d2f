"""Ridge regression with kernels: K(x, points) coefficients + offset, and what K is in each kind of model."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
from jaxtyping import Float
from pydantic import Field

from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.kernels.check import check_number
from kernelgap.kernels.empirical.kernel import Empirical
from kernelgap.kernels.formulas.distance_kernel import DistanceKernel, Mahalanobis
from kernelgap.kernels.registry import from_text, text_of
from kernelgap.models.model import Metadata, Model, check_arrays, set_arrays
from kernelgap.models.network import WEIGHTS, check_weights, get_part, name_part
from kernelgap.networks import get as get_network
from kernelgap.tensor_file import Arrays, check

ARRAYS = ("points", "coefficients", "offset")


@dataclass(frozen=True, eq=False)
class Expansion(Model):
    """K(x, points) coefficients + offset.

    Parameters
    ----------
    kernel
        K, fitted, and a function of inputs.
    points
        The inputs that K compares x with, a row each.
    coefficients
        A row for each point, a column for each output.
    offset
        What is added to each output.

    Raises
    ------
    InputError
        If the shapes do not fit together, a number is not finite, or the kernel is not fitted.
    """

    kernel: Kernel
    points: Float[np.ndarray, "p d"]
    coefficients: Float[np.ndarray, "p k"]
    offset: Float[np.ndarray, " k"]

    def __post_init__(self) -> None:
        set_arrays(self, {"points": 2, "coefficients": 2, "offset": 1})
        points, outputs = shape = len(self.points), len(self.offset)
        if self.coefficients.shape != shape:
            given = self.coefficients.shape
            raise InputError(
                f"{points} points and {outputs} outputs need coefficients of the shape {shape}, not {given}."
            )
        if not self.kernel.is_fitted:
            raise InputError(f"The kernel {self.kernel.spec} still takes something from data: fit it first.")
        if not self.kernel.combines:
            raise InputError(f"The kernel {self.kernel.spec} stands for a matrix: a model needs one that sees inputs.")

    @property
    def features(self) -> int:
        return self.points.shape[1]

    @property
    def _row_size(self) -> int:
        return len(self.points) + self.features

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return self.kernel(X, self.points) @ self.coefficients

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in ARRAYS}


class KernelMetadata(Metadata):
    kind: Literal["kernel"] = "kernel"
    kernel: str
    scale: Annotated[float, Field(gt=0)]


@dataclass(frozen=True, eq=False)
class KernelModel(Expansion):
    """K(x / scale, points) coefficients + offset.

    Parameters
    ----------
    kernel, coefficients, offset
        As in ``Expansion``.
    points
        Inputs that were divided by ``scale`` already, a row each.
    scale
        What inputs are divided by, greater than 0.
    """

    scale: float = 1.0

    metadata_type = KernelMetadata

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", check_number(self.scale, "The scale of a model's inputs", positive=True))

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        return super()._block(X / self.scale)

    def metadata(self) -> KernelMetadata:
        return KernelMetadata(kernel=text_of(self.kernel), scale=self.scale)

    @classmethod
    def rebuild(cls, metadata: KernelMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ARRAYS)
        return cls(from_text(metadata.kernel), **arrays, scale=metadata.scale)


class AdaptiveMetadata(Metadata):
    kind: Literal["adaptive"] = "adaptive"
    kernel: str


@dataclass(frozen=True, eq=False)
class AdaptiveModel(Expansion):
    """A recursive feature machine: K(x,z) = kappa(sqrt((x - z)' M (x - z))), M the kernel's learned metric.

    Parameters
    ----------
    kernel
        K, with a metric of as many columns as the points.
    points, coefficients, offset
        As in ``Expansion``.
    """

    kernel: Mahalanobis

    metadata_type = AdaptiveMetadata

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.kernel.metric) != self.features:
            raise InputError(f"Points of {self.features} columns need a square metric of that size.")

    def metadata(self) -> AdaptiveMetadata:
        return AdaptiveMetadata(kernel=text_of(self.kernel.base))

    def arrays(self) -> dict[str, np.ndarray]:
        return {"metric": self.kernel.metric, **super().arrays()}

    @classmethod
    def rebuild(cls, metadata: AdaptiveMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ("metric", *ARRAYS))
        base = from_text(metadata.kernel)
        check(isinstance(base, DistanceKernel), f"the kernel {metadata.kernel} has no metric")
        assert isinstance(base, DistanceKernel)
        return cls(Mahalanobis(base, arrays["metric"]), *(arrays[name] for name in ARRAYS))


class TangentMetadata(Metadata):
    kind: Literal["tangent"] = "tangent"
    network: str
    train: Literal["all", "hidden", "last"]


@dataclass(frozen=True, eq=False)
class TangentModel(Expansion):
    """K is the tangent kernel of a finite network at its start, over the weights that ``train`` names.

    Parameters
    ----------
    kernel
        K, with the network, the weights of its start, and ``train``: "all", "hidden" or "last".
    points, coefficients, offset
        As in ``Expansion``; the points have as many columns as W.
    """

    kernel: Empirical

    metadata_type = TangentMetadata

    def __post_init__(self) -> None:
        weights = check_weights(self.kernel.network, self.kernel.params)
        object.__setattr__(self, "kernel", replace(self.kernel, params=weights))
        super().__post_init__()
        if weights["W"].shape[1] != self.features:
            raise InputError(f"Points of {self.features} columns need a W of as many, not {weights['W'].shape}.")

    def metadata(self) -> TangentMetadata:
        return TangentMetadata(network=self.kernel.network.name, train=self.kernel.train)  # type: ignore[arg-type]

    def arrays(self) -> dict[str, np.ndarray]:
        return super().arrays() | name_part(WEIGHTS, self.kernel.params)

    @classmethod
    def rebuild(cls, metadata: TangentMetadata, arrays: Arrays) -> Self:
        check_arrays(arrays, ARRAYS, (WEIGHTS,))
        kernel = Empirical(get_network(metadata.network), get_part(WEIGHTS, arrays), metadata.train)
        return cls(kernel, *(arrays[name] for name in ARRAYS))
