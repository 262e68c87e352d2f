"""The command that lists experiments, problems, networks and kernels."""

import inspect
import json
from collections.abc import Callable, Mapping

from kernelgap import console
from kernelgap.cli.answer import Json


def list_(as_json: Json = False) -> None:
    """List the experiments, problems, networks and kernels."""
    listing = catalogue()
    if as_json:
        console.answer(json.dumps(listing))
        return
    for kind, entries in listing.items():
        columns = list(entries[0])
        console.table(columns, [[e[c] for c in columns] for e in entries], title=kind, left=len(columns))
        console.answer("")
    console.answer(
        "Times are estimates for all cores of this machine when it is idle; they may be off by a factor of 2."
    )
    console.answer("Start with: kernelgap run fig2a")


def catalogue() -> dict[str, list[dict[str, str]]]:
    """Experiments with scales and estimated times, problems and kernels with arguments, networks with formulas."""
    from kernelgap import kernels, networks, problems
    from kernelgap.durations import format_estimate
    from kernelgap.images import experiment as images
    from kernelgap.machine import cores
    from kernelgap.paper import figures as experiments
    from kernelgap.paper.figures.experiment import seconds
    from kernelgap.paper.studies import STUDIES
    from kernelgap.registry import load_extensions

    load_extensions()
    return {
        "experiments": [
            {
                "name": e.name,
                "what": e.title,
                "source": e.source,
                "scales": ", ".join(f"{name} ({scale.expected_time})" for name, scale in e.scales.items()),
                "estimate": ", ".join(f"{scale}: {format_estimate(seconds(e, scale))}" for scale in e.scales),
            }
            for e in experiments.EXPERIMENTS.values()
        ]
        + [
            {
                "name": study.name,
                "what": study.title,
                "source": study.source,
                "scales": ", ".join(f"{name} ({scale.expected_time})" for name, scale in study.scales.items()),
                "estimate": ", ".join(
                    f"{name}: {format_estimate(scale.seconds / cores())}" for name, scale in study.scales.items()
                ),
            }
            for study in STUDIES.values()
        ]
        + [
            {
                "name": images.NAME,
                "what": images.TITLE,
                "source": "slides",
                "scales": ", ".join(
                    f"{name} ({scale.set}: {scale.expected_time})" for name, scale in images.SCALES.items()
                ),
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
    """Each member with its arguments and the first line of its docstring."""
    return [
        {
            "name": f"{name}({', '.join(inspect.signature(make).parameters)})",
            "what": (inspect.getdoc(make) or "").partition("\n")[0],
        }
        for name, make in family.items()
    ]
