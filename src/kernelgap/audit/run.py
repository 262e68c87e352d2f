"""Run an audit: read the table, plan, let the contenders compete, and answer."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import pandas as pd

from kernelgap import console
from kernelgap.atomic_file import atomically
from kernelgap.audit.chunks import AuditChunk, work
from kernelgap.audit.contenders.own import named_contenders
from kernelgap.audit.contenders.registry import FAMILIES, FIRST, SMALL, frozen_kernels, on_curves
from kernelgap.audit.dataset import LABELS, PreparedTable, TableOptions, prepare_table, write_arrays
from kernelgap.audit.deadline import deadline_workers, run_here
from kernelgap.audit.kind import KIND
from kernelgap.audit.models import FILE as MODEL
from kernelgap.audit.plan import AuditPlan, estimate, make_plan
from kernelgap.audit.reading import conclude_audit, read_audit
from kernelgap.audit.refitting import SHORT, refitting
from kernelgap.audit.resources import affordable_workers, measured_slowdown, seconds_of
from kernelgap.audit.result import Audit
from kernelgap.audit.stages import Stages, choose, ranked_networks
from kernelgap.audit.statistics.metrics import metric_name
from kernelgap.audit.store import AuditStore
from kernelgap.errors import InputError
from kernelgap.machine import available_memory, check_workers
from kernelgap.registry import load_extensions
from kernelgap.runs import RunProgress, run_chunks
from kernelgap.runs.environment import environment
from kernelgap.runs.runner import Interrupted
from kernelgap.runs.workers.local import LocalWorkers

ENDING = 0.08  # of the budget, for the answer and its page, more on a busy machine ...
LEAST_ENDING, MOST_ENDING = 3.0, 20.0  # ... within bounds, in seconds
MOST_OF_BUDGET = 0.35  # ... and no more than that
REFITTING = 0.1  # of the budget, for the model to learn from all rows
MOMENT = 1.0  # seconds that refitting has in any case
HANGING = 0.5  # of the budget, after which the contenders that come first have no second seed
SURELY = 300.0  # seconds that they have for the first one, where a machine is busy
LARGEST = 0.75  # of the remaining time, for the largest samples; then ...
FROZEN_KERNELS = 0.5  # ... for the best network's own kernels
JUDGING = 0.8  # of a stage's time, the rest being for fitting
LATEST = 0.8  # of all the remaining time, when judging is broken off
MOST_SEEDS = 100

OnProgress = Callable[[float, str], None]


def run_audit(
    source: str | Path | pd.DataFrame,
    target: str | Sequence[str] = (),
    out: str | Path | None = None,
    *,
    budget: str | float = "5m",
    workers: int | None = None,
    seed: int = 0,
    seeds: int | None = None,
    contenders: Sequence[Any] = (),
    metric: str | Callable[..., float] | None = None,
    on_progress: OnProgress | None = None,
    began: float | None = None,
    **options: Unpack[TableOptions],
) -> Audit:
    """Run an audit without writing its page; see ``kernelgap.audit`` for the parameters.

    ``budget`` bounds the time of this call, from the time ``began`` on the clock ``time.monotonic`` where it is given.
    At its end workers are killed, and the answer comes from what is finished: a linear model, a kernel and a small
    network come first, in this process, so that there is an answer. Finished work is stored in ``out`` (default
    ``runs/audit-NAME``), and the same call goes on from there with the plan of the first call.
    """
    began = time.monotonic() if began is None else began
    load_extensions()  # contenders of one's own
    allowed = seconds_of(budget)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number that is not negative, not {seed!r}.")
    if seeds is not None and (isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS):
        raise InputError(f"seeds is a whole number from 1 to {MOST_SEEDS}, not {seeds!r}.")
    check_workers(workers, "An audit")
    asked: dict[str, Any] = dict.fromkeys(TableOptions.__annotations__) | options
    for name in ("leave_out", "keep"):
        asked[name] = [asked[name]] if isinstance(asked[name], str) else list(asked[name] or ())
    with console.progress("audit") as show:
        on_progress = on_progress or show
        on_progress(0.0, "reading the table")
        prepared = prepare_table(source, target, seed=seed, **asked)
        folder = Path(out) if out is not None else Path("runs") / f"audit-{_name(source)}"
        count, slowdown = workers or affordable_workers(), measured_slowdown()
        ending = min(MOST_OF_BUDGET * allowed, max(LEAST_ENDING * slowdown, min(MOST_ENDING, ENDING * allowed)))
        end = began + allowed - ending
        with AuditStore.open(folder) as store:
            asked_of_plan: Any = {"budget": allowed, "workers": count, "slowdown": slowdown, "seeds": seeds}
            chosen = {
                "own": named_contenders(contenders, prepared.table.task),
                "metric": metric_name(metric, prepared.table.task),
            }
            plan = _stored_plan(store, prepared, chosen, seed=seed, **asked_of_plan)
            try:
                with deadline_workers(count, work) as pool:
                    told = {**asked, "seeds": seeds}
                    competition = _Competition(store, prepared, plan, pool, end, allowed, told, on_progress)
                    competition.run()
                    on_progress(1.0, "answering")
                    store.keep_environment(environment())
                    conclusion = conclude_audit(store)
                    store.conclude(conclusion)
                    competition.refit(read_audit(folder))
            except KeyboardInterrupt:  # within a stage or between two
                planned = set(store.about().get("chunks", ()))
                raise Interrupted(len(store.finished() & planned), len(planned)) from None
            store.conclude(conclusion)  # refitting has changed nothing of it
            _write_model(read_audit(folder), store)
    return read_audit(folder)


def _stored_plan(
    store: AuditStore, prepared: PreparedTable, chosen: dict[str, Any], *, seed: int, seeds: int | None, **allowed: Any
) -> AuditPlan:
    """The plan of this folder, made at the first call; the dataset and the test targets are stored with it."""
    dataset = prepared.dataset
    stored = store.description()
    if stored.get("dataset") == dataset.digest and "plan" in stored:
        plan = AuditPlan(**stored["plan"])
        if seeds not in (None, plan.seeds):
            raise InputError(f"'{store.folder}' has a plan of {plan.seeds} seeds: choose another --out for {seeds}.")
        if chosen != {"own": plan.own, "metric": plan.metric}:
            raise InputError(
                f"'{store.folder}' has other contenders of your own, or another metric: choose another --out."
            )
    else:
        sizes = {"inputs": dataset.X.shape[1], "outputs": dataset.Y.shape[1], "memory": available_memory()}
        plan = make_plan(len(dataset.X), **sizes, **allowed, seeds=seeds).model_copy(update=chosen)
    scale = f"{prepared.table.source}, {', '.join(prepared.table.targets)}"
    asked = {"experiment": "audit", "scale": scale, "seed": seed}
    store.describe(KIND.describe({**asked, "dataset": dataset.digest, "plan": plan.model_dump(mode="json")}))
    dataset.save(store.folder)
    write_arrays(store.folder / LABELS, {"Y": prepared.Y_test})
    return plan


@dataclass
class _Competition:
    """Stage by stage, each until its time is over; unfinished work is left out of the answer."""

    store: AuditStore
    prepared: PreparedTable
    plan: AuditPlan
    pool: LocalWorkers
    last: float
    budget: float
    asked: dict[str, Any]
    on_progress: OnProgress
    planned: list[AuditChunk] = field(default_factory=list)
    done: float = 0.0

    @property
    def end(self) -> float:
        return self.last - REFITTING * self.budget

    @cached_property
    def stages(self) -> Stages:
        return Stages(self.store.folder, self.prepared.dataset, self.plan)

    @cached_property
    def cost(self) -> float:
        return estimate(self.plan, self.prepared.dataset.X.shape[1], self.prepared.dataset.Y.shape[1])

    def run(self) -> None:
        *smaller, largest = self.plan.sizes
        self._first()
        names = (*FAMILIES, *self.plan.own)
        self._stage(names, largest, LARGEST, f"{len(names)} contenders with {largest:,} samples")
        ranked = ranked_networks(choose(self.store.judgements()), largest)
        if not ranked:
            return
        self._stage(frozen_kernels(ranked[0]), largest, FROZEN_KERNELS, f"what {ranked[0]} owes to its features")
        for samples in reversed(smaller):
            self._stage((*on_curves(ranked), *self.plan.own), samples, 1.0, f"learning curves: {samples:,} samples")

    def refit(self, audit: Audit) -> None:
        """Let the model that is kept learn from all rows, if there is time."""
        now = time.monotonic()
        chunk = refitting(audit, self.store, self.prepared.dataset, max(MOMENT, self.last - now))
        if chunk is None:
            return
        self.on_progress(1.0, f"{chunk.contender} learns from {chunk.samples:,} rows")
        if chunk.cost < SHORT or chunk.contender == SMALL:  # no worker is needed
            run_here([chunk], self.store, work, max(self.last, now + MOMENT))
        else:
            run_chunks([chunk], self.store, pool=self.pool, until=self.last, forget_failures=False)

    def _first(self) -> None:
        """A linear model, a kernel and a small network on few samples, in this process: the least of all answers.

        With the first seed they are finished whatever the budget is, as reading a table may have taken all of it.
        """
        self.on_progress(0.0, "a linear model, a kernel and a small network")
        now = time.monotonic()
        self.store.forget_failures()
        self._note()
        judgings = self.stages.judgings(FIRST, self.plan.first_samples)
        self._first_seeds([chunk for chunk in judgings if chunk.seed == 0], now + SURELY)
        if time.monotonic() < now + HANGING * self.budget:
            self._first_seeds(judgings, now + HANGING * self.budget)

    def _first_seeds(self, judgings: list[AuditChunk], until: float) -> None:
        seeds, samples = {chunk.seed for chunk in judgings}, self.plan.first_samples
        run_here(judgings, self.store, work, until)
        judged = {key: judgement for key, judgement in self.store.judgements().items() if key.seed in seeds}
        run_here(self.stages.fittings(FIRST, samples, choose(judged)), self.store, work, until)

    def _stage(self, names: tuple[str, ...], samples: int, share: float, title: str) -> None:
        """Judge, choose, and fit what was chosen.

        When a stage's time is over no more judging starts, but chunks under way may end, as long as enough is left.
        What was judged is fitted in any case: that is short work, without which the judging was for nothing.
        """
        now = time.monotonic()
        left = self.end - now
        judgings = self.stages.judgings(names, samples)
        self._run(judgings, now + share * JUDGING * left, now + LATEST * left, f"{title}, judging")
        fittings = self.stages.fittings(names, samples, choose(self.store.judgements()))
        self._run(fittings, self.end, self.end, f"{title}, fitting")

    def _run(self, chunks: list[AuditChunk], last_start: float, until: float, title: str) -> None:
        self.planned += chunks
        self._note()
        cost = sum(chunk.cost for chunk in chunks)

        def on_progress(p: RunProgress) -> None:
            share = min(1.0, (self.done + p.share * cost) / self.cost)
            self.on_progress(share, f"{title}, {10 * (10 * p.chunks_done // max(1, p.chunks))}% done")

        limits: dict[str, Any] = {"last_start": last_start, "until": until, "forget_failures": False}
        run_chunks(chunks, self.store, pool=self.pool, on_progress=on_progress, **limits)
        self.done += cost

    def _note(self) -> None:
        """Store the chunks planned so far, and the notices about the table, for ``status`` and the page."""
        self.store.note(
            {
                "chunks": [chunk.id for chunk in self.planned],
                "cells": {chunk.id: chunk.label for chunk in self.planned},
                "table": asdict(self.prepared.table),
                "notices": [asdict(notice) for notice in (*self.prepared.notices, *self.plan.notices())],
                "budget": self.budget,
                "asked": self.asked,
            }
        )


def _write_model(audit: Audit, store: AuditStore) -> None:
    """Write the winner's model to its file; without one, remove that of an earlier winner."""
    path, stored = audit.folder / MODEL, None
    if audit.winner is not None and audit.winner_setting is not None:
        stored = store.stored_model(audit.winner, audit.winner_samples, audit.winner_setting)
    if stored is None:
        with suppress(FileNotFoundError):
            path.unlink()
        return
    with atomically(path) as partial:
        partial.write_bytes(stored[1])


def _name(source: str | Path | pd.DataFrame) -> str:
    """A folder's name for a source."""
    return "table" if isinstance(source, pd.DataFrame) else Path(str(source).replace(":", "-")).stem
