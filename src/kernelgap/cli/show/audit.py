"""The answer of an audit, in the terminal."""

from kernelgap import console
from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.wording import measure
from kernelgap.number_text import digits

NAMES = {"accuracy": "accuracy", "r2": "R^2", "rmse": "RMSE"}


def show_audit(audit: Audit) -> None:
    """The verdict with its reasons, the gap, the worth of features, and a table of the contenders."""
    answer = audit.answer
    console.answer(answer.verdict.sentence)
    for reason in answer.verdict.reasons:
        console.answer(f"- {reason}")
    for sentence in (answer.gap.sentence, answer.features.sentence, *answer.remarks):
        console.answer(f"\n{sentence}")
    console.answer("")
    samples, measures = answer.comparison.samples, audit.measures
    rows = []
    for row in audit.with_samples(samples).to_dict("records"):
        errors = (digits(row["error"]), f"{digits(row['low'])} to {digits(row['high'])}")
        quality = (measure(name, row[name]) for name in measures)
        rows.append([row["contender"], row["family"], *errors, *quality, str(row["fits"]), f"{row['seconds']:.1f}"])
    columns = ["contender", "family", "error", "95% interval", *(NAMES[name] for name in measures), "fits", "seconds"]
    constant = f"a constant guess has {digits(answer.constant.value)}"
    title = f"Test errors with {samples:,} samples, the least validation error first ({constant})"
    console.table(columns, rows, title=title, left=2)
