"""Predicted learning curves of kernel methods: what a kernel will do with n samples, before anything is fitted."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.curves.curve import Curve, predict
    from kernelgap.curves.measured import MeasuredRisk, measure
    from kernelgap.curves.needed_samples import Need, need
    from kernelgap.curves.theory import Groups

# Where each name lives; imported when first used.
_NAMES = {
    "curve": ("Curve", "predict"),
    "measured": ("MeasuredRisk", "measure"),
    "needed_samples": ("Need", "need"),
    "theory": ("Groups",),
}

__all__ = ["Curve", "Groups", "MeasuredRisk", "Need", "measure", "need", "predict"]

__getattr__ = lazily(__name__, {name: home for home, names in _NAMES.items() for name in names})


def __dir__() -> list[str]:
    return __all__
