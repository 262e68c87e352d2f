"""A certificate: a network, what it reaches, and what no kernel reaches, in one file that anyone can compute again."""

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field
from safetensors.numpy import save

from kernelgap.certificates.exact.cube import cube_of
from kernelgap.certificates.exact.every_point import ExactRisk, TrainedNetwork, as_network, exact_risk
from kernelgap.certificates.files import limits
from kernelgap.certificates.files.limits import MOST_SAMPLES, MOST_TEXT, MOST_WIDTH, bounded_problem
from kernelgap.certificates.files.sealed import write_sealed
from kernelgap.certificates.floors.bound import any_kernel
from kernelgap.certificates.floors.oracle import oracle_risk
from kernelgap.certificates.gap import AT_BEST, kernel_gap, round_down
from kernelgap.errors import InputError, first_mistake
from kernelgap.kernels import Kernel
from kernelgap.problems import ParityProblem, Problem
from kernelgap.progress import Progress, part, silent

FORMAT = "kernelgap certificate"
VERSION = 2
CLAIM, WEIGHTS, INPUTS = "claim.json", "weights.safetensors", "inputs.safetensors"
PACKAGES = ("kernelgap", "python-flint", "jax", "numpy", "scipy", "safetensors")

NARROW = 1e-3  # half the width of a network's risk, of the threshold that it is compared with: a tenth of a per cent
NARROW_FLOOR = 1e-9  # width of a kernel's floor, of |H|^2
SPARE = 4  # times the rounding to each side: two evaluations that both err by it fit into one stated interval
SPARE_FLOOR = 1e-12  # the same for floors, of |H|^2; proofs are tight to 1e-15


