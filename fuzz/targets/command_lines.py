"""Command lines over every command and option, as typer knows them; nothing is trained."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

import typer

from fuzz import values
from fuzz.case import Case, Place
from fuzz.command import call
from fuzz.targets.texts import kernel_text, problem_text
from kernelgap.cli.app import app

SMALL = ("1", "2", "5", "20")
WHOLE = {"n", "d", "degree", "outputs", "workers", "seed", "width", "rows"}
NUMBERS = {"alpha", "share", "risk"}
PROBLEMS = ("sec8", "slides", "hard(d=6, k=2, alpha=0.3)", "hard(d=9, k=3, alpha=0.5)", "parity(d=8, k=3)")
KNOWN = {  # what a person gives, by the name of the parameter
    "scale": ("quick", "paper", "full", "long", "huge"),
    "problem": PROBLEMS,
    "n": SMALL,
    "seed": ("0", "1", "7"),
    "d": ("6", "20", "30"),
    "degree": ("2", "3"),
    "outputs": ("1", "3"),
    "alpha": ("0.3", "1"),
    "share": ("0.9", "0.99"),
    "risk": ("0.1", "0"),
    "budget": ("90s", "5m", "1h30m", "10", "1e9h", "9" * 400, "soon", "-5m"),
    "workers": ("1", "2"),
    "method": ("3resnet(all)", "2layer(hidden)"),
    "width": ("4", "5"),
    "task": ("regression", "classification"),
    "rows": ("50", "1000"),
    "delimiter": (",", ";"),
    "target": ("y", "a", "colour"),
    "leave_out": ("a", "b"),
    "names": ("lemma.d2", "thm2.kernels", "fig2a"),
    "cluster": ("tcp://127.0.0.1:1", "127.0.0.1:1", "x", "", "tcp://", "udp://127.0.0.1:9"),
}


def commands() -> dict[tuple[str, ...], Any]:
    """Every command by the words that name it, as typer's own copy of click describes it."""

    def within(command: Any, words: tuple[str, ...]) -> dict[tuple[str, ...], Any]:
        inner = getattr(command, "commands", None)
        if inner is None:
            return {words: command}
        return {key: value for name, each in inner.items() for key, value in within(each, (*words, name)).items()}

    return within(typer.main.get_command(app), ())


COMMANDS = commands()
HEAVY: dict[tuple[str, ...], float] = {("list",): 0.1}  # commands that say the same whatever they are given


def make(rng: Random, place: Place) -> Case:
    words = rng.choice(sorted(COMMANDS))
    while rng.random() > HEAVY.get(words, 1.0):
        words = rng.choice(sorted(COMMANDS))
    hostile = rng.choice((0.0, 0.1, 0.25))
    arguments = list(words)
    for parameter in COMMANDS[words].params:
        arguments += _told(parameter, words, rng, hostile, place)
    if rng.random() < 0.05:
        arguments.insert(rng.randrange(len(arguments) + 1), values.text(rng))
    if rng.random() < 0.05 and len(arguments) > 1:
        del arguments[rng.randrange(len(arguments))]
    arguments = [argument.replace("\0", "")[:100_000] for argument in arguments]  # no system passes a NUL
    return Case(str([argument[:300] for argument in arguments]), lambda: call(arguments))


def _told(parameter: Any, words: tuple[str, ...], rng: Random, hostile: float, place: Place) -> list[str]:
    name = str(parameter.name)
    if name in ("follow", "help"):  # a look that does not end is what was asked for
        return []
    is_option = parameter.param_type_name == "option"
    if rng.random() > (0.97 if parameter.required or not is_option else 0.3) and name != "out":
        return []
    if is_option and getattr(parameter, "is_flag", False):
        if name in ("version", "only_list") and rng.random() < 0.9:
            return []
        return [rng.choice([*parameter.opts, *parameter.secondary_opts])]
    times = rng.choice((1, 1, 2)) if getattr(parameter, "multiple", False) or parameter.nargs == -1 else 1
    found: list[str] = []
    for _ in range(times):
        value = _hostile(name, rng) if rng.random() < hostile else _near(name, words, rng, place)
        found += [parameter.opts[0], value] if is_option else [value]
    return found


def _hostile(name: str, rng: Random) -> str:
    """Mostly of the type that is asked for, so that it is not the parser that refuses it."""
    if name in WHOLE and rng.random() < 0.85:
        return str(values.integer(rng))
    if name in NUMBERS and rng.random() < 0.85:
        return repr(values.number(rng))
    return values.text(rng) if rng.random() < 0.6 else values.literal(rng)


def _near(name: str, words: tuple[str, ...], rng: Random, place: Place) -> str:
    if words == ("certify", "theorem2") and name == "problem":
        return rng.choice(PROBLEMS[2:])  # the others take minutes, and show how far they are
    if name in ("problem", "name") and rng.random() < 0.3:
        return problem_text(rng) if name == "problem" else kernel_text(rng)
    if name == "name":
        return rng.choice(
            ("fig2a", "fig3b", "images", "slides_a", "map", "outside")
            if words == ("run",)
            else ("ntk2", "gaussian", "ck3", "ntk3res", "laplace(bandwidth=2.0)", "polynomial(degree=2)")
        )
    if name == "out":
        return rng.choice(
            (
                "out",
                "out",
                "out/deeper",
                "table.csv/x",
                "/proc/x",
                "/dev/null",
                "out.html",
                "out.svg",
                "out.csv",
                "x" * 300,
                ".",
            )
        )
    if name in ("folder", "model", "file", "data"):
        return _path(name, words, rng, place)
    return rng.choice(KNOWN.get(name, ("x", "1")))


def _path(name: str, words: tuple[str, ...], rng: Random, place: Place) -> str:
    """Something that is there: of the right kind mostly."""
    for file in ("table.csv", "cert.zip", "tiny.npz"):
        if not (place.folder / file).exists():
            shutil.copy(place.materials / file, place.folder / file)
    model = rng.choice(sorted((place.materials / "models").iterdir()))
    right: dict[str, tuple[str, ...]] = {"folder": ("RUN",), "model": (str(model), "RUN"), "data": ("tiny.npz",)}
    of_file = {"audit": ("table.csv", "sklearn:iris", "diabetes"), "verify": ("cert.zip",), "predict": ("table.csv",)}
    known = right.get(name) or of_file.get(words[0], ("table.csv",))
    other = (
        "RUN",
        "table.csv",
        "cert.zip",
        "tiny.npz",
        ".",
        "..",
        "/",
        "/dev/null",
        "/proc/self/mem",
        "none.csv",
        "sklearn:x",
        "sklearn:",
    )
    chosen = rng.choice(known if rng.random() < 0.75 else other)
    return _run(rng, place) if chosen == "RUN" else chosen


def _run(rng: Random, place: Place) -> str:
    """A copy of a run of some kind."""
    kind = rng.choice(("figure", "study", "claims", "images", "audit"))
    if not Path(place.folder / kind).exists():
        shutil.copytree(place.materials / "runs" / kind, place.folder / kind, ignore=shutil.ignore_patterns("charts"))
    return kind
