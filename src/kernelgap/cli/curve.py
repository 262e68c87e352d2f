"""The command that predicts the learning curve of a kernel."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelgap import console
from kernelgap.cli import completion
from kernelgap.cli.answer import Json
from kernelgap.cli.show import curve as show
from kernelgap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from kernelgap.curves import Calibration, Curve
    from kernelgap.problems import Problem

POINTS_A_DECADE = 20
MOST_CHECKED = 10_000  # samples of a fit
CHECK_SEEDS = range(5)
LEAST_OF_POOL = 10  # where a curve on a pool begins


def curve(
    kernel: Annotated[
        str,
        typer.Argument(metavar="KERNEL", help="A kernel: see 'kernelgap list'.", autocompletion=completion.kernels),
    ],
    problem: Annotated[
        str | None,
        typer.Option(help="A problem: sec8, slides, 'hard(d=20, k=3, alpha=0.3)'.", autocompletion=completion.problems),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="FILE", help="In place of a problem: a table, as of 'kernelgap audit'.")
    ] = None,
    target: Annotated[list[str] | None, typer.Option(metavar="COL", help="The column of the table to predict.")] = None,
    task: Annotated[str | None, typer.Option(help="Of the table: regression or classification.")] = None,
    images: Annotated[Path | None, typer.Option(metavar="PATH", help="In place of a problem: a set of images.")] = None,
    rows: Annotated[int, typer.Option(help="Use a sample of so many rows or images at most.")] = 3000,
    n: Annotated[
        str | None,
        typer.Option("--n", help="Samples: 500, or 500,1000, or a range [default: 100..1e8, or up to all rows]."),
    ] = None,
    ridge: Annotated[str, typer.Option(help="A ridge on the scale of K, or 'best', the best one at each n.")] = "best",
    noise: Annotated[float | None, typer.Option(help="Label noise, its standard deviation [default: none].")] = None,
    risk: Annotated[
        float | None, typer.Option(help="How many samples for this risk? [default: a tenth of the threshold]")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A finished figure: its network's point, and its risk.")
    ] = None,
    check: Annotated[str | None, typer.Option(help="Fit with so many samples too, and compare: 500,1000.")] = None,
    seed: Annotated[int, typer.Option(help="Of the rows that are drawn from a table or from images.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the chart here: .html, .svg, .png or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Predict the risk of a kernel at any number of samples: nothing is trained.

    On a problem from the spectrum of the kernel, on a table or images from the Gram matrix of their rows.
    """
    chosen: float | str = ridge if ridge == "best" else _number("--ridge", ridge)
    given = [name for name, value in (("--problem", problem), ("--table", table), ("--images", images)) if value]
    if len(given) != 1:
        raise InputError(f"Give one of --problem, --table and --images, not {' and '.join(given) or 'none'}.")
    if problem is None:
        unused = {"--noise": noise, "--run": run} | ({} if table else {"--target": target, "--task": task})
        _refuse(unused, given[0])
        pool = _pool(table, target or (), task, images, rows, seed)
        _on_pool(*pool, kernel, n, chosen, risk, check, seed, out, as_json)
        return
    _refuse({"--target": target, "--task": task}, "--problem")
    _on_problem(problem, kernel, n or "100..1e8", chosen, noise, risk, run, check, out, as_json)


