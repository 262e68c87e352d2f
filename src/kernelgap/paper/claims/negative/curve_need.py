"""ours

The samples that a kernel is predicted to need for what a network reaches are never fewer than the floor for scalar
kernels that are fixed beforehand, kernel by kernel."""

from kernelgap import problems
from kernelgap.curves import need
from kernelgap.curves.needed_samples import in_words, name_of
from kernelgap.networks import TheoremStart
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict, holds_if
from kernelgap.paper.claims.negative.curve_kernel import KERNELS
from kernelgap.paper.claims.spread import median
from kernelgap.paper.theory.hierarchy import sample_need

STATED = {"sec8": (500.0, 0.02)}  # Figure 2(a): the network's samples, and what it reaches
MEASURED = ("hard(d=32, k=3, alpha=0.3)", "hard(d=256, k=3, alpha=0.3)")  # to a share of the threshold
SHARE, RATES = 0.25, (1.0, 0.1)
WIDTH, STARTS = {"quick": 100, "full": 400}, {"quick": 5, "full": 8}
FRESH = 2000  # added to seeds, as in thm1.samples


def measure(scale: str, seed: int) -> Numbers:
    rows = []
    for text, (samples, risk) in (STATED | {text: _reached(text, scale, seed) for text in MEASURED}).items():
        for kernel in KERNELS:
            found = need(problems.get(text), kernel, risk)
            rows.append({"problem": text, "network": samples, "asked": kernel, **vars(found)})
    return {"rows": rows}


def _reached(text: str, scale: str, seed: int) -> tuple[float, float]:
    """The median samples of Algorithm 1 for a share of the threshold, and this risk."""
    problem = problems.get(text)
    level = SHARE * problem.threshold
    seeds = range(seed + FRESH, seed + FRESH + STARTS[scale])
    most = 20_000 + 200 * problem.d
    needed = sample_need(
        problem, level=level, width=WIDTH[scale], rates=RATES, seeds=seeds, most=most, initialisation=TheoremStart()
    )
    return min(median(needed), float(most)), level


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    finite = [row for row in rows if row["samples"] is not None]
    ratios = [row["samples"] / row["floor"] for row in finite]
    nearest = finite[ratios.index(min(ratios))]
    best = {row["problem"]: row for row in sorted(finite, key=lambda row: -row["samples"])}  # the least comes last
    measured = "; ".join(
        f"{problem}: {name_of(row['asked'])} {in_words(row['samples'])}, floor {in_words(row['floor'])}, the network "
        f"{row['network']:,.0f}"
        for problem, row in best.items()
    )
    each = "; ".join(
        f"{problem}: " + ", ".join(f"{row['asked']} {_words(row)}" for row in rows if row["problem"] == problem)
        for problem in best
    )
    reason = (
        f"{len(rows)} needs with the best ridge at each number of samples, {len(rows) - len(finite)} beyond 10^15. "
        f"Nearest to its floor: {nearest['asked']} on {nearest['problem']}, {min(ratios):.3g} times. {each}."
    )
    return holds_if(min(ratios) >= 1, measured, reason)


def _words(row: Numbers) -> str:
    return "more than 10^15" if row["samples"] is None else in_words(row["samples"])


def picture(numbers: Numbers) -> Picture:
    rows = numbers["rows"]
    kernels = list(dict.fromkeys(row["asked"] for row in rows))
    lines = []
    for problem in dict.fromkeys(row["problem"] for row in rows):
        own = [row for row in rows if row["problem"] == problem]
        finite = [row for row in own if row["samples"] is not None]
        places = [kernels.index(row["asked"]) for row in finite]
        lines.append(Line(f"{problem}, predicted", places, [row["samples"] for row in finite], points_only=True))
        lines.append(Line(f"{problem}, floor", list(range(len(own))), [row["floor"] for row in own]))
    return Picture("kernel", "samples", lines, y_axis="log", categories=kernels)


claim = Claim.of(
    __doc__, "curve.need", ">= the floor for scalar kernels", measure, judge, picture, seconds=20, identity=True
)
