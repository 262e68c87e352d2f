"""scikit-learn's bundled sets by name: ``sklearn:diabetes``."""

from sklearn import datasets

from kernelgap.audit.tables.reading.raw import Raw
from kernelgap.audit.tables.reading.sampling import Reservoir
from kernelgap.audit.tables.table import Task
from kernelgap.errors import InputError, unknown

BUNDLED: dict[str, Task] = {
    "breast_cancer": "classification",
    "diabetes": "regression",
    "digits": "classification",
    "iris": "classification",
    "wine": "classification",
}
PREFIX = "sklearn:"
TARGET = "target"


def is_bundled(name: str) -> bool:
    """Whether this names a bundled set; ``sklearn:`` may be left away where there is no such file."""
    return name.startswith(PREFIX) or name in BUNDLED


def load_bundled(name: str, reservoir: Reservoir) -> Raw:
    """Its columns with the target last; classes by their names."""
    short = name.removeprefix(PREFIX)
    if hasattr(datasets, f"fetch_{short}"):
        raise InputError(f"'{short}' is not bundled with scikit-learn but downloaded: save it as a file first.")
    if short not in BUNDLED:
        raise unknown("bundled set", short, BUNDLED)
    bunch = getattr(datasets, f"load_{short}")(as_frame=True)
    frame = bunch.data.copy()
    target = bunch.target
    frame[TARGET] = target if BUNDLED[short] == "regression" else [str(bunch.target_names[i]) for i in target]
    reservoir.add(frame.set_axis(range(frame.shape[1]), axis=1))
    return Raw(reservoir.sample(), list(frame.columns), targets=(TARGET,), task=BUNDLED[short])
