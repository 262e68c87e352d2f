"""The experiments by name."""

from kernelgap.errors import InputError, unknown
from kernelgap.images.experiment import NAME as IMAGES
from kernelgap.paper.figures.experiment import Experiment
from kernelgap.paper.figures.fig2 import fig2a, fig2b
from kernelgap.paper.figures.fig3 import fig3a, fig3b
from kernelgap.paper.figures.fig4 import fig4a, fig4b
from kernelgap.paper.figures.file import is_file_name, read_experiment
from kernelgap.paper.figures.slides import slides_a, slides_b
from kernelgap.registry import Registry, load_extensions
from kernelgap.runs.kind import HOMES, STUDIES

FIGURES = (fig2a, fig2b, fig3a, fig3b, fig4a, fig4b, slides_a, slides_b)
EXPERIMENTS: Registry[Experiment] = Registry("experiment", {figure.name: figure for figure in FIGURES})


def register(experiment: Experiment) -> Experiment:
    """Add an experiment of one's own, under its name.

    Parameters
    ----------
    experiment
        The experiment; it works by name in ``kg.run``, on the command line and in worker processes.

    Raises
    ------
    InputError
        If the name is taken, or is that of a study or of a kind of run.
    """
    if experiment.name in HOMES:
        raise InputError(f"'{experiment.name}' is a kind of run: choose another name.")
    if experiment.name in STUDIES:
        raise InputError(f"There is an experiment '{experiment.name}' already: choose another name.")
    return EXPERIMENTS.register(experiment.name, experiment)


def get(name: str | Experiment) -> Experiment:
    """An experiment by name.

    Parameters
    ----------
    name
        A name or an alias such as "fig1", or a file that ends in .yaml, .yml or .toml. An experiment is given back.

    Raises
    ------
    InputError
        If there is no such experiment.
    """
    if isinstance(name, Experiment):
        return name
    if not isinstance(name, str):
        raise InputError(f"An experiment is a name, a file or an Experiment, not of the type {type(name).__name__}.")
    if is_file_name(name):
        return read_experiment(name)
    load_extensions()
    aliases = {alias: e for e in EXPERIMENTS.values() for alias in e.aliases}
    if name not in EXPERIMENTS and name not in aliases:
        raise unknown("experiment", name, [*EXPERIMENTS, *aliases, IMAGES, *STUDIES])
    return EXPERIMENTS[name] if name in EXPERIMENTS else aliases[name]
