"""What there is, by name."""

import inspect
from collections.abc import Callable, Mapping

from kernelgap import experiments, kernels, networks, problems
from kernelgap.experiments import images
from kernelgap.experiments.estimate import seconds, words


def catalogue() -> dict[str, list[dict[str, str]]]:
    """Experiments with scales and estimated times, problems and kernels with arguments, networks with formulas."""
    return {
        "experiments": [
            {
                "name": e.name,
                "what": e.title,
                "source": e.source,
                "scales": ", ".join(f"{name} ({scale.effort})" for name, scale in e.scales.items()),
                "estimate": ", ".join(f"{scale}: {words(seconds(e, scale))}" for scale in e.scales),
            }
            for e in experiments.EXPERIMENTS.values()
        ]
        + [
            {
                "name": images.NAME,
                "what": images.TITLE,
                "source": "slides",
                "scales": ", ".join(f"{name} ({scale.set}: {scale.effort})" for name, scale in images.SCALES.items()),
                "estimate": ", ".join(f"{scale}: {words(images.estimated(scale))}" for scale in images.SCALES),
            }
        ],
        "problems": _callables(problems.PROBLEMS),
        "networks": [
            {"name": n.name, "what": n.formula} for n in {**networks.NETWORKS, **networks.SIZED_NETWORKS}.values()
        ],
        "kernels": _callables(kernels.KERNELS),
    }


def _callables(family: Mapping[str, Callable[..., object]]) -> list[dict[str, str]]:
    """Each member with its arguments and the first line of what it says of itself."""
    return [
        {
            "name": f"{name}({', '.join(inspect.signature(make).parameters)})",
            "what": (inspect.getdoc(make) or "").partition("\n")[0],
        }
        for name, make in family.items()
    ]
