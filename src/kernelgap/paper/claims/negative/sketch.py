"""Theorem 2 as sec. 3.1 sketches it, E |K(x) - y|^2 / 2 > alpha^2 for every k >= 2, and what of it is true.

Knowing F and nothing of G(F) leaves E |K(x) - y|^2 / 2 = k alpha^2 / 2, which at k = 2 is alpha^2 and not more.
"""

from kernelgap import problems
from kernelgap.certificates import any_kernel, oracle_risks
from kernelgap.certificates.floors.theorems import FAMILIES
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict

ALPHA = 0.3
SHARE = 0.99
# Almost linear: what is quadratic in it takes up some of G(F), and F is nearly free.
ALMOST_LINEAR = "linear + 0.001 * polynomial(degree=2)"
DIMENSIONS = {"quick": (16, 32, 64), "full": (16, 32, 64, 128, 256)}  # with 4 d samples
SIZES: dict[str, tuple[tuple[int, int], ...]] = {  # (d, k)
    "quick": ((150, 2), (40, 3), (24, 4)),
    "full": ((400, 2), (80, 3), (30, 4), (24, 6)),
}
LESS = 0.9  # of alpha^2: the level at k = 2 of the corrected statement


def measure(scale: str, seed: int) -> Numbers:
    """At k = 2, with 4 d samples: the shares of targets above alpha^2, and the mean."""
    rows = []
    for d in DIMENSIONS[scale]:
        problem = problems.hard(d=d, k=2, alpha=ALPHA)
        X, _ = problem.sample(4 * d, seed)
        for kernel in ("linear", ALMOST_LINEAR):
            risks = oracle_risks(problem, kernel, X, seed=seed)
            low, high = risks.share_interval(2 * ALPHA**2)
            row = {"d": d, "n": len(X), "kernel": kernel, "half_mean": risks.mean / 2, "share_low": low, "share": high}
            rows.append(row | {"allowed": d**1.8, "all_targets": risks.all})
    return {"alpha": ALPHA, "rows": rows}


def judge(numbers: Numbers) -> Verdict:
    rows, level = [row for row in numbers["rows"] if row["n"] <= row["allowed"]], numbers["alpha"] ** 2
    if not rows:
        return Verdict("undecided", "", "No case has as few samples as the statement allows.")
    least = min(rows, key=lambda row: row["share"])
    measured = (
        f"at k = 2 a share of {least['share']:.0%} of the targets is above alpha^2 = {level:.3g} for the kernel "
        f"{least['kernel']} with {least['n']} samples, d = {least['d']} (mean {least['half_mean']:.4g})"
    )
    if least["share"] >= SHARE:
        return Verdict("holds", measured, "No kernel tried gets to alpha^2.")
    linear = next((row for row in rows if row["kernel"] == "linear"), least)
    reason = (
        "Knowing F alone leaves k alpha^2 / 2, which at k = 2 is alpha^2: the linear kernel has "
        f"{linear['half_mean']:.4g}. A slip of the sketch, for k = 2 alone; Theorem 2 itself has alpha^2/16 and no "
        "half. See thm2.sketch.corrected."
    )
    return Verdict("fails", measured, reason)


def measure_corrected(scale: str, seed: int) -> Numbers:
    """With as many samples as bound.sharp allows for 99% of the targets."""
    rows = []
    for d, k in SIZES[scale]:
        problem = problems.hard(d=d, k=k, alpha=ALPHA)
        level = (LESS if k == 2 else 1.0) * ALPHA**2
        n = samples_for_share(problem, 2 * level)
        X, _ = problem.sample(n, seed)
        for kernel in FAMILIES:
            risks = oracle_risks(problem, kernel, X, seed=seed)
            low, high = risks.share_interval(2 * level)
            about = {"d": d, "k": k, "n": n, "kernel": kernel, "level": level / ALPHA**2}
            rows.append(about | {"share": low, "share_high": high, "all_targets": risks.all})
    return {"alpha": ALPHA, "rows": rows}


def samples_for_share(problem: problems.Problem, risk: float) -> int:
    """The most samples with which, by bound.sharp, 99% of the targets stay above a risk; at least one."""
    low, high = 1, any_kernel(problem, 0).family_size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if any_kernel(problem, middle).share_above(risk) >= SHARE else (low, middle)
    return low


def judge_corrected(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    worst = min(rows, key=lambda row: row["share"])
    cases = ", ".join(dict.fromkeys(f"hard({row['d']}, {row['k']}) with N = {row['n']}" for row in rows))
    measured = f"share {worst['share']:.2%} or more in {len(rows)} cases: {cases}"
    if any(row["share_high"] < SHARE for row in rows):
        return Verdict("fails", measured, f"{worst['kernel']} gets under it too often.")
    if worst["share"] < SHARE:
        return Verdict("undecided", measured, f"{worst['kernel']}: the interval of the share reaches below 99%.")
    reason = (
        f"The level is alpha^2 for k >= 3, {LESS:g} alpha^2 at k = 2. It follows from bound.sharp, which allows these "
        "N: C t / 100 with t = 1 - 2/k, for k = 2 one less the level. For d beyond those of thm2.example that is more "
        "than N_res^(k/2)."
    )
    return Verdict("holds", measured, reason)


claims = (
    Claim(
        "thm2.sketch",
        "section 3.1, as printed",
        "For every k >= 2 and large d, for 99% of the targets any function of a kernel method with (N_res)^(k/2) "
        "samples has E |K(x) - y|^2 / 2 > alpha^2.",
        "> alpha^2 for every k >= 2",
        measure,
        judge,
        seconds=3,
    ),
    Claim(
        "thm2.sketch.corrected",
        "section 3.1, corrected",
        "For k >= 3 as printed; at k = 2 for any level below alpha^2, such as 0.9 alpha^2 (a half of the risk, 99% of "
        "the targets).",
        "> alpha^2 for k >= 3, > 0.9 alpha^2 for k = 2",
        measure_corrected,
        judge_corrected,
        seconds=5,
    ),
)
