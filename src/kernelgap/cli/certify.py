"""The commands of certificates: certify any-kernel, any-gradient, kernel, spectrum, run; and verify."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kernelgap import console
from kernelgap.atomic_file import atomically
from kernelgap.cli import completion
from kernelgap.cli.answer import Json
from kernelgap.cli.help import GroupedHelp
from kernelgap.cli.show import certificates as show
from kernelgap.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from kernelgap.problems import Problem

PATIENCE = 10  # seconds of silence

certify = typer.Typer(
    name="certify",
    cls=GroupedHelp,
    help="Prove floors that no kernel gets under, and pack them into files that anyone can verify.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

KernelName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A kernel: see 'kernelgap list'.", autocompletion=completion.kernels),
]
ProblemText = Annotated[
    str,
    typer.Option(
        "--problem", help="A problem: sec8, slides, 'hard(d=20, k=3, alpha=0.3)'.", autocompletion=completion.problems
    ),
]
Samples = Annotated[int, typer.Option("--n", min=1, help="Training samples (or features).")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the training inputs.")]


@certify.command("any-kernel")
def any_kernel(
    n: Annotated[int, typer.Option("--n", min=0, help="Training samples, or features.")],
    problem: Annotated[str | None, typer.Option(help="A problem: sec8, slides, 'hard(d=20, k=3, alpha=0.3)'.")] = None,
    d: Annotated[int | None, typer.Option(help="Coordinates, where there is no problem.")] = None,
    degree: Annotated[int | None, typer.Option(help="Degree of the composite parity.")] = None,
    outputs: Annotated[int | None, typer.Option(help="Outputs.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Strength of the composite signal.")] = None,
    share: Annotated[float, typer.Option(help="The share of targets that must exceed a risk.")] = 0.99,
    risk: Annotated[
        float | None, typer.Option(help="A risk, for the samples it takes [default: half the threshold].")
    ] = None,
    kernel: Annotated[
        Literal["scalar", "matrix"],
        typer.Option(help="scalar: one kernel, or one for each output. matrix: a matrix-valued kernel."),
    ] = "scalar",
    picked_among: Annotated[
        int, typer.Option("--picked-among", min=1, metavar="M", help="Kernels among which the labels pick one.")
    ] = 1,
    intercept: Annotated[
        bool, typer.Option("--intercept", help="With an intercept, or another function fixed beforehand.")
    ] = False,
    lean: Annotated[
        Path | None, typer.Option(help="Write the arithmetic as theorems of Lean 4 here; they are not checked here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """State the least mean risk of every kernel (or matrix-valued kernel) that is fixed beforehand, with N samples."""
    from kernelgap import certificates, problems

    numbers = {"--d": d, "--degree": degree, "--outputs": outputs, "--alpha": alpha}
    if problem is not None:
        if any(value is not None for value in numbers.values()):
            raise InputError("Give either --problem, or --d, --degree, --outputs and --alpha.")
        bound = certificates.any_kernel(problems.get(problem), n, kernel, picked_among, intercept)
    else:
        if d is None or degree is None or outputs is None or alpha is None:
            missing = next(name for name, value in numbers.items() if value is None)
            raise InputError(f"Give --problem NAME, or all of --d, --degree, --outputs, --alpha; {missing} is missing.")
        family = {"d": d, "degree": degree, "outputs": outputs}
        bound = certificates.any_kernel_by_numbers(
            **family, alpha=alpha, n=n, kernel=kernel, picked_among=picked_among, intercept=intercept
        )
    asked = bound.threshold / 2 if risk is None else risk
    if lean is not None:
        text = certificates.lean_text(bound, asked)
        with atomically(lean) as partial:
            partial.write_text(text, encoding="utf-8")
    if as_json:
        console.answer(json.dumps({**show.bound_record(bound, share, asked), "lean": lean and str(lean)}))
    else:
        show.bound(bound, share, asked, "this family" if problem is None else problem)
        if lean is not None:
            console.message(f"The theorems are in {lean}. They are not checked here: run Lean 4 on the file.")


@certify.command("any-gradient")
def any_gradient(
    problem: Annotated[str, typer.Option(help="One parity without a base signal: 'parity(d=40, k=6)'.")],
    steps: Annotated[float, typer.Option(help="Gradients that are seen, also as 1e6.")],
    noise: Annotated[float, typer.Option(help="Standard deviation of the noise on each coordinate of a gradient.")],
    gradient_norm: Annotated[
        float, typer.Option("--gradient-norm", help="Bound of |grad f(x)|, root mean square, without a signal.")
    ],
    loss: Annotated[
        Literal["half-square", "square", "correlation", "logistic"],
        typer.Option(help="The loss whose population gradients are seen: half the squared error, ..."),
    ] = "half-square",
    share: Annotated[float, typer.Option(help="The share of targets that must not exceed an advantage.")] = 0.9,
    as_json: Json = False,
) -> None:
    """State the most that gradient descent with noise, on any network, gains over guessing on a hidden parity."""
    from kernelgap import certificates, problems

    bound = certificates.any_gradient(problems.get(problem), steps, noise, gradient_norm, loss=loss)
    if as_json:
        console.answer(json.dumps(show.gradient_record(bound, share)))
    else:
        show.gradient(bound, share, problem)


@certify.command()
def kernel(
    name: KernelName,
    problem: ProblemText,
    n: Samples,
    seed: Seed = 0,
    all_targets: Annotated[
        bool, typer.Option("--all-targets", help="Every target of the family, not only its own.")
    ] = False,
    rigorous: Annotated[bool, typer.Option("--rigorous", help="A proof, in ball arithmetic.")] = False,
    as_json: Json = False,
) -> None:
    """Compute the least risk of a kernel over all weights, even weights that know the target."""
    from kernelgap import certificates, kernels, problems

    asked = problems.get(problem)
    X = _inputs(asked, n, seed, rigorous)
    with console.progress(name) as on_progress:
        result = certificates.oracle_risk(asked, kernels.get(name), X, rigorous, on_progress=on_progress)
        family = None
        if all_targets:
            family = certificates.oracle_risks(asked, kernels.get(name), X, on_progress=on_progress)
    if as_json:
        console.answer(json.dumps(show.oracle_record(result, family, seed)))
    else:
        show.oracle(result, family)


def _inputs(problem: "Problem", n: int, seed: int, rigorous: bool = False) -> "np.ndarray":
    """Training inputs, after a message with the expected time if it is long."""
    from kernelgap.certificates.floors.oracle import check_spectrum, draw_inputs, seconds

    check_spectrum(problem.d)
    X = draw_inputs(problem, n, seed)
    expected = seconds(problem.d, n, rigorous)
    if expected > PATIENCE:
        duration = f"{expected:.0f} seconds" if expected < 120 else f"{expected / 60:.0f} minutes"
        console.message(f"{n:,} samples in {problem.d:,} dimensions: this takes about {duration} on an idle machine.")
    return X


@certify.command()
def spectrum(
    name: KernelName,
    problem: ProblemText,
    n: Samples,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Write the chart here: .html, .svg, .png or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Show a kernel's eigenvalues by degree on the cube, and how much of each degree N samples can hold."""
    from kernelgap import certificates, kernels, problems, reports

    asked = problems.get(problem)
    found = certificates.retention(asked, kernels.get(name), _inputs(asked, n, seed))
    written = None if out is None else reports.save_chart(reports.spectrum_chart(found), out)
    if as_json:
        about = {name: getattr(found, name) for name in ("kernel", "problem", "n", "lost")}
        record = {**about, "degrees": found.table.to_dict("records"), "chart": written and str(written)}
        console.answer(json.dumps(record))
    else:
        show.spectrum(found)
        if written is not None:
            console.message(f"The chart is in {written}.")


