"""Floors that no kernel gets under: for any kernel at all, and for one kernel with the best of all weights."""

from kernelgap.certificates.any_kernel import AnyKernelBound, any_kernel, any_kernel_by_numbers
from kernelgap.certificates.oracle import (
    FamilyRisks,
    OracleRisk,
    feature_risk,
    feature_risks,
    oracle_risk,
    oracle_risks,
)

__all__ = [
    "AnyKernelBound",
    "FamilyRisks",
    "OracleRisk",
    "any_kernel",
    "any_kernel_by_numbers",
    "feature_risk",
    "feature_risks",
    "oracle_risk",
    "oracle_risks",
]
