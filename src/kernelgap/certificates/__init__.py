"""Floors that no kernel gets under, any fixed beforehand or one with the best weights; and one for noisy gradients."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.certificates.exact.every_point import ExactRisk, TrainedNetwork, exact_risk
    from kernelgap.certificates.files.certificate import certify
    from kernelgap.certificates.files.checks import Check, Verification
    from kernelgap.certificates.files.claim import CertifiedClaim
    from kernelgap.certificates.files.retraining import Retraining, retrain
    from kernelgap.certificates.files.verification import verify
    from kernelgap.certificates.floors.bound import AnyKernelBound, any_kernel, any_kernel_by_numbers
    from kernelgap.certificates.floors.gradient import AnyGradientBound, any_gradient
    from kernelgap.certificates.floors.lean import lean_text
    from kernelgap.certificates.floors.null_runs import NullRuns, null_runs
    from kernelgap.certificates.floors.oracle import (
        FamilyRisks,
        OracleRisk,
        feature_risk,
        feature_risks,
        oracle_risk,
        oracle_risks,
    )
    from kernelgap.certificates.floors.theorems import Retention, retention, theorem2, theorem3
    from kernelgap.certificates.gap import KernelGap, kernel_gap

# Where each name lives. Imported when first used: the bound for any kernel needs neither JAX nor flint.
_NAMES = {
    "exact.every_point": ("ExactRisk", "TrainedNetwork", "exact_risk"),
    "files.certificate": ("certify",),
    "files.checks": ("Check", "Verdict", "Verification"),
    "files.claim": ("CertifiedClaim", "Claim"),
    "files.retraining": ("Retraining", "retrain"),
    "files.verification": ("verify",),
    "floors.bound": ("AnyKernelBound", "any_kernel", "any_kernel_by_numbers"),
    "floors.gradient": ("AnyGradientBound", "any_gradient"),
    "floors.lean": ("lean_text",),
    "floors.null_runs": ("NullRuns", "null_runs"),
    "floors.oracle": ("FamilyRisks", "OracleRisk", "feature_risk", "feature_risks", "oracle_risk", "oracle_risks"),
    "floors.theorems": ("Retention", "retention", "theorem2", "theorem3"),
    "gap": ("KernelGap", "kernel_gap"),
}

__all__ = ["AnyKernelBound", "CertifiedClaim", "Check", "ExactRisk", "FamilyRisks", "KernelGap", "OracleRisk"]
__all__ += ["Retention", "Retraining", "TrainedNetwork", "Verification", "any_kernel", "any_kernel_by_numbers"]
__all__ += ["AnyGradientBound", "NullRuns", "any_gradient", "certify", "exact_risk"]
__all__ += [
    "feature_risk",
    "feature_risks",
    "kernel_gap",
    "lean_text",
    "null_runs",
    "oracle_risk",
    "oracle_risks",
    "retention",
    "retrain",
]
__all__ += ["theorem2", "theorem3", "verify"]

__getattr__ = lazily(__name__, {name: home for home, names in _NAMES.items() for name in names})


def __dir__() -> list[str]:
    return __all__
