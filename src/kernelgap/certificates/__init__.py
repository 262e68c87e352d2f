"""Floors that no kernel gets under: for any kernel at all, and for one kernel with the best of all weights."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelgap.certificates.bound import AnyKernelBound, any_kernel, any_kernel_by_numbers
    from kernelgap.certificates.certificate import Claim, certify
    from kernelgap.certificates.every_point import ExactRisk, TrainedNetwork, exact_risk
    from kernelgap.certificates.gap import KernelGap, kernel_gap
    from kernelgap.certificates.oracle import (
        FamilyRisks,
        OracleRisk,
        feature_risk,
        feature_risks,
        oracle_risk,
        oracle_risks,
    )
    from kernelgap.certificates.retained import retention
    from kernelgap.certificates.theorems import theorem2, theorem3
    from kernelgap.certificates.verification import Check, Verdict, verify

# Where each name lives. Imported when first used: the bound for any kernel needs neither JAX nor flint.
_HOME = {
    "AnyKernelBound": "bound",
    "Check": "verification",
    "Verdict": "verification",
    "Claim": "certificate",
    "ExactRisk": "every_point",
    "FamilyRisks": "oracle",
    "KernelGap": "gap",
    "OracleRisk": "oracle",
    "TrainedNetwork": "every_point",
    "any_kernel": "bound",
    "any_kernel_by_numbers": "bound",
    "certify": "certificate",
    "exact_risk": "every_point",
    "feature_risk": "oracle",
    "feature_risks": "oracle",
    "kernel_gap": "gap",
    "oracle_risk": "oracle",
    "oracle_risks": "oracle",
    "retention": "retained",
    "theorem2": "theorems",
    "theorem3": "theorems",
    "verify": "verification",
}

__all__ = [
    "AnyKernelBound",
    "Check",
    "Claim",
    "ExactRisk",
    "FamilyRisks",
    "KernelGap",
    "OracleRisk",
    "TrainedNetwork",
    "Verdict",
    "any_kernel",
    "any_kernel_by_numbers",
    "certify",
    "exact_risk",
    "feature_risk",
    "feature_risks",
    "kernel_gap",
    "oracle_risk",
    "oracle_risks",
    "retention",
    "theorem2",
    "theorem3",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'kernelgap.certificates' has no attribute '{name}'")
    return getattr(import_module(f"kernelgap.certificates.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
