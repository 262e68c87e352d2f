"""The answer of an audit, in the terminal."""

from kernelgap import console
from kernelgap.audit.result import Audit
from kernelgap.audit.statistics.wording import digits


def show_audit(audit: Audit) -> None:
    """The verdict with its reasons, the gap, what features are worth, and a table of the contenders."""
    answer = audit.answer
    console.answer(answer.verdict.sentence)
    for reason in answer.verdict.reasons:
        console.answer(f"- {reason}")
    for sentence in (answer.gap.sentence, answer.features.sentence, *answer.remarks):
        console.answer(f"\n{sentence}")
    console.answer("")
    samples = answer.comparison.samples
    columns = ["contender", "family", "error", "95% interval", *_quality(audit), "fits", "seconds"]
    rows = [[row[column] for column in columns] for row in _rows(audit)]
    constant = f"a constant guess has {digits(answer.constant.value)}"
    title = f"Test errors with {samples:,} samples, the least validation error first ({constant})"
    console.table(columns, rows, title=title, left=2)


def _quality(audit: Audit) -> list[str]:
    if audit.data.task == "classification":
        return ["accuracy"]
    return ["R^2", "RMSE"] if len(audit.data.scales) == 1 else ["R^2"]


def _rows(audit: Audit) -> list[dict[str, str]]:
    rows = []
    for row in audit.with_samples(audit.answer.comparison.samples).to_dict("records"):
        rows.append(
            {
                "contender": row["contender"],
                "family": row["family"],
                "error": digits(row["error"]),
                "95% interval": f"{digits(row['low'])} to {digits(row['high'])}",
                "R^2": f"{row['r2']:.3f}",
                "RMSE": digits(row["rmse"]) if "rmse" in row else "",
                "accuracy": f"{row['accuracy']:.1%}" if "accuracy" in row else "",
                "fits": str(row["fits"]),
                "seconds": f"{row['seconds']:.1f}",
            }
        )
    return rows
