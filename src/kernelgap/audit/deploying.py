"""What an audit says of the model to deploy: its quality in the target's own units, and what is not shown."""

from kernelgap.audit.contenders.own import OWN
from kernelgap.audit.dataset import TableInfo
from kernelgap.audit.statistics.metrics import Metric
from kernelgap.audit.statistics.results import Answer, BestModel, Interval
from kernelgap.audit.statistics.wording import measure
from kernelgap.audit.tables.notices import counted
from kernelgap.number_text import digits

NAMED = 6  # contenders in a sentence


def format_deploy(answer: Answer, data: TableInfo, metric: Metric | None = None) -> str:
    """One sentence: the best model of all on validation, and its test score with its interval."""
    best = answer.best
    if best is None:
        return "This audit is of an earlier version, which did not say what to deploy: run it again in another folder."
    of = f"the least validation error of {best.tried} contenders" if best.tried > 1 else "no other has finished"
    where = f"on {counted(data.test_rows, 'test row')} that it had not seen"
    return f"Deploy {best.contender} ({of}): {_quality(best, answer.constant, data, metric)}, {where}."


def _quality(best: BestModel, constant: Interval, data: TableInfo, metric: Metric | None) -> str:
    if metric is not None:
        ends = sorted((metric.shown(best.error.low), metric.shown(best.error.high)))
        low, high = (f"{end:.1%}" if metric.share else digits(end) for end in ends)
        return f"{metric.title} {metric.text(best.error.value)} (95% interval {low} to {high})"
    if best.accuracy is not None:
        shares = (f"{value:.1%}" for value in (best.accuracy.value, best.accuracy.low, best.accuracy.high))
        return "accuracy {} (95% interval {} to {})".format(*shares)
    if len(data.scales) == 1:
        roots = [value**0.5 * data.scales[0] for value in (best.error.value, best.error.low, best.error.high)]
        score = "RMSE {} (95% interval {} to {})".format(*map(digits, roots))
    else:
        score = f"error {digits(best.error.value)} (95% interval {digits(best.error.low)} to {digits(best.error.high)})"
    r2 = 1 - best.error.value / constant.value if constant.value else float("nan")
    return f"{score}, R^2 {measure('r2', r2)}"


def format_not_shown(answer: Answer, kept: str | None) -> list[str]:
    """What is not shown, a sentence each."""
    best, sentences = answer.best, []
    if best is None:
        return []
    if not best.beats_constant:
        sentences.append(f"Not shown: that {best.contender} is better than a constant guess.")
    if rivals := best.no_better_than:
        more = len(rivals) - NAMED
        names = f"{', '.join(rivals[:NAMED])} and {more} more" if more > 0 else _listed(rivals)
        same = "any of these may do" if len(rivals) > 1 else "either may do"
        sentences.append(f"Not shown: that {best.contender} is better than {names} ({same} as well on new rows).")
    if answer.verdict.outcome == "undecided":
        sentences.append("Not shown: that the best network is better than the best kernel, or the other way round.")
    if kept is not None and kept != best.contender:
        yourself = f": fit {best.contender.removeprefix(OWN)} yourself" if best.contender.startswith(OWN) else ""
        sentences.append(f"The model that is kept is {kept}, the best of those that a file can hold{yourself}.")
    return sentences


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
