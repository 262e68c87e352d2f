"""What a certificate of format 1 states, and the same in the fields of format 2."""

from typing import Annotated, Literal

from pydantic import Field

from kernelgap.certificates.files import limits
from kernelgap.certificates.files.claim import MOST_NUMBER, Strict, Text, Training, as_json
from kernelgap.certificates.files.format2.claim import BoundClaim2, Claim2, ClaimOfOne, NetworkClaim2, ScalarBound
from kernelgap.certificates.files.limits import bounded_problem
from kernelgap.certificates.floors.bound import any_kernel
from kernelgap.certificates.gap import AT_BEST, round_down

Size = Annotated[float, Field(ge=0, le=MOST_NUMBER)]
LAYERS: dict[str, Literal["all", "hidden"]] = {"(all)": "all", "(hidden)": "hidden"}


class NetworkClaim1(Strict):
    """Which network the weights belong to, its risk, and how far rounding can have moved that."""

    name: Text
    method: Text
    scale: float
    risk: Size
    rounding: Size
    points: Annotated[int, Field(ge=1)]
    training: Training


class Claim1(ClaimOfOne):
    """All that a certificate of format 1 states, with a sentence that it makes of it. By any kernel it means any scalar
    one.
    """

    version: Literal[1] = 1
    network: NetworkClaim1
    any_kernel: ScalarBound
    sentence: Annotated[str, Field(max_length=2 * limits.MOST_TEXT + 300, pattern=r"^[ -~]*$")]

    def as_json(self) -> bytes:
        """The one way in which a certificate writes it."""
        return as_json(self.model_dump(mode="json"))

    @property
    def high(self) -> float:
        """The risk for which it states the samples that a kernel needs."""
        return self.network.risk + self.network.rounding

    def in_format2(self, width: int) -> Claim2:
        """The same statements; of matrix-valued kernels, about which format 1 says nothing, the true one."""
        network, bound = self.network, self.any_kernel
        mode = LAYERS.get(network.method.removeprefix(network.name))
        matrix = any_kernel(bounded_problem(self.problem), self.samples, kernel="matrix").samples_for(self.high)
        return Claim2(
            problem=self.problem,
            samples=self.samples,
            seed=self.seed,
            threshold=self.threshold,
            network=NetworkClaim2(
                name=network.name,
                mode=mode if network.method.startswith(network.name) else None,
                width=width,
                scale=network.scale,
                low=max(0.0, network.risk - network.rounding),
                high=self.high,
                points=network.points,
                training=network.training,
            ),
            any_kernel=BoundClaim2(**bound.model_dump(), matrix_valued_samples_for_same_risk=matrix),
            floors=self.floors,
            versions=self.versions,
        )

    @property
    def own_sentence(self) -> str:
        """The sentence that format 1 makes of these numbers."""
        needed, ratio = self.any_kernel.samples_for_same_risk, self.any_kernel.samples_for_same_risk / self.samples
        text = f"{self.network.method} reached {self.high:.2g} with {self.samples:,} samples"
        if ratio <= 1:
            text += f": no gap is proved, since the bound for any kernel allows that with {needed:,}"
        else:
            times = f"{ratio:,.0f} times" if ratio >= 100 else f"{ratio:.3g} times"
            text += f"; any kernel needs at least {needed:,} on average over which coordinates matter: a gap of {times}"
        if not self.floors:
            return f"{text}."
        best = min(self.floors, key=lambda floor: floor.low)
        return f"{text}; the best of the kernels here ({best.kernel}), {AT_BEST} {round_down(best.low)}."
