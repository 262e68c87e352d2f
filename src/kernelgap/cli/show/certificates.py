"""How certificates look in the terminal, and as JSON."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from kernelgap import console

if TYPE_CHECKING:
    import pandas as pd

    from kernelgap.certificates import (
        AnyGradientBound,
        AnyKernelBound,
        FamilyRisks,
        OracleRisk,
        Retention,
        Retraining,
        Verification,
    )
    from kernelgap.certificates.floors.family import Hypothesis

Number = TypeVar("Number", int, float)


def bound_record(bound: "AnyKernelBound", share: float, risk: float) -> dict[str, object]:
    def risks(bound: "AnyKernelBound") -> dict[str, object]:
        return {
            "mean_risk": bound.mean_risk,
            "mean_risk_fraction": str(bound.exact_mean_risk),
            "risk_for_share": bound.risk_for_share(share),
            "samples_for": bound.samples_for(risk),
            "sharp_mean_risk": bound.sharp_mean_risk,
            "sharp_samples_for": bound.sharp_samples_for(risk),
        }

    other = _of_other_kernels(bound)
    return {
        **_fields(bound, "n", "kernel", "picked_among", "intercept", "functions", "family_size", "threshold"),
        **_fields(bound, "paper_floor", "paper_samples", "paper_applies"),
        **risks(bound),
        "share": share,
        "risk": risk,
        "hypotheses": [_fields(hypothesis, "statement", "checked") for hypothesis in bound.hypotheses],
        other.kernel: risks(other),
    }


def bound(result: "AnyKernelBound", share: float, risk: float, name: str) -> None:
    say = console.answer
    other = _of_other_kernels(result)
    features = ", any map to features" if result.kernel == "scalar" else ""
    picked = f", picked among {_count(result.picked_among)} by the labels" if result.picked_among > 1 else ""
    added = ", with an intercept or start function" if result.intercept else ""
    say(f"Any {KINDS[result.kernel]} fixed beforehand{features}{picked}{added}, {_count(result.n)} samples, on {name}")
    say("")
    size, functions = _count(result.family_size), _count(result.functions)
    say(f"The composite signal can be any of {size} parities; {functions} functions capture,")
    captured = _percent(1 - result.mean_risk / result.threshold) if result.threshold else "0%"
    say(f"on average over them, at most {captured} of it. So:")
    say("")
    rows = [
        [title, *(value(bound) for bound in (result, other))]
        for title, value in (
            ("mean risk over the family, at least", lambda b: _number(b.mean_risk)),
            ("... base signals not for free", lambda b: _known(b.sharp_mean_risk, _number)),
            (f"risk that {share:.4g} of the targets exceed, at least", lambda b: _number(b.risk_for_share(share))),
            (f"samples for a mean risk of {risk:.4g}, at least", lambda b: _count(b.samples_for(risk))),
            ("... base signals not for free", lambda b: _known(b.sharp_samples_for(risk), _count)),
            ("learning F alone leaves (the threshold)", lambda b: _number(b.threshold)),
            ("the paper's floor, for 99% of the targets", _paper),
        )
    ]
    console.table(["", KINDS[result.kernel], KINDS[other.kernel]], rows)
    say("")
    say("A scalar kernel with N samples spans N functions for each output, a matrix-valued one N times the outputs.")
    if result.sharp_mean_risk is not None or other.sharp_mean_risk is not None:
        say("The bound gives the base signals away; what does not is sharp, and about one kernel for all outputs.")
    if result.picked_among == 1:
        say("A kernel that the labels pick among M spans M times as many: --picked-among M.")
    _rests_on(result.hypotheses)


def _rests_on(hypotheses: "Sequence[Hypothesis]") -> None:
    console.answer("This rests on:")
    for hypothesis in hypotheses:
        console.answer(f"  [{'checked' if hypothesis.checked else 'yours to ensure'}] {hypothesis.statement}")


def gradient_record(bound: "AnyGradientBound", share: float) -> dict[str, object]:
    numbers = ("family_size", "threshold", "steps", "loss", "advantage", "mean_risk", "accuracy")
    return {
        **_fields(bound, *numbers),
        "noise": float(bound.noise),
        "gradient_norm": float(bound.gradient_norm),
        "squared_advantage_fraction": str(bound.exact_squared_advantage),
        "share": share,
        "advantage_for_share": bound.advantage_for_share(share),
        "steps_for_half": bound.steps_for(0.5),
        "hypotheses": [_fields(hypothesis, "statement", "checked") for hypothesis in bound.hypotheses],
        "not_covered": list(bound.not_covered),
    }


def gradient(bound: "AnyGradientBound", share: float, name: str) -> None:
    say = console.answer
    say(f"Gradient descent on the population with noise on each gradient, {_count(bound.steps)} steps, on {name}")
    say("")
    say(f"The target can be any of {_count(bound.family_size)} parities. On average over them:")
    say("")
    rows = [
        ["advantage over a run without a signal, at most", _up(bound.advantage)],
        [f"... of {share:.4g} of the targets, at most", _up(bound.advantage_for_share(share))],
        ["mean risk, at least", _down(bound.mean_risk)],
        ["learning nothing leaves (the threshold)", _number(bound.threshold)],
        ["share of signs that are right, at most", _up(bound.accuracy)],
        ["steps for an advantage of 1/2, at least", _count(bound.steps_for(0.5))],
    ]
    console.table(["", ""], rows)
    say("")
    if bound.advantage == 1:
        say("With so many steps and so little noise the bound says nothing.")
    _rests_on(bound.hypotheses)
    say("It does not cover:")
    for text in bound.not_covered:
        say(f"  {text}")


KINDS = {"scalar": "scalar kernel", "matrix": "matrix-valued kernel"}


def _of_other_kernels(bound: "AnyKernelBound") -> "AnyKernelBound":
    """The bound for kernels of the other kind."""
    return replace(bound, kernel="matrix" if bound.kernel == "scalar" else "scalar")


def _paper(result: "AnyKernelBound") -> str:
    applies = "" if result.paper_applies else f" (stated up to {_count(result.paper_samples)} samples, 0 < alpha < 1)"
    return _number(result.paper_floor) + applies


def oracle_record(result: "OracleRisk", family: "FamilyRisks | None", seed: int) -> dict[str, object]:
    record = _fields(result, "kernel", "problem", "n", "exact", "interval", "threshold", "method", "note")
    record |= {"seed": seed, "oracle_risk": result.risk}
    if result.enclosure:
        record["enclosure"] = result.enclosure
    if family is not None:
        record["family"] = {
            **_fields(family, "all", "mean", "interval", "method", "note"),
            "targets": len(family.risks),
            "least": float(family.risks.min()),
            "median": family.quantile(0.5),
            "largest": float(family.risks.max()),
            "share_above_paper_floor": family.share_above(family.alpha**2 / 16),
            "share_above_0.9_alpha2": family.share_above(0.9 * family.alpha**2),
        }
    return record


METHODS = {
    "proof": "Proved in ball arithmetic: the interval contains the true value.",
    "float64": "Exact up to rounding in float64; the interval is what rounding can have done.",
    "estimate": "An estimate from sampled points, with a 99% interval: no proof.",
}


def oracle(result: "OracleRisk", family: "FamilyRisks | None") -> None:
    say = console.answer
    say(f"{result.kernel} on {result.problem} with {result.n:,} samples")
    say("")
    if result.exact:
        say(f"No weights, not even weights that know the target, get under {_down(result.interval[0])}.")
    else:
        say(f"The best weights, knowing the target, leave about {result.risk:.4g}.")
    say(f"  interval   [{result.interval[0]:.12g}, {result.interval[1]:.12g}]")
    if result.enclosure:
        say(f"  enclosure  {result.enclosure}")
    say(f"  threshold  {result.threshold:.6g} (learning F alone)")
    say(f"  {METHODS[result.method]}")
    if result.note:
        say(f"  {result.note}")
    if family is None:
        return
    say("")
    count = f"{len(family.risks):,} targets"
    which = f"all {count} of its family" if family.all else f"{count} drawn from it"
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


def spectrum(found: "Retention") -> None:
    table = found.table
    shown = table[(table.share.abs() > 0) | (table.degree <= 8)].head(20)
    degrees: Iterable[Any] = shown.itertuples()
    rows = [
        [str(r.degree), f"{r.parities:,.0f}", f"{r.eigenvalue:.4g}", _percent(r.share), _percent(r.captured)]
        for r in degrees
    ]
    title = f"{found.kernel} on {found.problem}: what {found.n:,} samples can hold"
    columns = ["degree", "parities", "eigenvalue", "share of K(x,x)", "held of each parity"]
    console.table(columns, rows, title=title, left=0)
    if len(table) > len(shown):
        console.answer(f"... and {len(table) - len(shown)} more degrees.")
    if found.lost:
        console.answer(f"{found.lost} directions are below rounding and left out.")


def theorem2(table: "pd.DataFrame", problem: str) -> None:
    first = table.iloc[0]
    count = f"{first.targets:,} targets"
    which = f"all {count}" if first.all_targets else f"{count} drawn from the family"
    kernels: Iterable[Any] = table.itertuples()
    rows = []
    for r in kernels:
        shares = (_percent(r.share_above_paper_floor), _percent(r.share_above_strong_floor))
        rows.append([r.kernel, f"{r.mean:.4f}", f"{r.least:.4f}", f"{r.median:.4f}", *shares, r.theorem])
    columns = ["kernel", "mean", "least", "median", "> a^2/16", "> 0.9 a^2", "Theorem 2"]
    title = f"{problem}, a = alpha: the best risk over all weights, with {first.n:,} samples, over {which}"
    console.table(columns, rows, title=title)
    console.answer("")
    console.answer(f"No scalar kernel fixed beforehand has a mean under {first.any_kernel_mean:.6g}.")


def verification_record(result: "Verification", again: "Retraining | None" = None) -> dict[str, object]:
    record: dict[str, object] = {
        "holds": result.holds,
        "sentence": result.claim.sentence,
        "checks": [_fields(each, "what", "stated", "found", "holds") for each in result.checks],
        "trusted": list(result.trusted),
        "versions": result.claim.versions,
    }
    if again is not None:
        names = ("certified", "seeds", "margins", "range", "allowed", "within_range", "consistent", "sentence")
        risks = [risk if isfinite(risk) else None for risk in again.risks]
        record["retrained"] = {**_fields(again, *names), "risks": risks}
    return record


def verification(result: "Verification", again: "Retraining | None" = None) -> None:
    rows = [[c.what, c.stated, c.found, "holds" if c.holds else "FAILS"] for c in result.checks]
    failed = sum(not check.holds for check in result.checks)
    title = f"It states, and this does not hold: {result.claim.sentence}" if failed else result.claim.sentence
    console.table(["claim", "stated", "computed again", ""], rows, title=title, left=4)
    console.answer("")
    if failed:
        console.answer(f"{failed} of {len(result.checks)} claims fail.")
    else:
        console.answer(f"All {len(result.checks)} claims that can be computed again hold.")
    console.answer("Taken on trust, since no file can show it:")
    for statement in result.trusted:
        console.answer(f"  {statement}")
    if again is not None:
        rows = [
            [str(seed), f"{risk:.4g}" if isfinite(risk) else "diverged", f"+/- {margin:.2g}" if margin else ""]
            for seed, risk, margin in zip(again.seeds, again.risks, again.margins, strict=True)
        ]
        console.answer("")
        console.table(["seed", "risk", "99%"], rows)
        console.answer(again.sentence)


def _fields(thing: object, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}


def _down(value: float) -> str:
    """Ten digits, rounded down, so that the sentence stays true."""
    shown = f"{value:.10g}"
    return shown if float(shown) <= value else f"{value - abs(value) * 1e-10:.10g}"


def _up(value: float) -> str:
    """Four digits, rounded up, so that the sentence stays true."""
    with localcontext() as context:
        context.rounding, context.prec = ROUND_CEILING, 4
        return f"{float(+Decimal(value)):.4g}"


def _count(value: int) -> str:
    """All digits of a number that can be read, the first ones of another, rounded down."""
    if value < 10**18:
        return f"{value:,}"
    with localcontext() as context:
        context.rounding = ROUND_FLOOR
        return f"{Decimal(value):.6e}"


def _known(value: Number | None, written: Callable[[Number], str]) -> str:
    return "not computed" if value is None else written(value)


def _number(value: float) -> str:
    return f"{value:.10g}"


def _percent(value: float) -> str:
    return f"{100 * value:.4g}%"
