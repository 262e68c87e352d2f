"""A trial: a frozen, validated description of one training. Its hash is its identity."""

import hashlib
import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from kernelgap import networks, problems
from kernelgap.errors import validated
from kernelgap.training import Schedule, get_model


class Trial(BaseModel):
    """One network, trained once. ``problem`` is the text that ``problems.get`` takes, every argument spelled out."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    problem: str
    network: str
    mode: str
    width: Annotated[int, Field(ge=1)]
    samples: Annotated[int, Field(ge=1)]
    rate: Annotated[float, Field(gt=0)]
    decay: Annotated[float, Field(ge=0)]
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    schedule: Schedule = Schedule()
    validation_samples: Annotated[int, Field(ge=2)] = 1000
    test_samples: Annotated[int, Field(ge=2)] = 5000
    precision: Literal["float32"] = "float32"

    @field_validator("problem")
    @classmethod
    def _canonical(cls, text: str) -> str:
        """The same problem always in the same words, so that it has the same identity."""
        return problems.get(text).spec

    @model_validator(mode="after")
    def _possible(self) -> "Trial":
        get_model(networks.get(self.network), self.mode)
        self.schedule.check_samples(self.samples)
        return self

    @property
    def method(self) -> str:
        """As the paper writes it: 3resnet(all)."""
        return f"{self.network}({'NTK' if self.mode == 'ntk' else self.mode})"

    @property
    def id(self) -> str:
        return digest(self.model_dump(mode="json"))

    @property
    def chunk_description(self) -> dict[str, object]:
        """What trials that are trained together have in common: all but rate and decay."""
        return self.model_dump(mode="json", exclude={"rate", "decay"})


def make_trial(**description: object) -> Trial:
    """A trial, or one sentence about the first thing that is wrong with its description."""
    return validated(Trial, description)


def digest(description: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the description's canonical JSON."""
    text = json.dumps(description, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
