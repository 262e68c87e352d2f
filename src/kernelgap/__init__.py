"""kernelgap: when does a neural network beat every kernel method, by how much, and can it be proved?"""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap import (
        certificates,
        curves,
        estimators,
        images,
        kernels,
        models,
        networks,
        paper,
        play,
        problems,
        regression,
        reports,
        runs,
        training,
    )
    from kernelgap.audit import AuditPackage
    from kernelgap.audit.comparing import compare
    from kernelgap.errors import InputError
    from kernelgap.estimators import (
        AdaptiveKernelClassifier,
        AdaptiveKernelRegressor,
        KernelClassifier,
        KernelRegressor,
        NetworkClassifier,
        ResNetRegressor,
        ThreeLayerRegressor,
        TwoLayerRegressor,
        load,
    )
    from kernelgap.reports import AuditDisplay, CurveDisplay, FigureDisplay, SpectrumDisplay
    from kernelgap.runs import run

    audit: AuditPackage
    __version__: str

__all__ = [
    "AdaptiveKernelClassifier",
    "AdaptiveKernelRegressor",
    "AuditDisplay",
    "CurveDisplay",
    "FigureDisplay",
    "InputError",
    "KernelClassifier",
    "KernelRegressor",
    "NetworkClassifier",
    "ResNetRegressor",
    "SpectrumDisplay",
    "ThreeLayerRegressor",
    "TwoLayerRegressor",
    "audit",
    "certificates",
    "compare",
    "curves",
    "estimators",
    "images",
    "kernels",
    "load",
    "models",
    "networks",
    "paper",
    "play",
    "problems",
    "regression",
    "reports",
    "run",
    "runs",
    "training",
]

# Where each public name lives; None for a folder. Imported on first use: a command without JAX does not wait for it.
_HOME: dict[str, str | None] = {
    **dict.fromkeys(__all__),
    **dict.fromkeys([name for name in __all__ if name.endswith(("Classifier", "Regressor"))], "estimators"),
    **dict.fromkeys([name for name in __all__ if name.endswith("Display")], "reports"),
    "compare": "audit.comparing",
    "load": "estimators",
    "InputError": "errors",
    "run": "runs",
}

_find = lazily(__name__, _HOME)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("kernelgap")
    return _find(name)


def __dir__() -> list[str]:
    return __all__
