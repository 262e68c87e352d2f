"""The base of all estimators: a fitted model that predicts, and a file that holds it."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelgap.errors import InputError, unknown, validated
from kernelgap.estimators.defaults import as_numbers, is_number
from kernelgap.models import Model
from kernelgap.models.file import ESTIMATOR, read_owned, write
from kernelgap.tensor_file import Arrays, check

Plain = bool | int | float | str | None
Count = Annotated[int, Field(ge=1, strict=True)]
NotNegative = Annotated[float, Field(ge=0, strict=True)]
Positive = Annotated[float, Field(gt=0, strict=True)]
Tables = dict[str, tuple[str, ...]]
OPTIONAL = {"search_results", "validation_curve"}


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Labels(Strict):
    dtype: str
    values: list[bool | int | float | str]


class EstimatorMetadata(Strict):
    """What a file says of an estimator, beside its model and the columns of its tables."""

    kind: str
    settings: dict[str, Plain]
    fitted: dict[str, Any]
    feature_names: list[str]
    single_output: bool = False
    labels: Labels | None = None


class ModelEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """An estimator whose ``fit`` ends in a ``model_``.

    Subclasses name the kinds of model that they hold, the ``_tables`` among their fitted attributes (the columns of
    each), and the type of what else a file holds, by the names of the attributes without the last underscore.
    """

    model_: Model
    _kinds: ClassVar[dict[str, type["ModelEstimator"]]] = {}
    _models: ClassVar[tuple[type[Model], ...]]
    _tables: ClassVar[Tables]
    _fitted: ClassVar[type[Strict]]

    def __init_subclass__(cls, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not abstract:
            cls._kinds.setdefault(cls.__name__, cls)  # by which ``load`` finds it

    @abstractmethod
    def _fit(self, X: np.ndarray, Y: np.ndarray) -> None:
        """Learn ``model_`` of checked inputs (n, d) and outputs (n, k)."""

    def _predict(self, X: Any) -> np.ndarray:
        """The model's outputs, (n, k)."""
        check_is_fitted(self, "model_")
        return self.model_.predict(validate_data(self, X, reset=False, dtype=np.float64))

    def save(self, path: str | Path) -> Path:
        """Write the fitted estimator to a file that ``kernelgap.load`` reads: numbers and text, no code.

        Parameters
        ----------
        path
            The file, written whole or not at all. Its usual ending is .safetensors.

        Returns
        -------
        The path.

        Raises
        ------
        InputError
            Before ``fit``; if a kernel is code of yours, which no such file can hold; if it cannot be written.
        """
        if not hasattr(self, "model_"):
            raise InputError("There is nothing to save before fit.")
        tables = {name: getattr(self, f"{name}_", {}) for name in self._tables}
        fitted = validated(self._fitted, {name: getattr(self, f"{name}_") for name in self._fitted.model_fields})
        metadata = EstimatorMetadata(
            kind=type(self).__name__,
            settings=self._settings(),
            fitted=fitted.model_dump(),
            feature_names=[str(name) for name in getattr(self, "feature_names_in_", [])],
            single_output=getattr(self, "_single_output", False),
            labels=self._labels(),
        )
        columns = {f"{name}.{column}": values for name, table in tables.items() for column, values in table.items()}
        return write(path, self.model_, ESTIMATOR, metadata.model_dump(), columns)

    def _settings(self) -> dict[str, Plain]:
        """The constructor's arguments that are plain; a loaded estimator has its defaults for the others."""
        given = {name: v.item() if isinstance(v, np.generic) else v for name, v in self.get_params(deep=False).items()}
        numbers = {name for name, v in given.items() if isinstance(v, int | float) and is_number(v)}
        return {name: v for name, v in given.items() if name in numbers or isinstance(v, str | bool | None)}

    def _labels(self) -> Labels | None:
        return None

    @classmethod
    def _rebuild(cls, model: Model, metadata: EstimatorMetadata, arrays: Arrays) -> Self:
        """The estimator that a file describes, if its parts belong together."""
        check(isinstance(model, cls._models), f"a {cls.__name__} has another kind of model")
        check(set(metadata.settings) <= set(cls._get_param_names()), "it has settings that its kind does not take")
        names = metadata.feature_names
        check(len(names) in (0, model.features), "its features have other names than there are columns")
        check(model.targets == 1 or not metadata.single_output, "it has several outputs and says that it has one")
        estimator = cls(**metadata.settings)
        estimator.model_ = model
        estimator.n_features_in_ = model.features
        if names:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator._set_tables(arrays)
        estimator._set_fitted(validated(cls._fitted, metadata.fitted), metadata)
        return estimator

    def _set_tables(self, arrays: Arrays) -> None:
        tables: dict[str, dict[str, np.ndarray]] = {}
        for name, values in arrays.items():
            table, _, column = name.partition(".")
            tables.setdefault(table, {})[column] = values
        check(set(tables) ^ set(self._tables) <= OPTIONAL, "its tables are not those of its kind of estimator")
        for name, columns in tables.items():
            check(set(columns) == set(self._tables[name]), f"its table {name} has other columns than its kind")
            shapes = {values.shape for values in columns.values()}
            check(len(shapes) == 1 and len(min(shapes)) == 1, f"the columns of its table {name} are not as long")
            setattr(self, f"{name}_", columns)

    def _set_fitted(self, fitted: Any, metadata: EstimatorMetadata) -> None:
        """The attributes that the file holds, checked against the model."""
        for name in type(fitted).model_fields:
            setattr(self, f"{name}_", getattr(fitted, name))