class Strict(BaseModel):
    """Nothing is converted, nothing is ignored, nothing is infinite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


Text = Annotated[str, Field(max_length=MOST_TEXT, pattern=r"^[ -~]*$")]  # nothing that a terminal would obey
Plain = bool | int | float | Text | None
NotNegative = Annotated[float, Field(ge=0)]


class NetworkClaim(Strict):
    """Which network the weights belong to, and between which numbers its risk over every point of the cube lies."""

    name: Text
    mode: Literal["all", "hidden"] | None  # which layers were trained; not checked
    width: Annotated[int, Field(ge=1, le=MOST_WIDTH)]
    scale: float
    low: NotNegative
    high: NotNegative
    points: Annotated[int, Field(ge=1)]
    training: dict[Text, Plain | list[Plain] | dict[Text, Plain]]  # how it was trained; not checked

    @property
    def method(self) -> str:
        """As the paper writes it: 3resnet(all)."""
        return self.name if self.mode is None else f"{self.name}({self.mode})"


class BoundClaim(Strict):
    """The bound for any scalar kernel fixed beforehand, on average over the family: exact, as a fraction."""

    family_size: Annotated[int, Field(ge=1)]
    mean_risk: Annotated[str, Field(max_length=MOST_TEXT, pattern=r"^[0-9]+(/[0-9]+)?$")]
    samples_for_same_risk: Annotated[int, Field(ge=0)]
    matrix_valued_samples_for_same_risk: Annotated[int, Field(ge=0)]


class FloorClaim(Strict):
    """What one kernel cannot get under with these inputs, even with weights that know the target."""

    kernel: Text
    low: float
    high: float


class Claim(Strict):
    """All that a certificate states.

    Attributes
    ----------
    format, version
        What the file is, and the version of its format.
    problem
        The problem in its canonical words, as ``problems.get`` takes it.
    samples, seed
        The number of training inputs, and the seed that draws them from the problem.
    threshold
        The risk of knowing F alone.
    network
        The network, and the interval that contains its risk.
    any_kernel
        The bound for any scalar kernel fixed beforehand.
    floors
        For each kernel of the certificate, the interval that contains its floor on the training inputs.
    versions
        The versions of Python and of the packages that made it; not checked.
    """

    format: Literal["kernelgap certificate"] = "kernelgap certificate"
    version: Literal[2] = 2
    problem: Text
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    seed: Annotated[int, Field(ge=0, lt=limits.MOST_SEED)]
    threshold: float
    network: NetworkClaim
    any_kernel: BoundClaim
    floors: Annotated[tuple[FloorClaim, ...], Field(max_length=limits.MOST_FLOORS)]
    versions: dict[Text, Text]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sentence(self) -> str:
        """The same in words. It is not in the file: whoever reads the numbers makes it of them."""
        problem = bounded_problem(self.problem)
        text = kernel_gap(problem, self.samples, self.network.high, method=self.network.method).sentence
        if not self.floors:
            return text
        best = min(self.floors, key=lambda floor: floor.low)
        return f"{text} Of the kernels in this file the best ({best.kernel}), {AT_BEST} {round_down(best.low)}."

    def as_json(self) -> bytes:
        """The one way in which a certificate writes it."""
        fields = self.model_dump(mode="json", exclude={"sentence"})
        return (json.dumps(fields, indent=1, sort_keys=True) + "\n").encode()


def certify(
    path: str | Path,
    problem: Problem,
    predictor: Any,
    *,
    samples: int,
    seed: int = 0,
    kernels: Sequence[Kernel | str] = (),
    method: str | None = None,
    training: Mapping[str, object] | None = None,
    resume: str | Path | None = None,
    on_progress: Progress = silent,
) -> Claim:
    """Compute what there is to claim and write the file.

    Parameters
    ----------
    path
        The file.
    problem, predictor
        The problem, and a network that was trained on ``problem.sample(samples, seed)``.
    samples, seed
        The number of training inputs, and the seed that draws them.
    kernels
        Kernels, each of which gets a proved floor on the same inputs.
    method
        The network's name with the layers that were trained, such as 3resnet(all).
    training
        The training in plain values: recorded, not checked, and what ``retrain`` goes by.
    resume
        A file that keeps what is done of the 2^d evaluations.
    on_progress
        Takes the share done and what is being done.

    Returns
    -------
    Claim
        What the certificate states.

    Raises
    ------
    InputError
        If the risk is not known well enough, or something cannot be written into a certificate.
    """
    trained = as_network(predictor)
    if trained is None:
        raise InputError("A certificate is about a trained network: a fitted regressor, or a trained member of a grid.")
    written = bounded_problem(problem.spec)
    if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= MOST_SAMPLES:
        raise InputError(f"A certificate is about 1 to {MOST_SAMPLES:,} samples, not {samples!r}.")
    limits.check_floors(len(kernels), samples)
    width = _width(trained, written)
    limits.bounded_network(trained.network.name, written, width)
    weights = {name: np.ascontiguousarray(w, dtype=np.float32) for name, w in trained.params.items()}
    offset = np.broadcast_to(np.asarray(trained.offset, dtype=np.float32), (written.outputs,)).copy()
    trained = TrainedNetwork(trained.network, weights, float(trained.scale), offset)  # as the file will hold it
    X, _ = written.sample(samples, seed)
    floors = _floors(written, kernels, X, part(on_progress, 0.0, 0.5))
    risk = exact_risk(written, trained, resume=resume, on_progress=part(on_progress, 0.5, 1.0))
    low, high = _stated(risk)
    bound = any_kernel(written, samples)
    try:
        claim = Claim(
            problem=written.spec,
            samples=samples,
            seed=seed,
            threshold=float(written.threshold),
            network=NetworkClaim(
                name=trained.network.name,
                mode=_mode(method, trained.network.name),
                width=width,
                scale=trained.scale,
                low=low,
                high=high,
                points=risk.points,
                training=json.loads(json.dumps(dict(training or {}))),
            ),
            any_kernel=BoundClaim(
                family_size=bound.family_size,
                mean_risk=str(bound.exact_mean_risk),
                samples_for_same_risk=bound.samples_for(high),
                matrix_valued_samples_for_same_risk=any_kernel(written, samples, "matrix").samples_for(high),
            ),
            floors=floors,
            versions={**{name: version(name) for name in PACKAGES}, "python": platform.python_version()},
        )
    except (ValidationError, TypeError) as error:
        what = first_mistake(error) if isinstance(error, ValidationError) else f"{error}."
        raise InputError(f"This cannot be written into a certificate: {what}") from None
    cube = cube_of(written)
    signs = None if cube is None else cube.signs(X)
    assert signs is not None, "the risk is over the points of a cube"
    parts = {CLAIM: claim.as_json(), WEIGHTS: save({**weights, "offset": offset})}
    write_sealed(path, {**parts, INPUTS: save({"signs": signs.astype(np.int8)})})
    return claim


def _floors(
    problem: ParityProblem, kernels: Sequence[Kernel | str], X: Float[np.ndarray, "n d"], on_progress: Progress
) -> tuple[FloorClaim, ...]:
    """A proved floor for each kernel, stated a little wider than it was found."""
    spare = SPARE_FLOOR * problem.target_fourier.squared_norm()
    floors = []
    for i, kernel in enumerate(kernels):
        on_progress(i / len(kernels), f"floor of {kernel if isinstance(kernel, str) else kernel.spec}")
        floor = oracle_risk(problem, kernel, X, rigorous=True)
        limits.bounded_kernel(floor.kernel, len(X))
        low, high = floor.interval
        floors.append(FloorClaim(kernel=floor.kernel, low=low - spare, high=high + spare))
    return tuple(floors)


def _stated(risk: ExactRisk) -> tuple[float, float]:
    """Between which numbers a certificate says that the risk lies; refused if that is not narrow."""
    low, high = max(0.0, risk.risk - SPARE * risk.rounding), risk.risk + SPARE * risk.rounding
    if not narrow(risk) or not high - low <= 2 * NARROW * risk.threshold:
        raise InputError(
            f"The network's risk, {risk.risk:.4g}, is known to +/- {risk.rounding:.2g} only, which is not narrow "
            f"against the threshold of {risk.threshold:.4g}: no certificate."
        )
    return low, high


def narrow(risk: ExactRisk) -> bool:
    """Whether a risk is known well enough to be compared with the threshold."""
    return bool(np.isfinite(risk.risk) and risk.rounding <= NARROW * risk.threshold)


def _width(trained: TrainedNetwork, problem: ParityProblem) -> int:
    """The width at which the network has weights of these shapes."""
    shapes = {name: tuple(np.shape(w)) for name, w in trained.params.items()}
    most = max((side for shape in shapes.values() for side in shape), default=0)
    for width in range(1, min(most, MOST_WIDTH) + 1):
        table = trained.network.weights(problem.d, problem.outputs, width)
        if {name: w.shape for name, w in table.items()} == shapes:
            return width
    raise InputError(f"These weights are not those of a {trained.network.name} for {problem.name}.")


def _mode(method: str | None, name: str) -> Literal["all", "hidden"] | None:
    modes: dict[str | None, Literal["all", "hidden"] | None] = {None: None, name: None}
    modes |= {f"{name}(all)": "all", f"{name}(hidden)": "hidden"}
    if method not in modes:
        raise InputError(f"The method of a certificate is {name}(all) or {name}(hidden), not {method!r}.")
    return modes[method]
