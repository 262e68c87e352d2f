"""Speed of oracle risks over whole families of targets, and of proofs, measured in one run.

For ``hard(d, k=4)`` and ck2 with N samples, all binom(d, 4) targets at once: seconds, the share of the machine's peak
(NumPy's float64 matrix product on all cores, counting the 2 N^2 operations that whitening a target takes), and the
ratio to solving for one target after another with the same factorisation, as one would write it. Then the growth with N
and with the number of targets, and proofs (``rigorous=True``) of section 8.1's target.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import contest
from kernelgap import certificates, console, kernels, problems
from kernelgap.certificates.floors.spectral import gram_above
from kernelgap.machine import cores

KERNEL = "ck2"
SAMPLES = (250, 500, 1000, 2000)
DIMENSIONS = (20, 25, 30)
PROOFS = (250, 500, 1000, 2000)
ONE_BY_ONE = 200  # targets timed one after another


def peak() -> float:
    """Float64 operations a second of a large matrix product."""
    A = np.random.default_rng(0).standard_normal((2000, 2000))
    A @ A
    return 2 * 2000**3 / min(timed(lambda: A @ A) for _ in range(5))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def family(d: int, n: int, rounds: int, fastest: float) -> dict:
    problem = problems.hard(d=d, k=4, alpha=0.5)
    X, _ = problem.sample(n, 0)
    seconds = [timed(lambda: certificates.oracle_risks(problem, KERNEL, X)) for _ in range(rounds)]
    found = certificates.oracle_risks(problem, KERNEL, X)
    median = statistics.median(seconds)
    single = one_by_one(d, X * d**0.5)
    return {
        "d": d,
        "n": n,
        "targets": len(found.risks),
        "seconds": median,
        "of_peak": 2 * n**2 * len(found.risks) / median / fastest,
        "one_by_one": single * len(found.risks),
        "ratio": single * len(found.risks) / median,
        "mean": found.mean,
        "rounds": seconds,
    }


def one_by_one(d: int, signs: np.ndarray) -> float:
    """Seconds a target: four right-hand sides against a factorisation that is there already."""
    spectrum = kernels.cube_spectrum(KERNEL, d, 1)
    factor = cho_factor(gram_above(spectrum, signs, -1) + 1e-12 * np.eye(len(signs)))
    rng = np.random.default_rng(0)

    def work() -> None:
        for _ in range(ONE_BY_ONE):
            chosen = rng.choice(d, 4, replace=False)
            right = np.stack([signs[:, i] + 0.5 * signs[:, chosen].prod(axis=1) for i in chosen], axis=1)
            float((right * cho_solve(factor, right)).sum())

    return timed(work) / ONE_BY_ONE


def proof(n: int) -> dict:
    problem = problems.get("sec8")
    X, _ = problem.sample(n, 0)
    start = time.perf_counter()
    found = certificates.oracle_risk(problem, KERNEL, X, rigorous=True)
    return {"n": n, "seconds": time.perf_counter() - start, "enclosure": found.enclosure}


def rows(results: list[dict]) -> list[dict]:
    families = [(f"d = {r['d']}, {r['n']} samples", r) for r in results if "targets" in r]
    ratios = [contest.row(f"{name}, to one by one", r["ratio"], "ratio") for name, r in families]
    return ratios + [contest.row(f"{name}, of dgemm peak", r["of_peak"], "share") for name, r in families]


def main() -> None:
    options = contest.arguments(__doc__, "oracle", rounds=3).parse_args()
    fastest = peak()
    sizes = [(30, n) for n in SAMPLES] + [(d, 500) for d in DIMENSIONS if d != 30]
    jobs = {f"d = {d}, {n} samples": partial(family, d, n, options.rounds, fastest) for d, n in sizes}
    jobs |= {f"proof, {n} samples": partial(proof, n) for n in PROOFS}
    results = contest.measure_all(jobs, options.out, rows=rows, peak=fastest)
    console.table(
        ["d", "samples", "targets", "seconds", "of dgemm peak", "one by one, s", "ratio"],
        [
            [
                str(f["d"]),
                str(f["n"]),
                f"{f['targets']:,}",
                f"{f['seconds']:.2f}",
                f"{f['of_peak']:.0%}",
                f"{f['one_by_one']:.1f}",
                f"{f['ratio']:.0f}x",
            ]
            for f in results[: len(sizes)]
        ],
        title=f"All targets of hard(k=4), {KERNEL}, {cores()} cores, peak {fastest / 1e9:.0f} GFLOPS",
        left=0,
    )
    console.table(
        ["samples", "seconds", "enclosure"],
        [[str(p["n"]), f"{p['seconds']:.1f}", p["enclosure"]] for p in results[len(sizes) :]],
        title=f"Proofs: {KERNEL} on sec8",
        left=0,
    )


if __name__ == "__main__":
    main()
