"""What a certificate states: the fields of ``claim.json``, format 3 (docs/certificate-format.md)."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, computed_field

from kernelgap.certificates.confidence import starts_for
from kernelgap.certificates.files import limits
from kernelgap.certificates.files.limits import MOST_SAMPLES, MOST_TEXT, MOST_WIDTH
from kernelgap.certificates.gap import AT_BEST, round_down
from kernelgap.display import Card, Displayed

VERSION = 3
SCHEMA = Path(__file__).with_name("claim.schema.json")
MOST_NETWORKS = 1000
MOST_FRACTION = 400  # characters
MOST_NUMBER = 10**18


class Strict(BaseModel):
    """Nothing is converted, nothing is ignored, nothing is infinite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


def _in_lowest_terms(text: str) -> str:
    value = Fraction(text)
    if text != str(value):
        raise ValueError("a fraction is written in lowest terms")
    if abs(value) > MOST_NUMBER:
        raise ValueError("it is larger than any number of a certificate")
    return text


Text = Annotated[str, Field(max_length=MOST_TEXT, pattern=r"^[ -~]*$")]  # nothing that a terminal would obey
Plain = bool | int | float | Text | None
Training = dict[Text, Plain | list[Plain] | dict[Text, Plain]]
FractionText = Annotated[
    str,
    Field(max_length=MOST_FRACTION, pattern=r"^-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?$"),
    AfterValidator(_in_lowest_terms),
]
Count = Annotated[int, Field(ge=0, le=MOST_NUMBER)]
Seed = Annotated[int, Field(ge=0, lt=limits.MOST_SEED)]
Bits = Annotated[int, Field(ge=0, le=53)]


class SignalClaim(Strict):
    """A sign times a parity of some coordinates."""

    sign: Literal[-1, 1]
    set: Annotated[tuple[Annotated[int, Field(ge=0, lt=64)], ...], Field(max_length=64)]


class TargetClaim(Strict):
    """The target itself: H_j = beta base_j + alpha composite_j on signs."""

    d: Annotated[int, Field(ge=1)]
    d1: Annotated[int, Field(ge=1)]
    outputs: Annotated[int, Field(ge=1)]
    squared_scale: FractionText
    background: Literal["uniform", "zero"] | None
    alpha: FractionText
    beta: FractionText
    base: Annotated[tuple[SignalClaim | None, ...], Field(max_length=64)]
    composite: Annotated[tuple[SignalClaim | None, ...], Field(max_length=64)]


class BitsClaim(Strict):
    """The units of the weights: 2^-W of W and b1, 2^-A of A, C and D, 2^-V of V, 2^-out of the outputs."""

    W: Bits
    A: Bits
    V: Bits
    out: Bits


class NetworkClaim(Strict):
    """What all networks of the certificate have in common."""

    name: Text
    mode: Literal["all", "hidden"] | None  # which layers were trained; not checked
    width: Annotated[int, Field(ge=1, le=MOST_WIDTH)]
    bits: BitsClaim
    training: Training  # how they were trained; not checked

    @property
    def method(self) -> str:
        """As the paper writes it: 3resnet(all)."""
        return self.name if self.mode is None else f"{self.name}({self.mode})"


class StartClaim(Strict):
    """One network: the seed that drew its inputs, the seed of its start, and its exact risk."""

    seed: Seed
    start: Seed
    risk: FractionText


class MeanClaim(Strict):
    """The mean of the risks, and an upper confidence limit of the mean over all starts."""

    risk: FractionText
    confidence: FractionText
    loss_bound: FractionText
    upper: FractionText


class KindClaim(Strict):
    """The bound for one kind of kernel fixed beforehand."""

    functions: Count
    mean_risk: FractionText
    samples_for_mean: Count
    samples_for_upper: Count


class BoundClaim(Strict):
    """The bounds for any scalar and any matrix-valued kernel fixed beforehand, on average over the family."""

    family_size: Annotated[int, Field(ge=1, le=MOST_NUMBER)]
    scalar: KindClaim
    matrix: KindClaim


class FloorClaim(Strict):
    """What one kernel cannot get under with the inputs of one network, even with weights that know the target."""

    kernel: Text
    inputs: Count
    low: float
    high: float


