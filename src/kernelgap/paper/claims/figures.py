"""The figures as claims: a part of an experiment, searched and judged in this process, and a point for each method.

At scale full the parts are those of the experiment's scale "paper", and a kept reference of that scale is taken instead
of them where there is one.
"""

import dataclasses
import math
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from kernelgap import problems
from kernelgap.paper import figures as experiments
from kernelgap.paper.claims.claim import Numbers
from kernelgap.paper.figures import Built, Experiment, Grid, KernelLines, RidgePaths, Scale, Search, summarise
from kernelgap.paper.figures.picks import judged_trials
from kernelgap.paper.figures.reference import Reference, folder_of, read_reference
from kernelgap.paper.figures.searches import FIRST_SEED, width_searches, with_stage
from kernelgap.runs import TrialStore, plan_chunks, run_chunk
from kernelgap.runs.trials.trial import LINEAR_MODES
from kernelgap.training.search import Space

Part = Grid | Search | RidgePaths | KernelLines | Built
SEEDS = 5  # that are judged; a search has others
FRESH = 2000  # added to seeds: what is searched at scale quick was placed by hand after smaller ones had been seen
PAPER = "paper"  # the scale of an experiment that scale full of a claim is
EPOCHS = 800  # of the source
ERRORS = ("median", "mean", "least", "greatest", "validation_error")
COLUMNS = ("method", "learner", "width", "beta", *ERRORS, "seeds", "rate", "decay", "edges")


def parts_of(name: str, scale: str, quick: Sequence[Part]) -> Sequence[Part]:
    """What is run of an experiment at a scale of the claims."""
    return quick if scale == "quick" else experiments.get(name).scales[PAPER].grids


def fit(name: str, parts: Sequence[Part], scale: str, seed: int) -> pd.DataFrame:
    """The finished trials of these parts of an experiment, over ``SEEDS`` seeds; ``stage`` tells those of searches.

    The schedule is that of the experiment: at scale full as at its scale "paper".
    """
    experiment = experiments.get(name)
    part = Scale(tuple(parts), seeds=SEEDS, schedule=experiment.scales[_scale(scale)].schedule)
    chosen: Experiment = dataclasses.replace(experiment, scales={"part": part})
    searches = width_searches(chosen, part, seed)
    with tempfile.TemporaryDirectory() as folder, TrialStore.open(folder) as store:
        known, finished = plan_chunks(chosen.trials("part", seed)), set[str]()
        while True:
            errors = store.validation_errors()
            left = [c for c in (*known, *(c for s in searches for c in s.next(errors))) if c.id not in finished]
            if not left:
                break
            for chunk in left:
                store.save(chunk, run_chunk(chunk))
                finished.add(chunk.id)
        return with_stage(store.table(), seed + FIRST_SEED)


def points(name: str, quick: Sequence[Part], scale: str, seed: int) -> Numbers:
    """A point for each method and width or beta: the median over seeds, and the range, beside the threshold.

    Judged are seeds from ``FRESH`` on; at scale full those of the kept reference, where there is one.
    """
    parts = parts_of(name, scale, quick)
    about = {
        "name": name,
        "scale": scale,
        "threshold": float(problems.get(experiments.get(name).problem).threshold),
        "epochs": experiments.get(name).scales[_scale(scale)].schedule.epochs,
        "searched": searched(parts),
        "bounded": any(bounded(part) for part in parts),
    }
    reference = kept_reference(name) if scale == "full" else None
    if reference is not None:
        made = made_by(reference)
        rows = [point.model_dump(include=set(COLUMNS)) for point in reference.points]
        return {**about, "kept": made, "seeds": reference.seeds, "search_seeds": reference.search_seeds, "rows": rows}
    table = fit(name, parts, scale, FRESH + seed)
    summary = summarise(table)
    searching = table[table.stage == "search"]
    return {
        **about,
        "kept": None,
        "seeds": _seeds(judged_trials(table)),
        "search_seeds": _seeds(searching),
        "rows": plain_rows(summary.reindex(columns=list(COLUMNS))),
    }


def kept_reference(name: str, scale: str = PAPER) -> Reference | None:
    """The reference of an experiment at a scale, if there is one of this experiment."""
    folder = folder_of(name, scale)
    if not folder.is_dir():
        return None
    reference, experiment = read_reference(folder), experiments.get(name)
    same = (reference.problem, reference.samples) == (experiment.problem, experiment.samples)
    return reference if same else None


def made_by(reference: Reference) -> str:
    return f"kept results of kernelgap {reference.version}, {reference.date}"


def searched(parts: Sequence[Part]) -> list[str]:
    """What is searched for each network that is trained, in words."""
    said = []
    for part in parts:
        if isinstance(part, Search):
            (least_rate, least_decay), (most_rate, most_decay) = part.search.least, part.search.most
            how = f"a search within rates {least_rate:g} to {most_rate:g} and decays {least_decay:g} to {most_decay:g}"
            also = f" (and {_listed(part.also)} with what was found)" if part.also else ""
            said.append(f"{method_of(part)} at m = {_listed(part.widths)}{also} by {how}")
        elif isinstance(part, Grid):
            how = f"rates {_listed(part.rates)} and decays {_listed(part.decays)}"
            said.append(f"{method_of(part)} at m = {_listed(part.widths)} with {how}")
    return said


