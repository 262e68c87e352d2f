"""How certificates look in the terminal, and as JSON."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal, localcontext
from math import isfinite
from typing import TYPE_CHECKING, Any

from kernelgap import console

if TYPE_CHECKING:
    import pandas as pd

    from kernelgap.certificates import AnyKernelBound, FamilyRisks, OracleRisk, Retraining, Verdict


def bound_record(bound: "AnyKernelBound", share: float, risk: float) -> dict[str, object]:
    beside = _beside(bound)
    return {
        "n": bound.n,
        "kernel": bound.kernel,
        "mean_risk": bound.mean_risk,
        "mean_risk_fraction": str(bound.exact_mean_risk),
        "family_size": bound.family_size,
        "threshold": bound.threshold,
        "share": share,
        "risk_for_share": bound.risk_for_share(share),
        "risk": risk,
        "samples_for": bound.samples_for(risk),
        "paper_floor": bound.paper_floor,
        "paper_samples": bound.paper_samples,
        "paper_applies": bound.paper_applies,
        "hypotheses": [{"statement": h.statement, "checked": h.checked} for h in bound.hypotheses],
        beside.kernel: {
            "mean_risk": beside.mean_risk,
            "mean_risk_fraction": str(beside.exact_mean_risk),
            "risk_for_share": beside.risk_for_share(share),
            "samples_for": beside.samples_for(risk),
        },
    }


def bound(found: "AnyKernelBound", share: float, risk: float, name: str) -> None:
    say = console.answer
    beside = _beside(found)
    features = ", any map to features" if found.kernel == "scalar" else ""
    say(f"Any {KINDS[found.kernel]} fixed beforehand{features}, {_count(found.n)} samples, on {name}")
    say("")
    size, functions = _count(found.family_size), _count(found.n * found.functions_each)
    say(f"The composite signal can be any of {size} parities; {functions} functions capture,")
    captured = _percent(1 - found.mean_risk / found.threshold) if found.threshold else "0%"
    say(f"on average over them, at most {captured} of it. So:")
    say("")
    rows = [
        ["mean risk over the family, at least", _number(found.mean_risk), _number(beside.mean_risk)],
        [
            f"risk that {share:.4g} of the targets exceed, at least",
            _number(found.risk_for_share(share)),
            _number(beside.risk_for_share(share)),
        ],
        [
            f"samples for a mean risk of {risk:.4g}, at least",
            _count(found.samples_for(risk)),
            _count(beside.samples_for(risk)),
        ],
        ["learning F alone leaves (the threshold)", _number(found.threshold), _number(beside.threshold)],
        ["the paper's floor, for 99% of the targets", _paper(found), _paper(beside)],
    ]
    console.table(["", KINDS[found.kernel], KINDS[beside.kernel]], rows)
    say("")
    say("A scalar kernel with N samples spans N functions for each output, a matrix-valued one N times the outputs.")
    say("This rests on:")
    for hypothesis in found.hypotheses:
        say(f"  [{'checked' if hypothesis.checked else 'yours to ensure'}] {hypothesis.statement}")


KINDS = {"scalar": "scalar kernel", "matrix": "matrix-valued kernel"}


def _beside(bound: "AnyKernelBound") -> "AnyKernelBound":
    """The bound for kernels of the other kind."""
    return replace(bound, kernel="matrix" if bound.kernel == "scalar" else "scalar")


def _paper(found: "AnyKernelBound") -> str:
    applies = "" if found.paper_applies else f" (stated up to {_count(found.paper_samples)} samples, 0 < alpha < 1)"
    return _number(found.paper_floor) + applies


def oracle_record(found: "OracleRisk", family: "FamilyRisks | None", seed: int) -> dict[str, object]:
    record: dict[str, object] = {
        "kernel": found.kernel,
        "problem": found.problem,
        "n": found.n,
        "seed": seed,
        "oracle_risk": found.risk,
        "exact": found.exact,
        "interval": list(found.interval),
        "threshold": found.threshold,
        "method": found.method,
        "note": found.note,
    }
    if found.enclosure:
        record["enclosure"] = found.enclosure
    if family is not None:
        record["family"] = {
            "targets": len(family.risks),
            "all": family.all,
            "mean": family.mean,
            "interval": list(family.interval),
            "least": float(family.risks.min()),
            "median": family.quantile(0.5),
            "largest": float(family.risks.max()),
            "share_above_paper_floor": family.share_above(family.alpha**2 / 16),
            "share_above_0.9_alpha2": family.share_above(0.9 * family.alpha**2),
            "method": family.method,
            "note": family.note,
        }
    return record


METHODS = {
    "proof": "Proved in ball arithmetic: the interval contains the true value.",
    "float64": "Exact up to rounding in float64; the interval is what rounding can have done.",
    "estimate": "An estimate from sampled points, with a 99% interval: no proof.",
}


def oracle(found: "OracleRisk", family: "FamilyRisks | None") -> None:
    say = console.answer
    say(f"{found.kernel} on {found.problem} with {found.n:,} samples")
    say("")
    if found.exact:
        say(f"No weights, not even weights that know the target, get under {_down(found.interval[0])}.")
    else:
        say(f"The best weights, knowing the target, leave about {found.risk:.4g}.")
    say(f"  interval   [{found.interval[0]:.12g}, {found.interval[1]:.12g}]")
    if found.enclosure:
        say(f"  enclosure  {found.enclosure}")
    say(f"  threshold  {found.threshold:.6g} (learning F alone)")
    say(f"  {METHODS[found.method]}")
    if found.note:
        say(f"  {found.note}")
    if family is None:
        return
    say("")
    which = (
        f"all {len(family.risks):,} targets of its family"
        if family.all
        else f"{len(family.risks):,} targets drawn from it"
    )
    say(f"Over {which} (the same inputs, the coordinates renamed):")
    rows = [
        ["mean", f"{family.mean:.6g}  [{family.interval[0]:.6g}, {family.interval[1]:.6g}]"],
        ["least, median, largest", f"{family.risks.min():.6g}, {family.quantile(0.5):.6g}, {family.risks.max():.6g}"],
        ["share above alpha^2/16", _percent(family.share_above(family.alpha**2 / 16))],
        ["share above 0.9 alpha^2", _percent(family.share_above(0.9 * family.alpha**2))],
    ]
    console.table(["", ""], rows)
    if family.note:
        say(family.note)


def spectrum(table: "pd.DataFrame") -> None:
    attrs = table.attrs
    shown = table[(table.share.abs() > 0) | (table.degree <= 8)].head(20)
    degrees: Iterable[Any] = shown.itertuples()
    rows = [
        [str(r.degree), f"{r.parities:,.0f}", f"{r.eigenvalue:.4g}", _percent(r.share), _percent(r.captured)]
        for r in degrees
    ]
    title = f"{attrs['kernel']} on {attrs['problem']}: what {attrs['n']:,} samples can hold"
    console.table(
        ["degree", "parities", "eigenvalue", "share of K(x,x)", "held of each parity"], rows, title=title, left=0
    )
    if len(table) > len(shown):
        console.answer(f"... and {len(table) - len(shown)} more degrees.")
    if attrs["lost"]:
        console.answer(f"{attrs['lost']} directions are below rounding and left out.")


def theorem2(table: "pd.DataFrame", problem: str) -> None:
    first = table.iloc[0]
    which = (
        f"all {first.targets:,} targets" if first.all_targets else f"{first.targets:,} targets drawn from the family"
    )
    kernels: Iterable[Any] = table.itertuples()
    rows = [
        [
            r.kernel,
            f"{r.mean:.4f}",
            f"{r.least:.4f}",
            f"{r.median:.4f}",
            _percent(r.share_above_paper_floor),
            _percent(r.share_above_strong_floor),
            r.theorem,
        ]
        for r in kernels
    ]
    columns = ["kernel", "mean", "least", "median", "> a^2/16", "> 0.9 a^2", "Theorem 2"]
    title = f"{problem}, a = alpha: the best risk over all weights, with {first.n:,} samples, over {which}"
    console.table(columns, rows, title=title)
    console.answer("")
    console.answer(f"No scalar kernel fixed beforehand has a mean under {first.any_kernel_mean:.6g}.")


def verdict_record(found: "Verdict", again: "Retraining | None" = None) -> dict[str, object]:
    record: dict[str, object] = {
        "holds": found.holds,
        "sentence": found.claim.sentence,
        "checks": [{"what": c.what, "stated": c.stated, "found": c.found, "holds": c.holds} for c in found.checks],
        "trusted": list(found.trusted),
        "versions": found.claim.versions,
    }
    if again is not None:
        record["retrained"] = {
            "certified": list(again.certified),
            "seeds": list(again.seeds),
            "risks": [risk if isfinite(risk) else None for risk in again.risks],
            "margins": list(again.margins),
            "range": None if again.range is None else list(again.range),
            "allowed": None if again.allowed is None else list(again.allowed),
            "within_range": again.within_range,
            "consistent": again.consistent,
            "sentence": again.sentence,
        }
    return record


def verdict(found: "Verdict", again: "Retraining | None" = None) -> None:
    rows = [[c.what, c.stated, c.found, "holds" if c.holds else "FAILS"] for c in found.checks]
    failed = sum(not check.holds for check in found.checks)
    title = f"It states, and this does not hold: {found.claim.sentence}" if failed else found.claim.sentence
    console.table(["claim", "stated", "computed again", ""], rows, title=title, left=4)
    console.answer("")
    if failed:
        console.answer(f"{failed} of {len(found.checks)} claims fail.")
    else:
        console.answer(f"All {len(found.checks)} claims that can be computed again hold.")
    console.answer("Taken on trust, since no file can show it:")
    for statement in found.trusted:
        console.answer(f"  {statement}")
    if again is not None:
        rows = [
            [str(seed), f"{risk:.4g}" if isfinite(risk) else "diverged", f"+/- {margin:.2g}" if margin else ""]
            for seed, risk, margin in zip(again.seeds, again.risks, again.margins, strict=True)
        ]
        console.answer("")
        console.table(["seed", "risk", "99%"], rows)
        console.answer(again.sentence)


def _down(value: float) -> str:
    """Ten digits, rounded down, so that the sentence stays true."""
    shown = f"{value:.10g}"
    return shown if float(shown) <= value else f"{value - abs(value) * 1e-10:.10g}"


def _count(value: int) -> str:
    """All digits of a number that can be read, the first ones of another, rounded down."""
    if value < 10**18:
        return f"{value:,}"
    with localcontext() as context:
        context.rounding = ROUND_FLOOR
        return f"{Decimal(value):.6e}"


def _number(value: float) -> str:
    return f"{value:.10g}"


def _percent(value: float) -> str:
    return f"{100 * value:.4g}%"
