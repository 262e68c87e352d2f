"""What there is, by name."""

import inspect
from collections.abc import Callable, Mapping

from kernelgap import kernels, networks, problems
from kernelgap.durations import format_estimate
from kernelgap.images import experiment as images
from kernelgap.paper import figures as experiments
from kernelgap.paper.figures.experiment import seconds
from kernelgap.registry import load_extensions


def catalogue() -> dict[str, list[dict[str, str]]]:
    """Experiments with scales and estimated times, problems and kernels with arguments, networks with formulas."""
    load_extensions()
    return {
        "experiments": [
            {
                "name": e.name,
                "what": e.title,
                "source": e.source,
                "scales": ", ".join(f"{name} ({scale.effort})" for name, scale in e.scales.items()),
                "estimate": ", ".join(f"{scale}: {format_estimate(seconds(e, scale))}" for scale in e.scales),
            }
            for e in experiments.EXPERIMENTS.values()
        ]
        + [
            {
                "name": images.NAME,
                "what": images.TITLE,
                "source": "slides",
                "scales": ", ".join(f"{name} ({scale.set}: {scale.effort})" for name, scale in images.SCALES.items()),
                "estimate": ", ".join(f"{name}: {format_estimate(images.estimated(name))}" for name in images.SCALES),
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
