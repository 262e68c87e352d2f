"""How many samples the ResNet needs as alpha falls and as k grows, on the hard instance of eq. 7.1."""

from functools import partial

from kernelgap import problems
from kernelgap.networks import TheoremStart
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_least, at_most, exponent, interval, together
from kernelgap.paper.claims.spread import median_and_range
from kernelgap.paper.theory.complexity import PLAIN
from kernelgap.paper.theory.hierarchy import sample_need
from kernelgap.paper.theory.theorem1 import Theorem1, quantities

RATES = (1.0, 0.1)
PAPER, TALK = -8.0, -4.0  # powers of alpha
SIZES: dict[str, Numbers] = {
    "quick": {"width": 100, "starts": 5, "ratio": 0.8, "most": 3_000_000},
    "full": {"width": 200, "starts": 8, "ratio": 0.8, "most": 20_000_000},
}
COUNT = 5  # alphas: from the largest that Theorem 1 admits downwards
BEYOND = (0.05, 0.1, 0.2, 0.3, 0.4)
SHARE = 0.25  # of the threshold
DIMENSION, WIDER = 16, 64
KS, FIXED = (2, 3, 4, 5, 6), 0.3


def measure_alpha(scale: str, seed: int) -> Numbers:
    """To k alpha^4 for alpha in the theorem's range, and, beside it, to a share of k alpha^2 for larger ones."""
    size = SIZES[scale]
    largest = Theorem1(quantities(problems.hard(d=DIMENSION, k=2, alpha=1.0), PLAIN)).largest_alpha * (1 - 1e-9)
    alphas = [largest * size["ratio"] ** i for i in range(COUNT)]
    rows = [_row(scale, seed, DIMENSION, 2, alpha, 2 * alpha**4) for alpha in alphas]
    beyond = [_row(scale, seed, WIDER, 3, alpha, SHARE * 3 * alpha**2) for alpha in BEYOND]
    numbers: Numbers = {"largest_alpha": largest, "width": size["width"], "rows": rows, "beyond": beyond}
    return numbers | {"exponent": _fit(rows, "alpha"), "exponent beyond": _fit(beyond, "alpha")}


def measure_k(scale: str, seed: int) -> Numbers:
    rows = [_row(scale, seed, WIDER, k, FIXED, SHARE * k * FIXED**2) for k in KS]
    return {"width": SIZES[scale]["width"], "rows": rows, "exponent": _fit(rows, "k")}


def _row(scale: str, seed: int, d: int, k: int, alpha: float, level: float) -> Numbers:
    size = SIZES[scale]
    problem = problems.hard(d=d, k=k, alpha=alpha, seed=seed)
    need = partial(sample_need, width=size["width"], rates=RATES, initialisation=TheoremStart(), most=size["most"])
    needed = need(problem, level=level, seeds=range(seed, seed + size["starts"]))
    theorem = Theorem1(quantities(problem, PLAIN))
    about = {"largest_alpha": theorem.largest_alpha, "delta": theorem.least_delta}
    return {"d": d, "k": k, "alpha": alpha, "level": level, "needed": needed, **about}


def _fit(rows: list[Numbers], axis: str) -> dict[str, float] | None:
    if any(None in row["needed"] for row in rows):
        return None
    return exponent([row[axis] for row in rows], [row["needed"] for row in rows])


def judge_alpha(numbers: Numbers) -> Verdict:
    rows, fit, beyond = numbers["rows"], numbers["exponent"], numbers["exponent beyond"]
    if fit is None:
        return Verdict("undecided", "", "Some start did not reach k alpha^4.")
    measured = f"N ~ alpha^{interval(fit)} to k alpha^4; stated alpha^{PAPER:g} (paper), alpha^{TALK:g} (talk)"
    outside = max(rows, key=lambda row: row["alpha"] / row["largest_alpha"])
    if outside["alpha"] > outside["largest_alpha"]:
        reason = f"alpha = {outside['alpha']:.2g}: the corollary speaks of alpha <= {outside['largest_alpha']:.2g}."
        return Verdict("undecided", measured, reason)
    parts = {power: at_least(fit, power) for power in (PAPER, TALK)}
    first, last = rows[0], rows[-1]
    further = "not reached" if beyond is None else f"alpha^{interval(beyond)}"
    reason = (
        f"d = {first['d']}, k = 2, alpha from {last['alpha']:.2g} to {first['alpha']:.2g} (admitted when hidden "
        f"constants are 1), width {numbers['width']}, {len(first['needed'])} starts: "
        f"{median_and_range(first['needed'], '.0f')} to {median_and_range(last['needed'], '.0f')} samples. The "
        f"paper's bound {_verb(parts[PAPER])}, the talk's {_verb(parts[TALK])}. For larger alpha (d = {WIDER}, k = 3, "
        f"alpha = {_span(numbers['beyond'])}) to {SHARE:g} of k alpha^2: {_needs(numbers['beyond'])}, {further}."
    )
    return Verdict(together(parts.values()), measured, reason)


