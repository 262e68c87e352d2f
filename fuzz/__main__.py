"""python -m fuzz [TARGET ...] [--n N] [--seed S]: try generated inputs. With --index: one of them, here, in full."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

from fuzz.materials import materials
from fuzz.pool import LIMIT, Input, tried
from fuzz.summary import Summary

HOME = Path("runs") / "fuzz"
SHARES = {  # of the inputs, in per cent
    "command-lines": 28,
    "tables": 20,
    "experiment-files": 8,
    "model-files": 12,
    "certificates": 10,
    "texts": 8,
    "estimator-inputs": 8,
    "run-folders": 6,
}
SAYS = 10.0  # seconds between words on how far it is


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: all of {', '.join(SHARES)}")
    parser.add_argument("--n", type=int, default=1000, help="inputs in all")
    parser.add_argument("--seed", type=int, default=None, help="default: another each time")
    parser.add_argument("--index", type=int, help="try this input alone, in this process")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one input")
    parser.add_argument("--home", type=Path, default=HOME, help="where models, runs and the summary are kept")
    parser.add_argument("--materials", type=Path, help="a folder of them that is there already")
    asked = parser.parse_args()
    for target in asked.targets:
        if target not in SHARES:
            parser.error(f"unknown target '{target}'")
    home = asked.home.absolute()
    made = asked.materials or materials(home, lambda words: print(words, file=sys.stderr))
    seed = time.time_ns() % 2**32 if asked.seed is None else asked.seed
    if asked.index is not None:
        if len(asked.targets) != 1:
            parser.error("--index goes with one target")
        return _one(Input(asked.targets[0], seed, asked.index), made)
    summary = Summary()
    began = said = time.monotonic()
    inputs = _inputs(asked.targets or list(SHARES), asked.n, seed)
    with suppress(KeyboardInterrupt):  # then of those that were tried
        for given, judged in tried(inputs, materials=made, workers=asked.workers, limit=asked.limit):
            summary.add(given, judged)
            if judged.finding is not None and len(summary.found[given.target, judged.group]) == 1:
                print(f"{given}  # {judged.group}", file=sys.stderr, flush=True)
            if time.monotonic() - said > SAYS:
                said = time.monotonic()
                done = sum(summary.inputs.values())
                words = f"{done:,} of {asked.n:,} inputs in {said - began:.0f} s, {summary.findings} findings"
                print(words, file=sys.stderr, flush=True)
    text = f"seed {seed}\n{summary.text()}"
    (home / "summary.txt").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    print(text.encode("utf-8", "backslashreplace").decode())
    return 1 if summary.findings else 0


def _inputs(targets: list[str], n: int, seed: int) -> Iterator[Input]:
    """So many in all, mixed; the index of each counts within its target."""
    order = Random(f"order {seed}").choices(targets, [SHARES[target] for target in targets], k=n)
    counts = dict.fromkeys(targets, 0)
    for target in order:
        yield Input(target, seed, counts[target])
        counts[target] += 1


def _one(given: Input, made: Path) -> int:
    from fuzz.judged import judge
    from fuzz.trying import make_one, prepare

    prepare()
    with tempfile.TemporaryDirectory() as scratch:
        judged = judge(make_one(given, made, Path(scratch)))
        os.chdir("/")
    print(judged.text.encode("utf-8", "backslashreplace").decode())
    print(judged.finding or ("refused with a sentence" if judged.refused else "ended in order"))
    print(f"{judged.seconds:.1f} s")
    return 0 if judged.finding is None else 1


if __name__ == "__main__":
    sys.exit(main())
