"""Ask of a table whether a network is worth it: read, plan, let everybody compete, and answer."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from kernelgap import console
from kernelgap.atomic_file import atomically
from kernelgap.audit.budget import seconds_of
from kernelgap.audit.cell import Cell, work
from kernelgap.audit.choosing import choose, ranked_networks
from kernelgap.audit.contenders.registry import FAMILIES, FIRST, SMALL, on_curves, twins
from kernelgap.audit.dataset import LABELS, write_arrays
from kernelgap.audit.hurried import hurried_workers, run_here
from kernelgap.audit.models import FILE as MODEL
from kernelgap.audit.pace import affordable_workers, measured_pace
from kernelgap.audit.plan import Plan, estimate, make_plan
from kernelgap.audit.prepare import PreparedTable, prepare_table
from kernelgap.audit.reading import conclude_audit, read_audit
from kernelgap.audit.refitting import SHORT, refitting
from kernelgap.audit.result import Audit
from kernelgap.audit.stages import Stages
from kernelgap.audit.store import AuditStore
from kernelgap.errors import InputError
from kernelgap.machine import available_memory
from kernelgap.registry import load_extensions
from kernelgap.runs import Progress, run_chunks
from kernelgap.runs.environment import code_digest, environment
from kernelgap.runs.runner import Interrupted
from kernelgap.runs.workers.local import LocalWorkers

ENDING = 0.08  # of the budget, for the answer and its page, more on a busy machine ...
LEAST_ENDING, MOST_ENDING = 3.0, 20.0  # ... within bounds, in seconds
MOST_OF_BUDGET = 0.35  # ... and no more than that
REFITTING = 0.1  # of the budget, for the model to learn from all rows
MOMENT = 1.0  # seconds, which there are for that in any case
HANGING = 0.5  # of the budget, after which those who come first are given up
LARGEST, TWINS = 0.75, 0.5  # of the time that is left, for the largest samples; then for the best network's own kernels
JUDGING = 0.8  # of a stage's time, the rest being for fitting
LATEST = 0.8  # of all the time that is left, when judging is broken off

CODE = ("networks", "training", "kernels", "regression", "audit/tables", "audit/contenders")  # its numbers depend on it

Tell = Callable[[float, str], None]


def run_audit(
    source: str | Path | pd.DataFrame,
    target: str | Sequence[str] = (),
    out: str | Path | None = None,
    *,
    task: str | None = None,
    leave_out: Sequence[str] = (),
    keep: Sequence[str] = (),
    budget: str | float = "5m",
    rows: int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    workers: int | None = None,
    seed: int = 0,
    on_progress: Tell | None = None,
    began: float | None = None,
) -> Audit:
    """Audit a table: a file, one of scikit-learn's bundled sets by name, or a data frame.

    ``budget`` bounds the time of this call, from the time ``began`` on the clock ``time.monotonic`` where it is given.
    At its end workers are killed, whatever they do, and what is finished is judged: a linear model, a kernel and a
    small network come first, in this process, so that there is an answer. What is finished is kept in ``out`` (default
    ``runs/audit-NAME``), and the same call goes on from there. How much is tried was planned for the first call's
    budget.
    """
    began = time.monotonic() if began is None else began
    load_extensions()  # contenders of one's own
    allowed = seconds_of(budget)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number that is not negative, not {seed!r}.")
    if workers is not None and workers < 1:
        raise InputError(f"An audit needs at least 1 worker, not {workers}.")
    leave_out, keep = ([names] if isinstance(names, str) else list(names) for names in (leave_out, keep))
    with console.progress("audit") as show:
        tell = on_progress or show
        tell(0.0, "reading the table")
        prepared = prepare_table(
            source,
            target,
            task=task,
            leave_out=leave_out,
            keep=keep,
            rows=rows,
            delimiter=delimiter,
            header=header,
            seed=seed,
        )
        asked = {
            "leave_out": leave_out,
            "keep": keep,
            "task": task,
            "rows": rows,
            "delimiter": delimiter,
            "header": header,
        }
        folder = Path(out) if out is not None else Path("runs") / f"audit-{_name(source)}"
        count, pace = workers or affordable_workers(), measured_pace()
        ending = min(MOST_OF_BUDGET * allowed, max(LEAST_ENDING * pace, min(MOST_ENDING, ENDING * allowed)))
        end = began + allowed - ending
        with AuditStore.open(folder) as store:
            plan = _settle(store, prepared, budget=allowed, workers=count, pace=pace, seed=seed)
            try:
                with hurried_workers(count, work) as pool:
                    contest = _Contest(
                        store, prepared, plan, pool=pool, end=end, budget=allowed, asked=asked, tell=tell
                    )
                    contest.through()
                    tell(1.0, "answering")
                    store.keep_environment(environment())
                    conclusion = conclude_audit(store)
                    store.conclude(conclusion)
                    contest.refit(read_audit(folder))
            except KeyboardInterrupt:  # within a stage or between two
                planned = set(store.about().get("chunks", ()))
                raise Interrupted(len(store.finished() & planned), len(planned)) from None
            store.conclude(conclusion)  # refitting has changed nothing of it
            _keep_model(read_audit(folder), store)
    return read_audit(folder)


def _settle(store: AuditStore, prepared: PreparedTable, *, budget: float, workers: int, pace: float, seed: int) -> Plan:
    """The plan of this folder, made at the first call; the dataset and the test targets beside it."""
    dataset = prepared.dataset
    held = store.description()
    if held.get("dataset") == dataset.digest and "plan" in held:
        plan = Plan(**held["plan"])
    else:
        sizes = {"inputs": dataset.X.shape[1], "outputs": dataset.Y.shape[1]}
        memory = available_memory()
        plan = make_plan(len(dataset.X), **sizes, budget=budget, workers=workers, memory=memory, pace=pace)
    store.describe(
        {
            "kind": "audit",
            "experiment": "audit",
            "scale": f"{prepared.table.source}, {', '.join(prepared.table.targets)}",
            "seed": seed,
            "dataset": dataset.digest,
            "plan": plan.model_dump(mode="json"),
            "kernelgap version": version("kernelgap"),
            "code": code_digest(CODE),
        }
    )
    dataset.save(store.folder)
    write_arrays(store.folder / LABELS, {"Y": prepared.Y_test})
    return plan


class _Contest:
    """Stage by stage, each until its time is over; what is not finished then is left out of the answer."""

    def __init__(
        self,
        store: AuditStore,
        prepared: PreparedTable,
        plan: Plan,
        *,
        pool: LocalWorkers,
        end: float,
        budget: float,
        asked: dict[str, Any],
        tell: Tell,
    ) -> None:
        self.store, self.prepared, self.plan = store, prepared, plan
        self.pool, self.budget, self.asked, self.tell = pool, budget, asked, tell
        self.last, self.end = end, end - REFITTING * budget
        self.stages = Stages(store.folder, prepared.dataset, plan)
        self.planned: list[Cell] = []
        self.done = 0.0
        self.cost = estimate(plan, prepared.dataset.X.shape[1], prepared.dataset.Y.shape[1])

    def through(self) -> None:
        *smaller, largest = self.plan.sizes
        self._first()
        self._stage(tuple(FAMILIES), largest, LARGEST, f"{len(FAMILIES)} contenders with {largest:,} samples")
        ranked = ranked_networks(choose(self.store.judgements()), largest)
        if not ranked:
            return
        self._stage(twins(ranked[0]), largest, TWINS, f"what {ranked[0]} owes to its features")
        for samples in reversed(smaller):
            self._stage(on_curves(ranked), samples, 1.0, f"learning curves: {samples:,} samples")

    def refit(self, audit: Audit) -> None:
        """Let the model that is kept learn from all rows, if there is time."""
        now = time.monotonic()
        cell = refitting(audit, self.store, self.prepared.dataset, max(MOMENT, self.last - now))
        if cell is None:
            return
        self.tell(1.0, f"{cell.contender} learns from {cell.samples:,} rows")
        if cell.cost < SHORT or cell.contender == SMALL:  # no worker need be there
            run_here([cell], self.store, work, max(self.last, now + MOMENT))
        else:
            run_chunks([cell], self.store, pool=self.pool, until=self.last, forget_failures=False)

    def _first(self) -> None:
        """A linear model, a kernel and a small network on few samples, here: whatever happens later, there is these."""
        self.tell(0.0, "a linear model, a kernel and a small network")
        until = time.monotonic() + HANGING * self.budget
        self.store.forget_failures()
        self._note()
        run_here(self.stages.judgings(FIRST, self.plan.first), self.store, work, until)
        fittings = self.stages.fittings(FIRST, self.plan.first, choose(self.store.judgements()))
        run_here(fittings, self.store, work, until)

    def _stage(self, names: tuple[str, ...], samples: int, share: float, words: str) -> None:
        """Judge, choose, and fit what was chosen.

        When a stage's time is over nothing more is judged, but what is under way may end, as long as enough is left.
        What was judged is fitted in any case: that is short work, without which the judging was for nothing.
        """
        now = time.monotonic()
        left = self.end - now
        judgings = self.stages.judgings(names, samples)
        self._run(judgings, now + share * JUDGING * left, now + LATEST * left, f"{words}, judging")
        fittings = self.stages.fittings(names, samples, choose(self.store.judgements()))
        self._run(fittings, self.end, self.end, f"{words}, fitting")

    def _run(self, cells: list[Cell], last_start: float, until: float, words: str) -> None:
        self.planned += cells
        self._note()
        cost = sum(cell.cost for cell in cells)

        def heard(p: Progress) -> None:
            share = min(1.0, (self.done + p.share * cost) / self.cost)
            self.tell(share, f"{words}, {10 * (10 * p.chunks_done // max(1, p.chunks))}% done")

        run_chunks(
            cells,
            self.store,
            pool=self.pool,
            last_start=last_start,
            until=until,
            forget_failures=False,
            on_progress=heard,
        )
        self.done += cost

    def _note(self) -> None:
        """For whoever looks: what was planned so far, and what was said of the table."""
        notices = (*self.prepared.notices, *self.plan.notices())
        self.store.note(
            {
                "chunks": [cell.id for cell in self.planned],
                "cells": {cell.id: cell.label for cell in self.planned},
                "table": asdict(self.prepared.table),
                "notices": [notice.as_dict() for notice in notices],
                "budget": self.budget,
                "asked": self.asked,
            }
        )


def _keep_model(audit: Audit, store: AuditStore) -> None:
    """The winner's model in its file; none of an earlier winner."""
    path = audit.folder / MODEL
    kept = None
    if audit.winner is not None and audit.winner_setting is not None:
        kept = store.kept(audit.winner, audit.answer.comparison.samples, audit.winner_setting)
    if kept is None:
        with suppress(FileNotFoundError):
            path.unlink()
        return
    with atomically(path) as partial:
        partial.write_bytes(kept[1])


def _name(source: str | Path | pd.DataFrame) -> str:
    """A folder's name for a source."""
    return "table" if isinstance(source, pd.DataFrame) else Path(str(source).replace(":", "-")).stem