def _verb(outcome: str) -> str:
    return {"holds": "holds", "fails": "fails", "undecided": "is undecided"}[outcome]


def _span(rows: list[Numbers]) -> str:
    return ", ".join(f"{row['alpha']:g}" for row in rows)


def _needs(rows: list[Numbers]) -> str:
    return ", ".join(median_and_range(row["needed"], ".0f") for row in rows)


def judge_k(numbers: Numbers) -> Verdict:
    rows, fit = numbers["rows"], numbers["exponent"]
    if fit is None:
        return Verdict("undecided", "", "Some start did not reach the risk.")
    outcome = at_most(fit, 2.0)
    measured = (
        f"N ~ k^{interval(fit)} to {SHARE:g} of k alpha^2: {_needs(rows)} for k = {rows[0]['k']} to {rows[-1]['k']}"
    )
    how = (
        f"alpha = {rows[0]['alpha']:g}, d = {rows[0]['d']}, width {numbers['width']}, {len(rows[0]['needed'])} starts."
    )
    outside = [row for row in rows if row["alpha"] > row["largest_alpha"]]
    if not outside:
        return Verdict(outcome, measured, how)
    speaks = ", ".join(f"{row['largest_alpha']:.1g} (k = {row['k']})" for row in outside)
    reason = (
        f"{how} With hidden constants 1 the corollary speaks of alpha <= {speaks}, and the risk that it promises, "
        f"alpha^4 2^O(k), is {rows[0]['delta']:.1g} to {rows[-1]['delta']:.1g} here, which is nothing; in its range k "
        f"alpha^2 is {rows[2]['k'] * rows[2]['largest_alpha'] ** 2:.0e} for k = {rows[2]['k']} already. What was "
        f"measured {_against(outcome)} k^2, at a fixed share of k alpha^2."
    )
    return Verdict("undecided", measured, reason)


def _against(outcome: str) -> str:
    return {"holds": "keeps to", "fails": "grows faster than", "undecided": "cannot be told from"}[outcome]


def picture_alpha(numbers: Numbers) -> Picture:
    names = {"rows": "k = 2, to k alpha^4", "beyond": f"k = 3, to {SHARE:g} k alpha^2"}
    return Picture("alpha", "samples", [_line(n, numbers[key], "alpha") for key, n in names.items()], (), "log", "log")


def picture_k(numbers: Numbers) -> Picture:
    return Picture("k", "samples", [_line("three-layer ResNet", numbers["rows"], "k")], (), "log", "log")


def _line(name: str, rows: list[Numbers], axis: str) -> Line:
    reached = [row for row in rows if None not in row["needed"]]
    return Line.of_repeats(name, [row[axis] for row in reached], [row["needed"] for row in reached])


claims = (
    Claim(
        "thm1.alpha",
        "Corollary 7.1; slides",
        "As alpha falls, the samples that the ResNet needs for a risk of O(alpha^4) grow at most like alpha^-8 "
        "(paper) and even alpha^-4 (talk: (C(F)^2 + C(G)^2) / alpha^4).",
        "at most alpha^-8; alpha^-4",
        measure_alpha,
        judge_alpha,
        picture_alpha,
        seconds=18,
    ),
    Claim(
        "thm1.alpha.k",
        "Corollary 7.1",
        "As k grows, the samples that the ResNet needs grow at most like k^2, for a risk of alpha^4 2^O(k) and alpha "
        "up to 2^-O(k).",
        "at most k^2",
        measure_k,
        judge_k,
        picture_k,
        seconds=5,
    ),
)
