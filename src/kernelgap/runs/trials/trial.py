"""A trial: a frozen, validated description of one fit. Its hash is its identity."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator, model_validator

from kernelgap import kernels, networks, problems
from kernelgap.calls import parse_call
from kernelgap.errors import InputError, unknown, validated
from kernelgap.runs.trials.identity import canonical_json, digest
from kernelgap.training import Schedule, built, get_model

MOST_ROWS = 10**8  # of a sample
WIDEST = 10**6

LINEAR_MODES = {"last": "last", "ntk": "NTK"}  # modes that are kernel methods, as the paper writes them


@lru_cache(maxsize=1024)
def _problem_spec(text: str) -> str:
    return problems.get(text).spec


@lru_cache(maxsize=1024)
def _kernel_spec(text: str) -> str:
    return kernels.get(text).spec


@lru_cache(maxsize=1024)
def _combines(kernel: str) -> bool:
    return kernels.get(kernel).combines


class Description(BaseModel):
    """What every trial says: on which problem, with how many samples, and the seed of all that is random.

    ``searched`` names the numbers that differ between trials that are fitted together; which of them are possible does
    not depend on the other fields.

    Parameters
    ----------
    problem
        The text that ``problems.get`` takes; it is kept with every argument spelled out.
    samples, validation_samples, test_samples
        The sizes of the training, the validation and the test sample.
    seed
        The seed of all that is random.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    searched: ClassVar[tuple[str, ...]]

    problem: str
    samples: Annotated[int, Field(ge=1, le=MOST_ROWS)]
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    validation_samples: Annotated[int, Field(ge=2, le=MOST_ROWS)] = 1000
    test_samples: Annotated[int, Field(ge=2, le=MOST_ROWS)] = 5000

    @field_validator("problem")
    @classmethod
    def _canonical(cls, text: str) -> str:
        """The same problem always in the same words, so that it has the same identity."""
        return _problem_spec(text)

    @property
    def memory(self) -> int:
        """Bytes that it needs at the least: the samples, and the weights or the Gram matrix with what is made of it."""
        problem = problems.get(self.problem)
        rows = self.samples + self.validation_samples + self.test_samples
        return 8 * rows * (problem.d + problem.outputs) + self._memory_to_learn(problem)

    @abstractmethod
    def _memory_to_learn(self, problem: problems.Problem) -> int: ...

    @property
    def id(self) -> str:
        return self.identities[0]

    @property
    def identities(self) -> tuple[str, str]:
        """The trial's id, and what trials that are fitted together have in common: all but what is searched."""
        fields = self.model_dump(mode="json")
        common = {name: value for name, value in fields.items() if name not in self.searched}
        return digest(fields), canonical_json(common)

    @property
    def as_json(self) -> str:
        """The description as text that ``read_trial`` takes."""
        return self.model_dump_json()


class Trial(Description):
    """One network, trained once by SGD.

    Parameters
    ----------
    kind
        Always "sgd".
    problem, samples, validation_samples, test_samples
        The text that ``problems.get`` takes, and the sizes of the training, the validation and the test sample.
    seed
        The seed of the samples, of the weights at the start and of the order of the data.
    network, width
        The network's name, as ``networks.get`` takes it, and its width.
    mode
        What is trained, as ``training.get_model`` takes it: "all", "hidden", "last" or "ntk".
    rate, decay
        The learning rate and the weight decay.
    schedule
        Epochs, batches, momentum, and how the rate changes.
    precision
        Always "float32".
    """

    searched = ("rate", "decay")

    kind: Literal["sgd"] = "sgd"
    network: str
    mode: str
    width: Annotated[int, Field(ge=1, le=WIDEST)]
    rate: Annotated[float, Field(gt=0)]
    decay: Annotated[float, Field(ge=0)]
    schedule: Schedule = Schedule()
    precision: Literal["float32"] = "float32"

    @model_validator(mode="after")
    def _possible(self) -> "Trial":
        get_model(networks.get(self.network), self.mode)
        self.schedule.check_samples(self.samples)
        return self

    @property
    def method(self) -> str:
        """As the paper writes it: 3resnet(all). Linear modes say that it was SGD, as they have an exact solution."""
        mode = f"{LINEAR_MODES[self.mode]}, SGD" if self.mode in LINEAR_MODES else self.mode
        return f"{self.network}({mode})"

    @property
    def label(self) -> str:
        return f"{self.method} width {self.width} seed {self.seed}"

    @property
    def cost(self) -> float:
        """Multiplications, roughly: weights x visits of samples. For the order of work and progress."""
        problem = problems.get(self.problem)
        size = networks.get(self.network).size(inputs=problem.d, outputs=problem.outputs, width=self.width)
        overhead = 2000  # what a step costs besides its multiplications, felt at small widths
        return float((size + overhead) * self.samples * self.schedule.epochs)

    def _memory_to_learn(self, problem: problems.Problem) -> int:
        """Weights, their gradients and their momentum, in 4 bytes each."""
        size = networks.get(self.network).size(inputs=problem.d, outputs=problem.outputs, width=self.width)
        return 3 * 4 * size