class CertifiedClaim(Displayed, Strict):
    """All that a certificate states.

    Attributes
    ----------
    format, version
        What the file is, and the version of its format.
    problem, target
        The problem in its canonical words, as ``problems.get`` takes it, and its target in plain numbers.
    samples
        The number of training inputs of each network.
    threshold
        The risk of knowing F alone.
    network, networks
        What the networks have in common, and the seeds and the exact risk of each.
    mean
        The mean of the risks, with an upper confidence limit.
    any_kernel
        The bounds for any kernel fixed beforehand.
    floors
        For each kernel of the certificate, the interval that contains its floor on the inputs of one network.
    versions
        The versions of Python and of the packages that made it; not checked.
    """

    format: Literal["kernelgap certificate"] = "kernelgap certificate"
    version: Literal[3] = 3
    problem: Text
    target: TargetClaim
    samples: Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
    threshold: FractionText
    network: NetworkClaim
    networks: Annotated[tuple[StartClaim, ...], Field(min_length=1, max_length=MOST_NETWORKS)]
    mean: MeanClaim
    any_kernel: BoundClaim
    floors: Annotated[tuple[FloorClaim, ...], Field(max_length=limits.MOST_FLOORS)]
    versions: dict[Text, Text]

    def _card(self) -> Card:
        facts = {"mean risk": float(Fraction(self.mean.risk)), "samples": self.samples, "networks": len(self.networks)}
        facts |= {"threshold": float(Fraction(self.threshold)), "kernels with a floor": len(self.floors)}
        return Card("certificate", self.problem, facts, self.sentence)

    @property
    def risks(self) -> list[Fraction]:
        """The exact risk of each network."""
        return [Fraction(each.risk) for each in self.networks]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sentence(self) -> str:
        """The same in words. It is not in the file: whoever reads the numbers makes it of them."""
        parts = [self._reached, self._limit]
        if self.floors:
            best = min(self.floors, key=lambda floor: floor.low)
            inputs = "" if len(self.networks) == 1 else " on the inputs of one of them"
            parts.append(
                f"Of the kernels in this file the best ({best.kernel}), {AT_BEST} {round_down(best.low)}{inputs}."
            )
        return " ".join(parts)

    @property
    def _reached(self) -> str:
        risks, mean = self.risks, Fraction(self.mean.risk)
        starts = "with one start"
        if len(risks) > 1:
            starts = f"on average over {len(risks)} starts ({_short(min(risks))} to {_short(max(risks))})"
        text = f"{self.network.method} reached {_short(mean)} {starts}, each with {self.samples:,} samples"
        scalar, matrix = self.any_kernel.scalar.samples_for_mean, self.any_kernel.matrix.samples_for_mean
        if scalar <= self.samples:
            allowed = f"allows that with {scalar:,}"
            return f"{text}: no gap follows, since the bound for any scalar kernel fixed beforehand {allowed}."
        return (
            f"{text}; any scalar kernel fixed beforehand needs at least {scalar:,} on average over which coordinates "
            f"matter: a gap of {_times(scalar, self.samples)} (a matrix-valued kernel: {matrix:,})."
        )

    @property
    def _limit(self) -> str:
        """What the confidence limit supports."""
        upper, confidence = Fraction(self.mean.upper), Fraction(self.mean.confidence)
        n, scalar = len(self.networks), self.any_kernel.scalar
        text = f"With confidence {100 * float(confidence):.6g}% the mean over all starts is at most {_short_up(upper)}"
        if scalar.samples_for_upper > self.samples:
            return (
                f"{text}, for which any scalar kernel needs {scalar.samples_for_upper:,}: a gap of at least "
                f"{_times(scalar.samples_for_upper, self.samples)} (a matrix-valued kernel: "
                f"{self.any_kernel.matrix.samples_for_upper:,})."
            )
        starts = "one start is" if n == 1 else f"{n} starts are"
        text += f", for which no gap follows: {starts} too few"
        level, bound = Fraction(scalar.mean_risk), Fraction(self.mean.loss_bound)
        needed = starts_for(max(self.risks), level, bound, confidence)
        if needed is None:
            return f"{text}."
        return f"{text}. {needed:,} would do, if each had {'this risk' if n == 1 else 'the greatest risk seen'}."

    def as_json(self) -> bytes:
        """The one way in which a certificate writes it."""
        return as_json(self.model_dump(mode="json", exclude={"sentence"}))


Claim = CertifiedClaim  # its earlier name


def as_json(fields: object) -> bytes:
    """ASCII JSON as certificates write it."""
    return (json.dumps(fields, indent=1, sort_keys=True) + "\n").encode()


def schema_text() -> str:
    """The JSON schema of ``claim.json``, as ``SCHEMA`` holds it."""
    schema = CertifiedClaim.model_json_schema(mode="validation")
    schema["required"] = sorted(CertifiedClaim.model_fields)  # format and version too, whatever Python's defaults are
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"


def _short(value: Fraction) -> str:
    return f"{float(value):.2g}"


def _short_up(value: Fraction) -> str:
    """Three digits, rounded up."""
    shown = f"{float(value):.3g}"
    return shown if Fraction(shown) >= value else f"{float(value) * (1 + 5e-3):.3g}"


def _times(needed: int, samples: int) -> str:
    ratio = needed / samples
    return f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.3g} times"
