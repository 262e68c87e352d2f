"""Random starts: every entry of a layer is independent N(0, std^2)."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from kernelgap.errors import InputError

Layer = Literal["first", "second", "output", "gate", "statistics"]
UNTRAINED = ("gate", "statistics")  # in every mode


@runtime_checkable
class Initialisation(Protocol):
    """Says how large the entries of a layer (weights and biases alike) start."""

    def std(self, layer: Layer, width: int) -> float: ...


@dataclass(frozen=True)
class Experiment:
    """Section 8.1: every weight and bias is N(0, 1/m). (The mean of 1 printed there is a misprint.)"""

    def std(self, layer: Layer, width: int) -> float:
        return width**-0.5


# Table 1: sigma_w in [m^(-1/2+0.01), m^-0.01] and sigma_v in [polylog(m), m^(3/8-0.01)], as powers of m
SIGMA_W_POWERS = (-0.5 + 0.01, -0.01)
SIGMA_V_POWER = 3 / 8 - 0.01


@dataclass(frozen=True)
class Theory:
    """Section 6: W ~ N(0, sigma_w^2), V ~ N(0, sigma_v^2 / m), A ~ N(0, 1/m), biases like their layer.

    Table 1 allows sigma_w in [m^(-1/2+0.01), m^-0.01] and sigma_v in [polylog(m), m^(3/8-0.01)]; values outside
    are refused, with 1 in place of the unstated polylog(m). The defaults are the middles m^(-1/4) and m^(3/16) of
    these ranges on a log scale. What else Table 1 asks for depends on the problem: see ``theory.theorem1``.
    """

    sigma_w: float | None = None
    sigma_v: float | None = None

    def std(self, layer: Layer, width: int) -> float:
        sigma_w = width**-0.25 if self.sigma_w is None else self.sigma_w
        sigma_v = width ** (3 / 16) if self.sigma_v is None else self.sigma_v
        low, high = (width**power for power in SIGMA_W_POWERS)
        _check_range("sigma_w", sigma_w, low, high, width)
        _check_range("sigma_v", sigma_v, 1.0, width**SIGMA_V_POWER, width)
        second = sigma_v * width**-0.5
        return {"first": sigma_w, "output": width**-0.5}.get(layer, second)


def _check_range(name: str, value: float, low: float, high: float, width: int) -> None:
    if not low <= value <= high:
        raise InputError(f"Table 1 wants {name} in [{low:.4g}, {high:.4g}] at width {width}, not {value:.4g}.")
