"""The best model class by class."""

import numpy as np
from jaxtyping import Float

from kernelgap.audit.statistics.results import ClassReport
from kernelgap.number_text import percent

LARGE, SMALL = 0.75, 0.05  # shares of a class beyond which classes are called unequal
NAMED = 8  # classes in a sentence


def class_report(
    contender: str,
    classes: tuple[str, ...],
    outputs: Float[np.ndarray, "seeds test k"],
    Y_test: Float[np.ndarray, "test k"],
) -> ClassReport:
    """Counts over the test rows, means over seeds."""
    truth, predicted = Y_test.argmax(axis=1), outputs.argmax(axis=2)
    k = len(classes)
    counts = np.bincount((truth * k + predicted).ravel(), minlength=k * k).reshape(k, k) / len(outputs)
    rows = np.bincount(truth, minlength=k)
    recall = np.diag(counts) / np.maximum(rows, 1)
    table = tuple(tuple(row) for row in counts.tolist())
    return ClassReport(contender, classes, tuple(rows.tolist()), tuple(recall.tolist()), table)


def format_classes(report: ClassReport) -> list[str]:
    """How unequal the classes are, and how many rows of each are found."""
    total, sentences = sum(report.rows), []
    most, least = int(np.argmax(report.rows)), int(np.argmin(report.rows))
    if report.rows[most] >= LARGE * total or report.rows[least] <= SMALL * total:
        shares = [
            f"'{report.classes[p]}' has {percent(report.rows[p] / total)} of the test rows" for p in (most, least)
        ]
        advice = "Look at each class, not at accuracy alone."
        sentences.append(f"The classes are unequal: {' and '.join(shares)}. {advice}")
    order = sorted(range(len(report.rows)), key=lambda place: report.recall[place])[:NAMED]
    found = ", ".join(f"{percent(report.recall[p])} of '{report.classes[p]}' ({report.rows[p]:,})" for p in order)
    which = "" if len(order) == len(report.rows) else f" the {NAMED} hardest classes:"
    sentences.append(f"Of the test rows {report.contender} finds{which} {found}.")
    return sentences
