"""Start a run by the name of what is to be run, or go on with one."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from kernelgap import console
from kernelgap.durations import format_estimate
from kernelgap.errors import InputError
from kernelgap.runs.environment import environment
from kernelgap.runs.kind import Kind, Plan, kind_for, kind_named
from kernelgap.runs.meter import RunProgress
from kernelgap.runs.result import Run
from kernelgap.runs.runner import run_chunks
from kernelgap.runs.store import ResultStore
from kernelgap.runs.work import Work


def run(
    name: Any,
    scale: str = "quick",
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    seed: int = 0,
    on_progress: Callable[[RunProgress], None] | None = None,
    page: bool = True,
    **options: Any,
) -> Run:
    """Run an experiment, or go on with it, and write its page.

    Parameters
    ----------
    name : str or Experiment
        An experiment (``kernelgap list`` shows them), "images", "claims", a YAML or TOML file, or an ``Experiment`` of
        yours (``kernelgap.paper.figures.Experiment``).
    scale : str
        "quick" takes minutes on 2 cores, "paper" is the paper's whole grid.
    out : path, optional
        The folder of the results, by default ``runs/NAME-SCALE``. Results are stored as they finish; the same call goes
        on after an interruption.
    workers : int, optional
        Worker processes; by default one a core.
    cluster : str, optional
        The address of a Dask scheduler, instead of local workers.
    seed : int
        Of data, weights and data order.
    on_progress : callable, optional
        Takes a ``RunProgress``; by default progress is shown on standard error.
    page : bool
        Whether to write the page, the pictures and the tables into the folder.
    **options
        What the experiment takes beyond that: "images" takes ``data``, the path of the images, and ``flips``, whether
        networks see them mirrored half of the time; "claims" takes ``claims``, the ids of those to measure.

    Returns
    -------
    Run
        ``table`` has a row a trial; a figure has ``gap``, the kernel gap of its best network; ``failures`` names the
        chunks that failed and are tried again by the next call; ``report()`` writes the page anew.

    Raises
    ------
    InputError
        If the name, scale or an option is unknown, if the folder holds another run, or if every chunk failed.
    """
    kind = kind_for(name) if isinstance(name, str) else kind_named("figure")
    plan = _plan(kind, name, scale, out, seed, options)
    with nullcontext() if on_progress is None else console.silence():
        _execute(kind, plan, workers, cluster, on_progress)
        finished = kind.read(plan.folder)
        if page:
            finished.report()
    return finished


def _execute(
    kind: Kind,
    plan: Plan,
    workers: int | None,
    cluster: str | None,
    on_progress: Callable[[RunProgress], None] | None,
) -> None:
    """Do and store the chunks that are not finished, and what is concluded from all."""
    with kind.store.open(plan.folder) as store:
        store.describe(kind.describe(plan.description))
        grows = None if plan.more is None else _Growing(plan, store)
        if grows is None:
            store.note(dict(plan.notes))
        finished = store.finished()
        left = [chunk for chunk in (*plan.chunks, *(grows() if grows else ())) if chunk.id not in finished]
        if plan.estimate and left and on_progress is None and cluster is None:
            estimate = format_estimate(plan.estimate(left, workers))
            console.message(f"{plan.title}: about {estimate} on this machine when it is idle.")
        if left:
            store.keep_environment(environment())
        with console.progress(plan.title) as show:
            watch = on_progress or (lambda progress: show(progress.share, str(progress)))
            failures = run_chunks(
                plan.chunks,
                store,
                work_function=kind.work,
                workers=workers,
                cluster=cluster,
                more=grows or tuple,
                on_progress=watch,
            )
            if failures and not store.finished() and not kind.failures_are_results:
                raise InputError(f"All {len(failures)} chunks failed; the first with: {failures[0].error}")
        if kind.conclude is not None and store.conclusion() is None:
            with console.progress(plan.title) as show:
                store.conclude(kind.conclude(store, show))


class _Growing:
    """What a plan names beyond its first chunks, noted in the folder for ``status``.

    A run that goes on names only what comes next, so what was noted before stays.
    """

    def __init__(self, plan: Plan, store: ResultStore) -> None:
        self.plan, self.store = plan, store
        self.noted = {chunk.id for chunk in plan.chunks} | set(store.about().get("chunks", ()))
        self._note()

    def __call__(self) -> Sequence[Work]:
        assert self.plan.more is not None
        chunks = self.plan.more(self.store)
        named = self.noted | {chunk.id for chunk in chunks}
        if named != self.noted:
            self.noted = named
            self._note()
        return chunks

    def _note(self) -> None:
        self.store.note({**self.plan.notes, "chunks": sorted(self.noted)})


def _plan(kind: Kind, name: Any, scale: str, out: str | Path | None, seed: int, options: dict[str, Any]) -> Plan:
    if kind.plan is None:
        raise InputError(f"'{name}' is started by its own command: kernelgap {kind.command}.")
    known = set(inspect.signature(kind.plan).parameters)
    for option in options:
        if option not in known:
            raise InputError(f"The experiment '{getattr(name, 'name', name)}' takes no {option}.")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(f"seed = {seed!r} is no whole number from 0 to 2^32 - 1.")
    return kind.plan(name, scale, seed, None if out is None else Path(out), **options)


def default_folder(name: str, scale: str, seed: int) -> Path:
    """runs/NAME-SCALE, with the seed where it is not 0."""
    return Path("runs") / (f"{name}-{scale}" + (f"-seed{seed}" if seed else ""))
