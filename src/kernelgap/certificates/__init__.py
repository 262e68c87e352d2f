"""Floors that no kernel gets under: for any scalar kernel fixed beforehand, and for one with the best weights."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

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
    from kernelgap.certificates.retraining import Retraining, retrain
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
    "Retraining": "retraining",
    "retention": "retained",
    "retrain": "retraining",
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
    "Retraining",
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
    "retrain",
    "theorem2",
    "theorem3",
    "verify",
]

__getattr__ = lazily(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