def bounded(part: Part) -> bool:
    """Whether a network's rates and decays are a grid, or a search within closer bounds than it has by itself."""
    if isinstance(part, Search):
        wide = Space(rates=part.search.rates, decays=part.search.decays)
        return (part.search.least, part.search.most) != (wide.least, wide.most)
    return isinstance(part, Grid)


def lacking(numbers: Numbers) -> list[str]:
    """What the search of the experiment at the paper's scale covers, and the one that was made does not, in words.

    That search covers the source's: widths, rates and decays of any size, epochs.
    """
    rows = numbers["rows"]
    missing = []
    for part in experiments.get(numbers["name"]).scales[PAPER].grids:
        if isinstance(part, Built | KernelLines) or (isinstance(part, Search) and part.mode in LINEAR_MODES):
            continue  # of kernel methods the exact solutions count
        method = method_of(part)
        run = {row["width"] for row in rows if row["method"] == method}
        widths = [width for width in part.widths if width not in run]
        if widths:
            missing.append(f"{method} at m = {_listed(widths)}")
        betas = sorted(set(part.betas) - {row["beta"] for row in rows if row["method"] == method})
        if betas:
            missing.append(f"{method} at beta = {_listed(betas)}")
    if numbers["bounded"]:
        missing.append("rates and decays without bounds")
    if numbers["epochs"] < EPOCHS:
        missing.append(f"{EPOCHS} epochs")
    if len(numbers["seeds"]) < SEEDS:
        missing.append(f"{SEEDS} seeds")
    return list(dict.fromkeys(missing))


def at_edges(rows: Iterable[Numbers]) -> list[str]:
    """The points whose best setting is at an edge of what was tried."""
    return [f"{named(row)} ({row['edges']} tried)" for row in rows if row["edges"]]


def how(numbers: Numbers) -> str:
    """How the points were chosen and what was searched, in words."""
    source = f"{numbers['kept']}, scale paper" if numbers["kept"] else f"scale {numbers['scale']}"
    seeds = f"Seeds {_span(numbers['seeds'])}"
    others = f" on seeds {_span(numbers['search_seeds'])}" if numbers["search_seeds"] else ""
    tried = "; ".join(numbers["searched"])
    return f"{seeds}, settings chosen{others} by mean validation error ({source}), {numbers['epochs']} epochs: {tried}."


def method_of(part: Grid | Search | RidgePaths) -> str:
    """What the points of a part are called."""
    if isinstance(part, RidgePaths) or part.mode not in LINEAR_MODES:
        return f"{part.network}({LINEAR_MODES.get(part.mode, part.mode)})"
    return f"{part.network}({LINEAR_MODES[part.mode]}, SGD)"


def plain_rows(table: pd.DataFrame) -> list[Numbers]:
    """A table's rows as JSON can hold them: None for what is missing or infinite."""
    return [{str(k): _plain(v) for k, v in row.items()} for row in table.to_dict("records")]


def with_infinite(rows: Iterable[Numbers]) -> list[Numbers]:
    """Rows as they are judged: an error of None is that of seeds that diverged."""
    return [{**row, **{key: math.inf for key in ERRORS if row[key] is None}} for row in rows]


def finite(rows: Iterable[Numbers]) -> list[Numbers]:
    """Rows that can be drawn: without those of which a seed diverged."""
    return [row for row in rows if None not in (row["median"], row["least"], row["greatest"])]


def best(rows: Sequence[Numbers], **wanted: Any) -> Numbers:
    """The row with the least mean validation error among those that have these values."""
    these = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return min(these, key=lambda row: row["validation_error"])


def spread(row: Numbers) -> str:
    """A point in words: 0.012 (0.006 to 0.098)."""
    return f"{row['median']:.3g} ({row['least']:.3g} to {row['greatest']:.3g})"


def named(row: Numbers) -> str:
    """A point with its method and place in words."""
    places = {"m": row["width"], "beta": row.get("beta")}
    where = [f"{name} = {value:g}" for name, value in places.items() if value is not None]
    return f"{row['method']} {spread(row)}" + (f" at {', '.join(where)}" if where else "")


def _scale(scale: str) -> str:
    """The scale of an experiment for one of the claims."""
    return {"quick": "quick", "full": PAPER}[scale]


def _seeds(table: pd.DataFrame) -> list[int]:
    return sorted(int(seed) for seed in table.seed.unique())


def _span(seeds: Sequence[int]) -> str:
    return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _plain(value: Any) -> Any:
    return None if pd.isna(value) or (isinstance(value, float) and math.isinf(value)) else value
