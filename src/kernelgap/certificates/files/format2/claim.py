"""What a certificate of format 2 states."""

from typing import Annotated, Literal

from pydantic import Field, computed_field

from kernelgap.certificates.exact.every_point import ExactRisk
from kernelgap.certificates.files import limits
from kernelgap.certificates.files.claim import Count, Seed, Strict, Text, Training, as_json
from kernelgap.certificates.files.limits import MOST_SAMPLES, MOST_TEXT, MOST_WIDTH, bounded_problem
from kernelgap.certificates.gap import AT_BEST, kernel_gap, round_down

NARROW = 1e-3  # half the width of a network's risk, of the threshold that it is compared with: a tenth of a per cent
NotNegative = Annotated[float, Field(ge=0)]


class NetworkClaim2(Strict):
    """Which network the weights belong to, and between which numbers its risk over every point of the cube lies."""

    name: Text
    mode: Literal["all", "hidden"] | None  # which layers were trained; not checked
    width: Annotated[int, Field(ge=1, le=MOST_WIDTH)]
    scale: float
    low: NotNegative
    high: NotNegative
    points: Annotated[int, Field(ge=1)]
    training: Training  # how it was trained; not checked

    @property
    def method(self) -> str:
        """As the paper writes it: 3resnet(all)."""
        return self.name if self.mode is None else f"{self.name}({self.mode})"


class ScalarBound(Strict):
    """The bound for any scalar kernel fixed beforehand, on average over the family: exact, as a fraction."""

    family_size: Annotated[int, Field(ge=1)]
    mean_risk: Annotated[str, Field(max_length=MOST_TEXT, pattern=r"^[0-9]+(/[0-9]+)?$")]
    samples_for_same_risk: Count


class BoundClaim2(ScalarBound):
    """The same, and what any matrix-valued kernel needs."""

    matrix_valued_samples_for_same_risk: Count


class FloorClaim2(Strict):
    """What one kernel cannot get under with these inputs, even with weights that know the target."""

    kernel: Text
    low: float
    high: float


class ClaimOfOne(Strict):
    """What the two formats about one network have in common."""

    format: Literal["kernelgap certificate"] = "kernelgap certificate"
    problem: Text
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    seed: Seed
    threshold: float
    floors: Annotated[tuple[FloorClaim2, ...], Field(max_length=limits.MOST_FLOORS)]
    versions: dict[Text, Text]


class Claim2(ClaimOfOne):
    """All that a certificate of format 2 states.

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

    version: Literal[2] = 2
    network: NetworkClaim2
    any_kernel: BoundClaim2

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
        return as_json(self.model_dump(mode="json", exclude={"sentence"}))


def narrow(risk: ExactRisk) -> bool:
    """Whether a risk is known well enough to be compared with the threshold."""
    return bool(risk.rounding <= NARROW * risk.threshold) and risk.risk < float("inf")
