"""What there is, by name."""

import inspect

from kernelgap import experiments, networks, problems


def catalogue() -> dict[str, list[dict[str, str]]]:
    """Experiments with their scales, problems with their arguments, networks with their formulas."""
    return {
        "experiments": [
            {
                "name": e.name,
                "what": e.title,
                "source": e.source,
                "scales": ", ".join(f"{name} ({scale.effort})" for name, scale in e.scales.items()),
            }
            for e in experiments.EXPERIMENTS.values()
        ],
        "problems": [
            {
                "name": f"{name}({', '.join(inspect.signature(make).parameters)})",
                "what": (inspect.getdoc(make) or "").partition("\n")[0],
            }
            for name, make in problems.PROBLEMS.items()
        ],
        "networks": [{"name": n.name, "what": n.formula} for n in networks.NETWORKS.values()],
    }