@certify.command()
def theorem2(
    problem: ProblemText,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="Training samples [default: a thousandth of the family].")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure Theorem 2: the least risks of every kernel family over all targets."""
    from kernelgap import certificates, problems

    with console.progress("theorem 2") as on_progress:
        table = certificates.theorem2(problems.get(problem), n=n, seed=seed, on_progress=on_progress)
    if as_json:
        console.answer(json.dumps({"problem": problem, "rows": table.to_dict("records")}))
    else:
        show.theorem2(table, problem)
    if (table.theorem == "fails").any() or not table.above_any_kernel_mean.all():
        raise typer.Exit(1)


@certify.command("run")
def run_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a finished run.")],
    out: Annotated[Path, typer.Option(help="The certificate to write.")] = Path("cert.zip"),
    method: Annotated[str | None, typer.Option(help="The network, such as '3resnet(all)' [default: the best].")] = None,
    width: Annotated[int | None, typer.Option(help="Its width [default: the best].")] = None,
    as_json: Json = False,
) -> None:
    """Pack a run's networks, their exact risks and the kernels' floors into a file that anyone can verify."""
    from kernelgap.paper import figures as experiments

    with console.progress("certificate") as on_progress:
        claim = experiments.certify_run(folder, out, method=method, width=width, on_progress=on_progress)
    if as_json:
        console.answer(json.dumps({"certificate": str(out), **claim.model_dump(mode="json")}))
    else:
        console.answer(claim.sentence)
        if len(claim.networks) < experiments.ENOUGH:
            starts = f"{len(claim.networks)} start{'s' if len(claim.networks) > 1 else ''}"
            advice = "run the experiment at scale paper, or with more seeds in a file of your own"
            console.message(f"It holds {starts}; it should hold {experiments.ENOUGH} or more: {advice}.")
        console.message(f"The certificate is in {out}. Anyone can check it: kernelgap verify {out}")


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate.")],
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Also train again as it describes, from several starts, and compare.")
    ] = False,
    starts: Annotated[int, typer.Option(min=1, max=1000, help="Starts to train again from.")] = 5,
    as_json: Json = False,
) -> None:
    """Compute all that a certificate claims again, from nothing but the file.

    Exit code 1 if something does not hold, or if the training that it describes does not give such risks.
    """
    from kernelgap import certificates

    with console.progress("verification") as on_progress:
        result = certificates.verify(file, on_progress=on_progress)
    again = None
    if retrain:
        with console.progress("training again") as on_progress:
            again = certificates.retrain(file, starts, on_progress=on_progress)
    if as_json:
        console.answer(json.dumps(show.verification_record(result, again)))
    else:
        show.verification(result, again)
    if not result.holds or (again is not None and not again.consistent):
        raise typer.Exit(1)
