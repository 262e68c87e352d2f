"""Floors that no kernel gets under: for any scalar kernel fixed beforehand, and for one with the best weights."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.certificates.exact.every_point import ExactRisk, TrainedNetwork, exact_risk
    from kernelgap.certificates.files.certificate import Claim, certify
    from kernelgap.certificates.files.retraining import Retraining, retrain
    from kernelgap.certificates.files.verification import Check, Verdict, verify
    from kernelgap.certificates.floors.bound import AnyKernelBound, any_kernel, any_kernel_by_numbers
    from kernelgap.certificates.floors.oracle import (
        FamilyRisks,
        OracleRisk,
        feature_risk,
        feature_risks,
        oracle_risk,
        oracle_risks,
    )
    from kernelgap.certificates.floors.retained import retention
    from kernelgap.certificates.floors.theorems import theorem2, theorem3
    from kernelgap.certificates.gap import KernelGap, kernel_gap

# Where each name lives. Imported when first used: the bound for any kernel needs neither JAX nor flint.
_HOME = {
    "AnyKernelBound": "floors.bound",
    "Check": "files.verification",
    "Verdict": "files.verification",
    "Claim": "files.certificate",
    "ExactRisk": "exact.every_point",
    "FamilyRisks": "floors.oracle",
    "KernelGap": "gap",
    "OracleRisk": "floors.oracle",
    "TrainedNetwork": "exact.every_point",
    "any_kernel": "floors.bound",
    "any_kernel_by_numbers": "floors.bound",
    "certify": "files.certificate",
    "exact_risk": "exact.every_point",
    "feature_risk": "floors.oracle",
    "feature_risks": "floors.oracle",
    "kernel_gap": "gap",
    "oracle_risk": "floors.oracle",
    "oracle_risks": "floors.oracle",
    "Retraining": "files.retraining",
    "retention": "floors.retained",
    "retrain": "files.retraining",
    "theorem2": "floors.theorems",
    "theorem3": "floors.theorems",
    "verify": "files.verification",
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
