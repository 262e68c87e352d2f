"""Remark 6.1; slides

Theorem 1's risk of alpha^4 is not where learning stops: with assumptions on the distribution of x (here uniform signs,
and the uniform sphere) the risk of Algorithm 1 goes on to 0."""

from kernelgap import problems
from kernelgap.networks import TheoremStart
from kernelgap.paper.algorithms import algorithm1
from kernelgap.paper.claims.claim import Claim, Line, Numbers, Picture, Verdict
from kernelgap.paper.claims.growth import at_most, exponent, interval, together
from kernelgap.paper.claims.spread import median_and_range
from kernelgap.problems import Problem

ALPHA, RATES = 0.3, (1.0, 0.1)
SIZES = {"quick": (100, 400_000, 5), "full": (400, 4_000_000, 5)}  # width, steps, starts
LATE = 0.1  # from this share of the steps on the exponent of the risk in t is fitted
LOOKS = 6
FAR_BELOW = 0.01  # of k alpha^4


def measure(scale: str, seed: int) -> Numbers:
    width, steps, starts = SIZES[scale]
    members: dict[str, Problem] = {
        "signs, eq. 7.1": problems.hard(d=16, k=3, alpha=ALPHA, seed=seed),
        "sphere, Concept 1": problems.get(
            "concept1", d=10, k=2, alpha=ALPHA, F="sin(2z)", G="z^2", size="mean", size_G="mean", seed=seed
        ),
    }
    times = [round(steps * LATE ** (1 - i / (LOOKS - 1))) for i in range(LOOKS)]
    early = [10**power for power in range(2, len(str(times[0])))]
    rows = []
    for name, problem in members.items():
        run = algorithm1(
            problem,
            width=width,
            steps=steps,
            rates=[RATES],
            seeds=range(seed, seed + starts),
            times=[*(t for t in early if t < times[0]), *times],
            initialisation=TheoremStart(),
        )
        risks = run.errors["risk"][:, 0]
        late = run.times >= times[0]
        fit = exponent(run.times[late].tolist(), risks[:, late].T)
        fourth = problem.outputs * ALPHA**4 * _size(problem)
        row: Numbers = {"name": name, "threshold": problem.threshold, "fourth": fourth, "exponent": fit}
        rows.append(row | {"times": run.times.tolist(), "risks": risks.tolist()})
    return {"width": width, "steps": steps, "rows": rows}


def _size(problem: Problem) -> float:
    """E |G(F)|^2 / k, by which alpha^4 is scaled as the threshold is by alpha^2."""
    return problem.threshold / (problem.outputs * problem.alpha**2)


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    ends = {row["name"]: [risks[-1] for risks in row["risks"]] for row in rows}
    measured = "; ".join(
        f"{row['name']}: {median_and_range(ends[row['name']], '.1e')}, alpha^4 level {row['fourth']:.2g}, still ~ "
        f"t^{interval(row['exponent'])}"
        for row in rows
    )
    how = f"After {numbers['steps']} steps at width {numbers['width']}, {len(ends[rows[0]['name']])} starts each."
    stuck = [row["name"] for row in rows if min(ends[row["name"]]) > row["fourth"]]
    if stuck:
        return Verdict("fails", measured, f"{how} No start gets below alpha^4: {', '.join(stuck)}.")
    falls = together(at_most(row["exponent"], 0.0) for row in rows)
    far = all(max(ends[row["name"]]) < FAR_BELOW * row["fourth"] for row in rows)
    if falls == "holds" and far:
        reason = (
            f"{how} Every start ends below {FAR_BELOW:.0%} of alpha^4, and the risk still falls over the last decade."
        )
        return Verdict("holds", measured, f"{reason} That it goes to 0 is what these two laws of x show, not all.")
    if falls == "fails":
        return Verdict("fails", measured, f"{how} The risk does not fall any more.")
    return Verdict("undecided", measured, f"{how} Not every start is below {FAR_BELOW:.0%} of alpha^4 and falling.")


def picture(numbers: Numbers) -> Picture:
    lines = [
        Line.of_repeats(row["name"], row["times"], list(zip(*row["risks"], strict=True))) for row in numbers["rows"]
    ]
    levels = [(f"alpha^4, {row['name']}", row["fourth"]) for row in numbers["rows"]]
    return Picture("samples", "risk", lines, levels, x_axis="log", y_axis="log")


claim = Claim.of(__doc__, "thm1.to_zero", "the risk goes on to 0", measure, judge, picture, seconds=10)