class RidgeTrial(Description):
    """One exact ridge regression: with a kernel, or with the conjugate (last) or tangent (ntk) kernel of a network.

    Parameters
    ----------
    kind
        Always "ridge".
    problem, samples, validation_samples, test_samples
        The text that ``problems.get`` takes, and the sizes of the training, the validation and the test sample.
    seed
        The seed of the samples, and of the network's weights.
    kernel
        The text that ``kernels.get`` takes; it is kept without what is a default. None if there is a network.
    network, mode, width
        The network's name, "last" or "ntk", and the width. None if there is a kernel.
    ridge
        The ridge, relative to the mean of K(x,x).
    precision
        Always "float64".
    """

    searched = ("ridge",)

    kind: Literal["ridge"] = "ridge"
    kernel: str | None = None
    network: str | None = None
    mode: str | None = None
    width: Annotated[int, Field(ge=1, le=WIDEST)] | None = None
    ridge: Annotated[float, Field(gt=0)]
    precision: Literal["float64"] = "float64"

    @field_validator("kernel")
    @classmethod
    def _canonical_kernel(cls, text: str | None) -> str | None:
        """The same kernel always in the same words, so that it has the same identity."""
        return None if text is None else _kernel_spec(text)

    @model_validator(mode="after")
    def _possible(self) -> "RidgeTrial":
        if self.kernel is not None:
            if (self.network, self.mode, self.width) != (None, None, None):
                raise InputError("A ridge trial has either a kernel, or a network with mode and width.")
            if not _combines(self.kernel):
                raise InputError(f"A trial draws its inputs, so its kernel cannot be '{self.kernel}'.")
            return self
        if self.network is None or self.width is None:
            raise InputError("A ridge trial needs a kernel, or a network with mode and width.")
        if self.mode not in LINEAR_MODES:
            raise unknown("mode for ridge regression", self.mode, LINEAR_MODES)
        get_model(networks.get(self.network), self.mode)
        return self

    @property
    def method(self) -> str:
        """A kernel's name, whatever its arguments; sums and products in full; a network's kernel as 3resnet(NTK)."""
        if self.kernel is not None:
            return _name(self.kernel)
        assert self.mode is not None
        return f"{self.network}({LINEAR_MODES[self.mode]})"

    @property
    def label(self) -> str:
        what = self.kernel if self.kernel is not None else f"{self.method} width {self.width}"
        return f"{what} seed {self.seed}"

    @property
    def cost(self) -> float:
        """Multiplications, roughly: a factorisation, or for a tangent kernel some hundred products with it."""
        everything = self.samples + self.validation_samples + self.test_samples
        if self.mode != "ntk":
            return float(self.samples**2 * everything / 10)
        problem = problems.get(self.problem)
        assert self.network is not None
        assert self.width is not None
        size = networks.get(self.network).size(inputs=problem.d, outputs=problem.outputs, width=self.width)
        return float((size + 10_000) * self.samples * 100)

    def _memory_to_learn(self, problem: problems.Problem) -> int:
        """The Gram matrix and its eigenvectors; of a tangent kernel the weights alone, as it is never formed."""
        if self.mode != "ntk":
            return 2 * 8 * self.samples**2
        assert self.network is not None
        assert self.width is not None
        return 3 * 8 * networks.get(self.network).size(inputs=problem.d, outputs=problem.outputs, width=self.width)