def _on_problem(
    name: str,
    kernel: str,
    n: str,
    ridge: float | str,
    noise: float | None,
    risk: float | None,
    run: Path | None,
    check: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    from kernelgap import curves, problems, reports

    asked = problems.get(name)
    network = None if run is None else _network_of(run, asked)
    goal = risk if risk is not None else network[1] if network else asked.threshold / 10
    predicted = curves.predict(asked, kernel, _samples(n), ridge, noise=noise)
    need = curves.need(asked, kernel, goal, ridge=ridge, noise=noise)
    if check is not None:
        predicted = predicted.with_calibration(_calibrate(asked, kernel, check, predicted, noise))
    drawn = None if out is None else reports.save_chart(reports.curve_chart(predicted, need, network), out)
    if as_json:
        _as_json(show.curve_record(predicted, need, network, drawn))
        return
    show.show_curve(predicted, need, network)
    _say_drawn(drawn)


def _on_pool(
    X: "np.ndarray",
    Y: "np.ndarray",
    source: str,
    kernel: str,
    n: str | None,
    ridge: float | str,
    goal: float | None,
    check: str | None,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    from kernelgap import curves, reports

    samples = _samples(n or f"{min(LEAST_OF_POOL, len(X) - 1)}..{len(X)}")
    sizes = None if check is None else _samples(check)
    with console.progress(f"{kernel} on {len(X):,} rows") as on_progress:
        on_progress(0.0, "Gram matrix and its eigenvectors")
        predicted = curves.predict_on_pool(X, Y, kernel, samples, ridge, seed=seed, check=sizes)
    need = None if goal is None else curves.need_on_pool(predicted, goal)
    drawn = None if out is None else reports.save_chart(reports.pool_chart(predicted, source, need), out)
    if as_json:
        _as_json(show.pool_record(predicted, source, need, drawn))
        return
    show.show_pool(predicted, source, need)
    _say_drawn(drawn)


def _pool(
    table: str | None, target: "Sequence[str]", task: str | None, images: Path | None, rows: int, seed: int
) -> "tuple[np.ndarray, np.ndarray, str]":
    """The rows of a table, or images, and what they are called."""
    if rows < 1:
        raise InputError(f"--rows takes a number from 1 up, not {rows}.")
    if images is not None:
        from kernelgap.images.pool import pool_of_images

        return *pool_of_images(images, rows=rows, seed=seed), str(images)
    from kernelgap.audit.pool import pool_of_table
    from kernelgap.audit.tables.notices import brief

    assert table is not None
    X, Y, notices = pool_of_table(table, target, rows=rows, seed=seed, task=task)
    for sentence in brief(notices):
        console.message(sentence)
    return X, Y, table


def _refuse(options: "Mapping[str, object]", beside: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} says nothing beside {beside}: leave it away.")


def _as_json(record: "Mapping[str, object]") -> None:
    console.answer(json.dumps(record, allow_nan=False))


def _say_drawn(drawn: Path | None) -> None:
    if drawn is not None:
        console.message(f"The chart is in {drawn}.")


def _calibrate(problem: "Problem", kernel: str, check: str, curve: "Curve", noise: float | None) -> "Calibration":
    """Fits at these numbers of samples with the ridges that the curve has there."""
    from kernelgap import curves

    sizes = [int(n) for n in _samples(check)]
    if max(sizes) > MOST_CHECKED:
        raise InputError(f"--check fits with up to {MOST_CHECKED:,} samples, not {max(sizes):,}.")
    with console.progress(f"fits of {curve.kernel}") as on_progress:
        return curves.calibrate(
            problem, kernel, sizes, curve.asked_ridge, seeds=CHECK_SEEDS, noise=noise, on_progress=on_progress
        )


def _network_of(folder: Path, problem: "Problem") -> tuple[str, float, int]:
    """Method, mean risk over seeds and samples of a figure's best network."""
    from kernelgap.runs import read_run

    gap = getattr(read_run(folder), "gap", None)
    if gap is None:
        raise InputError(f"'{folder}' states no kernel gap: --run takes a finished figure whose network beat the line.")
    return str(gap["method"]), float(gap["error"]), int(gap["samples"])


def _samples(text: str) -> "Sequence[float]":
    """500, or 500,1000, or 100..1e8 with twenty a decade."""
    if ".." in text:
        low, _, high = text.partition("..")
        first, last = _number("--n", low), _number("--n", high)
        if not 1 <= first < last:
            raise InputError(f"--n takes a range from at least 1 up, such as 100..1e8, not '{text[:50]}'.")
        count = max(2, math.ceil(POINTS_A_DECADE * math.log10(last / first)) + 1)
        return [first * (last / first) ** (i / (count - 1)) for i in range(count)]
    return [_number("--n", part) for part in text.split(",")]


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name} takes a number, not '{text[:50]}'.")
    return number
