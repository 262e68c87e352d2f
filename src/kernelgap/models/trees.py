"""Boosted trees: a sum of steps in single inputs, for numbers or for the probabilities of classes."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from jaxtyping import Float, Int
from pydantic import Field
from scipy.special import expit, softmax

from kernelgap.errors import InputError
from kernelgap.models.model import Metadata, Model, set_arrays
from kernelgap.tensor_file import Arrays, check

Link = Literal["identity", "logistic", "softmax"]
NUMBERS = {"threshold": 1, "value": 1, "baseline": 1, "offset": 1}
PLACES = ("feature", "left", "right", "roots", "outputs", "columns")  # whole numbers


class TreesMetadata(Metadata):
    kind: Literal["trees"] = "trees"
    link: Link
    inputs: Annotated[int, Field(ge=1)]


@dataclass(frozen=True, eq=False)
class TreesModel(Model):
    """Boosted trees: the values of the leaves that a row gets to, summed over the trees of each output.

    A row goes from a node to its left child where x[feature] <= threshold, else to its right one. Children stand behind
    their parents, and a leaf is its own child. A logistic link makes two columns of one sum, p and 1 - p.

    Parameters
    ----------
    feature, threshold, left, right, value
        The nodes of all trees: what they ask, their children, and the value of a leaf.
    roots, outputs
        The first node of each tree, and the sum that it is a part of.
    baseline
        What each sum begins with.
    columns
        The columns of the outputs that the linked sums fill; the others are 0.
    offset
        What is added to each output.
    link
        "identity", "logistic" or "softmax".
    inputs
        The number of inputs.
    """

    feature: Int[np.ndarray, " nodes"]
    threshold: Float[np.ndarray, " nodes"]
    left: Int[np.ndarray, " nodes"]
    right: Int[np.ndarray, " nodes"]
    value: Float[np.ndarray, " nodes"]
    roots: Int[np.ndarray, " trees"]
    outputs: Int[np.ndarray, " trees"]
    baseline: Float[np.ndarray, " sums"]
    columns: Int[np.ndarray, " columns"]
    offset: Float[np.ndarray, " k"]
    link: Link
    inputs: int

    metadata_type = TreesMetadata

    def __post_init__(self) -> None:
        set_arrays(self, NUMBERS)
        nodes, sums = len(self.value), len(self.baseline)
        ends = {"feature": self.inputs, "left": nodes, "right": nodes, "roots": nodes, "outputs": sums}
        for name, end in {**ends, "columns": len(self.offset)}.items():
            places = np.array(getattr(self, name), order="C")
            if places.ndim != 1 or places.dtype.kind not in "iu" or not ((places >= 0) & (places < end)).all():
                raise InputError(f"The array {name} of a model of trees holds whole numbers from 0 to {end - 1}.")
            object.__setattr__(self, name, places.astype(np.int32))
        lengths = {len(getattr(self, name)) for name in ("feature", "threshold", "left", "right")}
        filled = sums + (self.link == "logistic")
        together = lengths == {nodes} and len(self.roots) == len(self.outputs)
        linked = len(set(self.columns)) == len(self.columns) == filled and (self.link != "logistic" or sums == 1)
        if not together or not linked:
            raise InputError("The arrays of a model of trees do not belong together.")
        own = np.arange(nodes)
        leaf = (self.left == own) & (self.right == own)
        if not (leaf | ((self.left > own) & (self.right > own))).all():
            raise InputError("The children of a node stand behind it.")

    @property
    def features(self) -> int:
        return self.inputs

    @property
    def _row_size(self) -> int:
        return 4 * len(self.roots) + self.inputs

    def _block(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        sums = np.tile(self.baseline, (len(X), 1))
        rows = np.arange(len(X))[:, None]
        at = np.tile(self.roots, (len(X), 1))
        while True:
            below = np.where(X[rows, self.feature[at]] <= self.threshold[at], self.left[at], self.right[at])
            if (below == at).all():
                break
            at = below
        for tree, output in enumerate(self.outputs):
            sums[:, output] += self.value[at[:, tree]]
        filled = np.zeros((len(X), self.targets))
        filled[:, self.columns] = _linked(sums, self.link)
        return filled

    def metadata(self) -> TreesMetadata:
        return TreesMetadata(link=self.link, inputs=self.inputs)

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in (*NUMBERS, *PLACES)}

    @classmethod
    def rebuild(cls, metadata: TreesMetadata, arrays: Arrays) -> Self:
        check(set(arrays) == {*NUMBERS, *PLACES}, "its arrays are not those of its kind of model")
        for name, values in arrays.items():
            dtype = np.dtype(np.float64 if name in NUMBERS else np.int32)
            check(values.dtype == dtype, f"its array {name} is not of {dtype.name}")
        return cls(**arrays, link=metadata.link, inputs=metadata.inputs)


def _linked(sums: Float[np.ndarray, "n sums"], link: Link) -> Float[np.ndarray, "n columns"]:
    if link == "logistic":
        p = expit(sums)
        return np.concatenate([1 - p, p], axis=1)
    return np.asarray(softmax(sums, axis=1)) if link == "softmax" else sums
