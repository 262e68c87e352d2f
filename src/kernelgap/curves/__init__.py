"""Predicted learning curves of kernel methods: what a kernel will do with n samples, before anything is fitted."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.curves.calibration import Calibration, CheckedPoint
    from kernelgap.curves.curve import Curve, predict
    from kernelgap.curves.gaussian_data import EstimatedCurve, predict_from_covariance
    from kernelgap.curves.measured import MeasuredRisk, calibrate, measure
    from kernelgap.curves.needed_samples import Need, PoolNeed, need, need_on_pool
    from kernelgap.curves.pool import PoolCurve, predict_on_pool
    from kernelgap.curves.theory import Groups

# Where each name lives; imported when first used.
_NAMES = {
    "calibration": ("Calibration", "CheckedPoint"),
    "curve": ("Curve", "predict"),
    "gaussian_data": ("EstimatedCurve", "predict_from_covariance"),
    "measured": ("MeasuredRisk", "calibrate", "measure"),
    "needed_samples": ("Need", "PoolNeed", "need", "need_on_pool"),
    "pool": ("PoolCurve", "predict_on_pool"),
    "theory": ("Groups",),
}

__all__ = [
    "Calibration", "CheckedPoint", "Curve", "EstimatedCurve", "Groups", "MeasuredRisk", "Need", "PoolCurve", "PoolNeed",
    "calibrate", "measure", "need", "need_on_pool", "predict", "predict_from_covariance", "predict_on_pool",
]  # fmt: skip

__getattr__ = lazily(__name__, {name: home for home, names in _NAMES.items() for name in names})


def __dir__() -> list[str]:
    return __all__
