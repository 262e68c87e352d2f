"""What a shell offers after the Tab key, beside the names of commands and options. Imports come late."""

from collections.abc import Iterable


def experiments(incomplete: str) -> list[str]:
    """Experiments, and what else ``kernelgap run`` takes by name."""
    from kernelgap.images.experiment import NAME
    from kernelgap.paper.figures import EXPERIMENTS

    return _near([*EXPERIMENTS, NAME], incomplete)


def claims(incomplete: str) -> list[str]:
    """The ids of claims."""
    from kernelgap.paper.claims.registry import claims as all_claims

    return _near(all_claims(), incomplete)


def kernels(incomplete: str) -> list[str]:
    """Kernels by name."""
    from kernelgap.kernels import KERNELS

    return _near(KERNELS, incomplete)


def problems(incomplete: str) -> list[str]:
    """Problems by name."""
    from kernelgap.problems import PROBLEMS

    return _near(PROBLEMS, incomplete)


def _near(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
