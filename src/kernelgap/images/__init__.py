"""The question asked of images: data sets, training, the experiment."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.images import data, experiment, training

__all__ = ["data", "experiment", "training"]

__getattr__ = lazily(__name__, dict.fromkeys(__all__))
