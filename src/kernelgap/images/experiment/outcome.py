"""What came of a trial on images."""

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Int
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from kernelgap.errors import InputError


@dataclass(frozen=True)
class ImageOutcome:
    """``right`` of ``tested`` test images got their class. ``setting`` is what was chosen, ``curves`` what was measured
    on the way, ``status`` "done" or "diverged".
    """

    seconds: float
    right: int
    tested: int
    status: str = "done"
    setting: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, predicted: Int[np.ndarray, " n"], labels: Int[np.ndarray, " n"], **more: Any) -> "ImageOutcome":
        """``seconds`` are those of earlier processes, if any."""
        return cls(more.pop("seconds", 0.0), int(np.sum(predicted == labels)), len(labels), **more)

    def as_json(self) -> str:
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "ImageOutcome":
        """Refused if it cannot be an outcome."""
        found = _STORED.validate_json(text)
        _SETTING.validate_python(found.setting)
        if not 0 <= found.right <= found.tested or not found.tested:
            raise InputError(f"{found.right} of {found.tested} images cannot be right.")
        if found.status not in ("done", "diverged") or not 0 <= found.seconds < math.inf:
            raise InputError(f"It cannot have ended as '{found.status}' after {found.seconds} s.")
        return found


class _Setting(TypedDict, total=False):
    """What is counted; the rest is words."""

    steps: int
    weights: int
    features: int
    ridge: float


_STORED = TypeAdapter(ImageOutcome)
_SETTING = TypeAdapter(_Setting)
