"""The answer of an audit, in the terminal."""

from kernelgap import console
from kernelgap.audit.class_report import format_classes
from kernelgap.audit.floors import format_floor
from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.wording import measure
from kernelgap.number_text import digits

NAMES = {"accuracy": "accuracy", "r2": "R^2", "rmse": "RMSE"}


def show_audit(audit: Audit) -> None:
    """What to deploy, the verdict with its reasons, what is not shown, the gap, features, and all contenders."""
    answer = audit.answer
    console.answer(audit.deploy)
    console.answer(f"\n{answer.verdict.sentence}")
    for reason in answer.verdict.reasons:
        console.answer(f"- {reason}")
    for sentence in audit.not_shown:
        console.answer(f"\n{sentence}")
    floors = [format_floor(floor) for floor in answer.floors[-1:]]
    for sentence in (answer.gap.sentence, *floors, answer.features.sentence, *answer.remarks):
        console.answer(f"\n{sentence}")
    if answer.classes is not None:
        console.answer("\n" + " ".join(format_classes(answer.classes)))
    console.answer("")
    samples, measures = answer.comparison.samples, audit.measures
    rows = []
    for row in audit.with_samples(samples).to_dict("records"):
        errors = (digits(row["error"]), f"{digits(row['low'])} to {digits(row['high'])}")
        quality = (measure(name, row[name]) for name in measures)
        rows.append([row["contender"], row["family"], *errors, *quality, str(row["fits"]), f"{row['seconds']:.1f}"])
    columns = [
        "contender",
        "family",
        "error",
        "95% interval",
        *(NAMES.get(name, name) for name in measures),
        "fits",
        "seconds",
    ]
    constant = f"a constant guess has {digits(answer.constant.value)}"
    if answer.constant_accuracy is not None:
        constant += f" and is right in {measure('accuracy', answer.constant_accuracy.value)}"
    title = f"Test errors with {samples:,} samples, the least validation error first ({constant})"
    console.table(columns, rows, title=title, left=2)