class Regressor(MultiOutputMixin, RegressorMixin, ModelEstimator, abstract=True):  # type: ignore[misc]
    """Fits numbers, in one column or several."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator.

        Parameters
        ----------
        X
            Inputs (n, d).
        y
            Numbers (n,) or (n, outputs).

        Returns
        -------
        The estimator itself.

        Raises
        ------
        InputError
            If a setting or the data cannot be used; scikit-learn's own checks of X and y raise ValueError.
        """
        self._fit(*self._numbers(X, y))
        return self

    def _numbers(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Checked inputs (n, d) and outputs (n, k)."""
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64)
        self._single_output = y.ndim == 1
        return X, as_numbers(y)

    def predict(self, X: Any) -> np.ndarray:
        """Outputs for new inputs.

        Parameters
        ----------
        X
            Inputs (n, d).

        Returns
        -------
        (n,) if ``fit`` had one column of y, else (n, outputs).
        """
        return self._shaped(self._predict(X))

    def _shaped(self, outputs: np.ndarray) -> np.ndarray:
        return outputs[:, 0] if self._single_output else outputs

    def _set_fitted(self, fitted: Any, metadata: EstimatorMetadata) -> None:
        super()._set_fitted(fitted, metadata)
        self._single_output = metadata.single_output


class Classifier(ClassifierMixin, ModelEstimator, abstract=True):  # type: ignore[misc]
    """Fits an output for each class."""

    classes_: np.ndarray

    def _labelled(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Checked inputs (n, d) and labels (n,)."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        return X, y

    def _one_hot(self, y: np.ndarray, *, keep: bool = False) -> np.ndarray:
        """1 for the class of each row, (n, classes); ``keep`` for the classes that are there already."""
        classes = np.unique(y)
        if not keep:
            if len(classes) < 2:
                raise InputError("The classifier needs samples of at least 2 classes, and the labels hold one class.")
            self.classes_ = classes
        elif not np.isin(classes, self.classes_).all():
            raise InputError("warm_start goes on with the classes of the fit before, and y has others.")
        return np.eye(len(self.classes_))[np.searchsorted(self.classes_, y)]

    def decision_function(self, X: Any) -> np.ndarray:
        """The outputs: (n, classes), or for two classes (n,), above 0 for the second."""
        outputs = self._predict(X)
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest output for X (n, d)."""
        largest = np.argmax(self._predict(X), axis=1)  # first: it refuses before fit
        return self.classes_[largest]

    def _labels(self) -> Labels:
        try:
            return Labels(dtype=self.classes_.dtype.str, values=self.classes_.tolist())
        except ValidationError:
            raise InputError("Labels can be saved if they are numbers or texts.") from None

    def _set_fitted(self, fitted: Any, metadata: EstimatorMetadata) -> None:
        super()._set_fitted(fitted, metadata)
        labels = metadata.labels
        check(labels is not None, "a classifier needs labels")
        assert labels is not None
        dtype = np.dtype(labels.dtype)
        check(dtype.kind in "biufUO", "its labels are neither numbers nor texts")
        self.classes_ = np.array(labels.values, dtype=dtype)
        check(self.classes_.tolist() == labels.values, "its labels are of another type than it says")
        check(len(set(labels.values)) == self.model_.targets >= 2, "it has not as many labels as outputs")


def load(path: str | Path) -> Any:
    """Read an estimator from its file, and check that the file is whole. Nothing in it is executed.

    Parameters
    ----------
    path
        A file that an estimator's ``save`` wrote.

    Returns
    -------
    The fitted estimator. On the same machine it predicts the same, bit for bit.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, changed, of a newer version or something else.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import kernelgap as kg
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = kg.KernelRegressor("gaussian", ridge=0.01).fit(X, X[:, 0] ** 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = kg.load(model.save(f"{folder}/model.safetensors"))
    >>> np.array_equal(again.predict(X), model.predict(X))
    True
    """
    return read_owned(path, ESTIMATOR, _rebuild)


def _rebuild(model: Model, fields: dict[str, Any], arrays: Arrays) -> ModelEstimator:
    metadata, kinds = validated(EstimatorMetadata, fields), ModelEstimator._kinds
    if metadata.kind not in kinds:
        raise unknown("estimator", metadata.kind, kinds)
    return kinds[metadata.kind]._rebuild(model, metadata, arrays)
