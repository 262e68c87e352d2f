"""The command that predicts the learning curve of a kernel."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelgap import console
from kernelgap.cli.answer import Json
from kernelgap.cli.show import curve as show
from kernelgap.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelgap.curves import Curve, MeasuredRisk
    from kernelgap.problems import Problem

POINTS_A_DECADE = 20
MOST_CHECKED = 10_000  # samples of a fit
CHECK_SEEDS = range(5)


def curve(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL", help="A kernel: see 'kernelgap list'.")],
    problem: Annotated[str, typer.Option(help="A problem: sec8, slides, 'hard(d=20, k=3, alpha=0.3)'.")],
    n: Annotated[str, typer.Option("--n", help="Samples: 500, or 500,1000, or a range 100..1e8.")] = "100..1e8",
    ridge: Annotated[str, typer.Option(help="A ridge on the scale of K, or 'best', the best one at each n.")] = "best",
    noise: Annotated[float | None, typer.Option(help="Label noise, its standard deviation [default: none].")] = None,
    risk: Annotated[
        float | None, typer.Option(help="How many samples for this risk? [default: a tenth of the threshold]")
    ] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A finished figure: its network's point, and its risk.")
    ] = None,
    check: Annotated[str | None, typer.Option(help="Fit with so many samples too, and compare: 500,1000.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the chart here: .html, .svg, .png or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Predict the risk of a kernel at any number of samples, from its spectrum: nothing is trained."""
    from kernelgap import curves, problems, reports

    asked = problems.get(problem)
    network = None if run is None else _network_of(run, asked)
    goal = risk if risk is not None else network[1] if network else asked.threshold / 10
    chosen: float | str = ridge if ridge == "best" else _number("--ridge", ridge)
    predicted = curves.predict(asked, kernel, _samples(n), chosen, noise=noise)
    need = curves.need(asked, kernel, goal, ridge=chosen, noise=noise)
    measured = [] if check is None else _measure(asked, kernel, check, predicted, noise)
    drawn = None
    if out is not None:
        chart = reports.curve_chart(predicted, need, measured, network)
        drawn = reports.save_chart(chart, out)
    if as_json:
        console.answer(json.dumps(show.curve_record(predicted, need, measured, network, drawn), allow_nan=False))
        return
    show.show_curve(predicted, need, measured, network)
    if drawn is not None:
        console.message(f"The chart is in {drawn}.")


def _measure(
    problem: "Problem", kernel: str, check: str, predicted: "Curve", noise: float | None
) -> "list[tuple[MeasuredRisk, float]]":
    """Fits at these numbers of samples with the ridges that the curve has there, each with what was predicted."""
    from kernelgap import curves

    sizes = [int(n) for n in _samples(check)]
    if max(sizes) > MOST_CHECKED:
        raise InputError(f"--check fits with up to {MOST_CHECKED:,} samples, not {max(sizes):,}.")
    ridge = predicted.asked_ridge
    rows = []
    with console.progress(f"fits of {predicted.kernel}") as on_progress:
        for i, size in enumerate(sizes):
            on_progress(i / len(sizes), f"{size} samples")
            at = curves.predict(problem, kernel, size, ridge, noise=noise)
            (one,) = curves.measure(problem, kernel, size, [at.ridge], seeds=CHECK_SEEDS, noise=noise)
            rows.append((one, at.risk))
    return rows


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
