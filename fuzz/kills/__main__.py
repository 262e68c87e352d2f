"""python -m fuzz.kills [KIND ...] [--n N] [--seed S]: end runs at random moments; each must come to the same."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from fuzz.kills.killing import compare, disturbed, finished, undisturbed
from fuzz.kinds import KINDS, write_sources

EACH = 5  # disturbances of one run, about


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.kills", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"default: all of {', '.join(KINDS)}")
    parser.add_argument("--n", type=int, default=100, help="disturbances in all, at least")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--at-once", type=int, default=min(2, len(os.sched_getaffinity(0))), help="runs at a time")
    asked = parser.parse_args()
    names = asked.kinds or list(KINDS)
    home = Path(tempfile.mkdtemp(prefix="kills-"))
    os.environ.setdefault("KERNELGAP_CACHE_DIR", str(home / "programs"))
    write_sources(home)
    print(f"seed {asked.seed}, in {home}", flush=True)
    shares = {name: asked.n // len(names) + (i < asked.n % len(names)) for i, name in enumerate(names)}
    with ThreadPoolExecutor(asked.at_once) as pool:
        results = list(pool.map(lambda name: of_kind(name, home, asked.seed, shares[name]), names))
    done = sum((ways for ways, _ in results), Counter())
    bad = sum(found for _, found in results)
    print(f"{sum(done.values())} disturbances ({', '.join(f'{n} {w}' for w, n in done.items())}), {bad} differences.")
    if not bad:
        shutil.rmtree(home)
    return 1 if bad else 0


def of_kind(name: str, home: Path, seed: int, count: int) -> tuple[Counter[str], int]:
    """So many disturbances of runs of a kind; in which ways, and how many runs came to something else."""
    whole = undisturbed(name, home, home / f"{name}-whole")
    print(f"{name}: {whole.seconds:.0f} s undisturbed", flush=True)
    ways: Counter[str] = Counter()
    bad = number = 0
    while sum(ways.values()) < count:
        number += 1
        out = home / f"{name}-{number}"
        rng = Random(f"{name} {seed} {number}")
        times = min(EACH, count - sum(ways.values()))
        try:
            done = disturbed(name, home, out, rng, times=times, seconds=whole.seconds)
            found = compare(whole, finished(name, home, out))
        except Exception as error:  # whatever it is, the other runs go on
            done, found = ["failure"], [f"{type(error).__name__}: {error}"]
        ways.update(way.partition(" after")[0] for way in done)
        print(f"{name} {number}: {', '.join(done)}: {'the same' if not found else 'DIFFERENT'}", flush=True)
        if found:
            bad += 1
            print(f"  kept in {out}\n  " + "\n  ".join(found[:10]), flush=True)
        else:
            shutil.rmtree(out)
    return ways, bad


if __name__ == "__main__":
    sys.exit(main())
