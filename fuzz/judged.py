"""Whether an input was borne: what came of it, and if it is a finding, its name and place."""

import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from fuzz.case import Case
from kernelgap.errors import InputError

PACKAGE = Path(__file__).parents[1] / "src" / "kernelgap"
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Judged:
    """``finding`` is None if all is well; ``group`` is the same for findings with one cause."""

    text: str
    seconds: float
    cpu: float
    refused: bool = False
    group: str = ""
    finding: str | None = None


def judge(case: Case) -> Judged:
    """Try a case in this process."""
    began, cpu = time.monotonic(), time.process_time()
    group, finding, refused = "", None, False
    try:
        ended = case.call()
        refused = getattr(ended, "refused", False)
    except InputError:
        refused = True
    except Exception as error:
        group = f"{type(error).__name__} {place(error.__traceback__)}"
        finding = "".join(traceback.format_exception(error, limit=-12))
        if hasattr(error, "place"):
            group = f"{error} {error.place}"
    return Judged(case.text, time.monotonic() - began, time.process_time() - cpu, refused, group, finding)


def place(trace: TracebackType | None) -> str:
    """The last line of the package that was reached, else the last of all."""
    frames = traceback.extract_tb(trace)
    own = [f for f in frames if PACKAGE in Path(f.filename).parents]
    if not own:
        own = [f for f in frames if HERE in Path(f.filename).parents] or frames
    if not own:
        return "nowhere"
    name = own[-1].filename.rpartition("kernelgap/")[2]
    return f"{name}:{own[-1].lineno} {own[-1].name}"