class BuiltTrial(Description):
    """One solution of section 8.2 that is built, not found: ``training.built``.

    Parameters
    ----------
    kind
        Always "built".
    problem
        A parity of 2, 4 or 6 coordinates, as ``problems.get`` takes it.
    samples, validation_samples, test_samples
        The sizes of the samples on which the training, the validation and the test error are measured.
    seed
        The seed of the samples, and of the training in the recipe "trained".
    recipe
        "trained" (by SGD on the small cube) or "vertices" (written down).
    width
        The width, even and at least 200.
    decay
        The weight decay: the larger it is, the smaller the norm and the larger the error.
    """

    searched = ("decay",)

    kind: Literal["built"] = "built"
    recipe: str
    width: Annotated[int, Field(ge=1, le=WIDEST)]
    decay: Annotated[float, Field(ge=0)]

    @model_validator(mode="after")
    def _possible(self) -> "BuiltTrial":
        if self.recipe not in built.RECIPES:
            raise unknown("recipe", self.recipe, built.RECIPES)
        problem = problems.get(self.problem)
        if problem.name != "parity":
            raise InputError(f"Solutions are built for the problem parity(d, k), not for {problem.name}.")
        built.check_size(width=self.width, d=problem.d, k=self.degree)
        return self

    @property
    def degree(self) -> int:
        """k, the number of coordinates of the parity."""
        problem = problems.get(self.problem)
        assert isinstance(problem, problems.ParityProblem)
        return len(problem.base_sets[0])

    @property
    def method(self) -> str:
        return f"built({self.recipe})"

    @property
    def label(self) -> str:
        return f"{self.method} width {self.width} seed {self.seed}"

    @property
    def cost(self) -> float:
        """Multiplications, roughly: a small training, and the outputs."""
        everything = self.samples + self.validation_samples + self.test_samples
        return float(1e9 + everything * self.width * problems.get(self.problem).d)

    def _memory_to_learn(self, problem: problems.Problem) -> int:
        return 2 * 8 * self.width * problem.d


def _name(kernel: str) -> str:
    """The name of a single kernel; of a sum or a product, all of it."""
    try:
        name, _ = parse_call(kernel)
    except InputError:
        return kernel
    return name if name in kernels.KERNELS else kernel


AnyTrial = Trial | RidgeTrial | BuiltTrial
T = TypeVar("T", Trial, RidgeTrial, BuiltTrial)
_KINDS: dict[str, type[AnyTrial]] = {"sgd": Trial, "ridge": RidgeTrial, "built": BuiltTrial}
_ANY: TypeAdapter[AnyTrial] = TypeAdapter(Annotated[AnyTrial, Field(discriminator="kind")])


def read_trial(text: str) -> AnyTrial:
    """A trial from its JSON."""
    return _ANY.validate_json(text)


@lru_cache(maxsize=1024)
def method_of(kind: str, network: str | None, mode: str | None, kernel: str | None, recipe: str | None) -> str:
    """``method`` of a trial that was stored, and so checked, with these words in its description."""
    return _KINDS[kind].model_construct(network=network, mode=mode, kernel=kernel, recipe=recipe).method


def make_trial(**description: object) -> Trial:
    """A trial by SGD, or one sentence about the first thing that is wrong with its description.

    Parameters
    ----------
    **description
        The fields of ``Trial``.

    Returns
    -------
    Trial

    Raises
    ------
    InputError
        If a field is missing, unknown or wrong.
    """
    return validated(Trial, description)


def make_ridge_trial(**description: object) -> RidgeTrial:
    """A trial by ridge regression from its fields; refused as by ``make_trial``.

    Parameters
    ----------
    **description
        The fields of ``RidgeTrial``.
    """
    return validated(RidgeTrial, description)


def make_built_trial(**description: object) -> BuiltTrial:
    """A solution to build from its fields; refused as by ``make_trial``.

    Parameters
    ----------
    **description
        The fields of ``BuiltTrial``.
    """
    return validated(BuiltTrial, description)


def make_trials(make: Callable[..., T], searched: Mapping[str, Sequence[object]], **common: object) -> Iterator[T]:
    """A trial for each combination of what is searched. Each value is checked once, not each combination.

    Parameters
    ----------
    make
        ``make_trial``, ``make_ridge_trial`` or ``make_built_trial``.
    searched
        The values of each field that is searched, by its name; at least one value each.
    **common
        The other fields, the same for all trials.

    Yields
    ------
    The trials; the last field of ``searched`` varies fastest.

    Raises
    ------
    InputError
        If a field is missing, unknown or wrong.
    """
    start = {name: values[0] for name, values in searched.items()}
    first = make(**common, **start)
    checked = [
        [getattr(make(**common, **{**start, name: value}), name) for value in values]
        for name, values in searched.items()
    ]
    for values in product(*checked):
        yield first.model_copy(update=dict(zip(searched, values, strict=True)))
