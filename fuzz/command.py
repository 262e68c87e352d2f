"""The command line, called in this process: what it wrote and how it ended."""

import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from fuzz.case import WrongError
from kernelgap.cli import main

CODES = (0, 1, 2, 130)
OWN_MISTAKE = 70
NOT_TRIED = "The work itself is not tried here."
LONGEST = 20_000  # characters of a refusal, beside what was typed


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Whether the input was at fault; that nothing is trained here is not its fault."""
        return self.code == 2 and NOT_TRIED not in self.err


class EndedBadlyError(Exception):
    """An exit code that no command has, or a traceback; ``place`` is what the command said last."""

    def __init__(self, what: str, place: str) -> None:
        super().__init__(what)
        self.place = place


@contextmanager
def _as_a_terminal() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Streams that encode as real ones do, so that a text that cannot be written is found."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        io.TextIOWrapper(out, "utf-8", write_through=True) as written,
        io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True) as said,
        redirect_stdout(written),
        redirect_stderr(said),
    ):
        yield out, err


def call(arguments: Sequence[str]) -> Ended:
    """``kernelgap ARGUMENTS``, which must end in order."""
    with patch.object(sys, "argv", ["kernelgap", *arguments]), _as_a_terminal() as (out, err):
        try:
            main()
            code: object = 0
        except SystemExit as ended:
            code = ended.code or 0
        found = Ended(code if isinstance(code, int) else -1, *(s.getvalue().decode("utf-8") for s in (out, err)))
    last = found.err.strip().rpartition("\n")[2][:300]
    if found.code == OWN_MISTAKE:
        raise EndedBadlyError(*_trace(found.err))
    if found.code not in CODES:
        raise EndedBadlyError(f"exit {found.code}", last)
    if "Traceback (most recent call last)" in found.err:
        raise EndedBadlyError("traceback", last)
    if found.code == 2 and not found.err.strip():
        raise EndedBadlyError("refused without a word", "")
    if len(found.err) > LONGEST + 4 * sum(map(len, arguments)):
        raise EndedBadlyError(f"{len(found.err):,} characters of refusal", found.err[:80])
    if "--json" in arguments and found.code in (0, 1) and found.out.strip() and "--help" not in arguments:
        _check_json(found.out)
    return found


def _trace(said: str) -> tuple[str, str]:
    """The error and its place, from the file that the command names."""
    name = re.search(r"(\S*kernelgap-trace-\S*\.txt)", said)
    text = Path(name[1]).read_text(encoding="utf-8") if name else said
    places = re.findall(r'File ".*?/kernelgap/(\S+)", line (\d+), in (\S+)', text)
    return text.strip().rpartition("\n")[2][:200], "{}:{} {}".format(*places[-1]) if places else "nowhere"


def _check_json(text: str) -> None:
    def refuse(name: str) -> None:
        raise WrongError(f"{name} in JSON")

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        raise WrongError(f"no JSON: {text[:200]}") from None
