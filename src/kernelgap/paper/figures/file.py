"""One's own experiment from a YAML or TOML file. A mistake is named with its line (YAML) and its key."""

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import TypeAdapter, ValidationError

from kernelgap.atomic_file import read_small
from kernelgap.errors import InputError, short, shown, unknown
from kernelgap.paper.figures.experiment import KINDS, Experiment, Scale
from kernelgap.training import Schedule

ENDINGS = (".yaml", ".yml", ".toml")
KEYS = ("name", "title", "source", "problem", "samples", "scales", "x")  # of a file

LARGEST = 2**18  # bytes of a file
MOST = 100_000  # values in a file
DEEPEST = 20  # levels
TOO_DEEP = f"is nested more than {DEEPEST} levels deep, as no experiment is."
EXTRA = ("extra_forbidden", "unexpected_keyword_argument")

Key = tuple[str | int, ...]


class Read(NamedTuple):
    """What a file says, and the line of each key where that is known."""

    content: Any
    lines: dict[Key, int]


def is_file_name(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def read_experiment(path: str | Path) -> Experiment:
    """The experiment that a file describes.

    Parameters
    ----------
    path
        A YAML or TOML file; it gives the experiment its name, title and source where it does not state them.

    Raises
    ------
    InputError
        If the file cannot be read, or describes no experiment: the sentence names the line and the key.
    """
    path = Path(path)
    try:
        text = read_small(path, LARGEST).decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise InputError(f"The experiment '{short(str(path))}' cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The experiment '{path}' is not a text file in UTF-8.") from None
    read = _read_toml(path, text) if path.suffix.lower() == ".toml" else _read_yaml(path, text)
    if not isinstance(read.content, dict):
        raise InputError(f"The experiment '{path}' must be keys with values, such as 'problem: sec8'.")
    described = {"name": path.stem, "title": path.stem, "source": path.name, **read.content}
    if "aliases" in described:
        raise InputError(_where(path, read, ("aliases",)) + "only a built-in experiment has aliases.")
    try:
        return TypeAdapter(Experiment).validate_python(described)
    except ValidationError as error:
        raise InputError(_first_mistake(path, read, error)) from None


def _read_toml(path: Path, text: str) -> Read:
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        what = "it is nested too deeply" if isinstance(error, RecursionError) else short(str(error))
        raise InputError(f"'{path}' is not TOML: {what[:1].lower()}{what[1:]}.") from None
    _count(path, content)
    return Read(content, {})


def _count(path: Path, value: Any, depth: int = 0) -> int:
    """How many values there are; refused if they are too many, or nested too deeply."""
    _check_size(path, 0, depth)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    count = 1 + sum(_count(path, part, depth + 1) for part in parts)
    _check_size(path, count, depth)
    return count


def _check_size(path: Path, values: int, depth: int) -> None:
    if depth > DEEPEST:
        raise InputError(f"'{path}' {TOO_DEEP}")
    if values > MOST:
        raise InputError(f"'{path}' has more than {MOST:,} values, what it repeats by '*' included: make it smaller.")


def _read_yaml(path: Path, text: str) -> Read:
    lines: dict[Key, int] = {}
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is not None:
            _walk(path, node, (), lines)
        return Read(None if node is None else loader.construct_document(node), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        what = " ".join(str(error.problem or error.context).split())
        raise InputError(f"'{path}'{line} is not YAML: {short(what)}.") from None
    except InputError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"'{path}' is not YAML: {short(' '.join(str(error).split()))}.") from None
    except RecursionError:
        raise InputError(f"'{path}' {TOO_DEEP}") from None


def _walk(path: Path, node: yaml.Node, key: Key, lines: dict[Key, int]) -> None:
    """Note the line of every key; refuse a key that is there twice, of which YAML would silently take the last."""
    _check_size(path, len(lines), len(key))
    lines.setdefault(key, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                raise InputError(f"'{path}', line {name.start_mark.line + 1}: a key must be a word.")
            inner = (*key, name.value)
            if inner in lines:
                raise InputError(f"'{path}', line {name.start_mark.line + 1}: '{_text(inner)}' is there twice.")
            lines[inner] = name.start_mark.line + 1
            _walk(path, value, inner, lines)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            _walk(path, value, (*key, i), lines)


def _first_mistake(path: Path, read: Read, error: ValidationError) -> str:
    """One sentence: where, what is wrong, and what to do."""
    # A key that is not known comes first: it may be why another is missing.
    first = min(error.errors(), key=lambda e: e["type"] not in EXTRA)
    key: Key = tuple(short(part) if isinstance(part, str) else part for part in first["loc"])
    kind = None
    if key[2:3] == ("grids",) and len(key) > 4:  # which kind of grid it was taken for
        kind, key = str(key[4]), key[:4] + key[5:]
    where, what = _where(path, read, key), str(first["msg"]).removeprefix("Value error, ")
    match first["type"]:
        case "value_error":  # our own sentence
            return where + what
        case "missing":
            return f"{_where(path, read, key[:-1])}'{key[-1]}' is missing."
        case kind_of_error if kind_of_error in EXTRA:
            return where + str(unknown("key", key[-1], _known(key, kind)))
        case _:
            return f"{where}{shown(first['input'])} is not possible: {what[:1].lower()}{what[1:]}."


def _known(key: Key, kind: str | None) -> tuple[str, ...]:
    """The keys that a part of the file may have."""
    if kind is not None:
        return tuple(f.name for f in fields(KINDS[kind]))
    if key[2:3] == ("schedule",):
        return tuple(Schedule.model_fields)
    return KEYS if len(key) == 1 else tuple(f.name for f in fields(Scale))


def _where(path: Path, read: Read, key: Key) -> str:
    """The file, the line if it is known, and the key, to begin a sentence with."""
    at = key
    while at and at not in read.lines:
        at = at[:-1]
    line = f", line {read.lines[at]}" if at in read.lines and read.lines else ""
    return f"'{path}'{line}: " + (f"{_text(key)}: " if key else "")


def _text(key: Key) -> str:
    """scales.quick.grids[0].rates"""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text
