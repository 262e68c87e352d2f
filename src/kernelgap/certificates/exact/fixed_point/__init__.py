"""Networks in fixed-point numbers, whose risk over every point of a cube is one exact fraction."""

from kernelgap.certificates.exact.fixed_point.network import FixedPointNetwork, round_networks
from kernelgap.certificates.exact.fixed_point.risk import fixed_point_risk
from kernelgap.certificates.exact.fixed_point.target import ParityTarget, Signal, target_of

__all__ = ["FixedPointNetwork", "ParityTarget", "Signal", "fixed_point_risk", "round_networks", "target_of"]
