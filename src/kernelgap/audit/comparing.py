"""Two models on the same rows: the audit's verdict for any two estimators, or any two sets of predictions."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier

from kernelgap.audit.pair_losses import PairLosses, given_losses, learned_losses
from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import PairedErrors, paired_errors
from kernelgap.audit.statistics.metrics import Metric, get_metric
from kernelgap.audit.statistics.results import Entry, Interval, Results
from kernelgap.audit.statistics.verdict import Lead
from kernelgap.audit.tables.question import task_of_numbers
from kernelgap.audit.tables.table import Task
from kernelgap.errors import InputError
from kernelgap.number_text import finite_or_none

MOST_SEEDS = 100
Side = Literal["first ahead", "second ahead", "undecided"]


@dataclass(frozen=True)
class ModelComparison:
    """How two models compare on rows that neither has learned from.

    Attributes
    ----------
    first, second
        What they are called.
    metric
        What is compared, such as RMSE.
    outcome, sentence, reasons
        "first ahead", "second ahead" or "undecided"; the same with numbers; why.
    first_score, second_score, constant_score
        The metric of both, and of the best constant guess, with 95% intervals.
    difference
        The error of the second less that of the first (the mean loss of the metric: of RMSE the squared error, of an
        accuracy the share of wrong rows): above 0 the first is better.
    by_seed
        The same with each seed.
    rows, units, seeds, samples
        Test rows; what was drawn anew, rows or groups; seeds, and rows learned from, 0 for given predictions.
    """

    first: str
    second: str
    metric: str
    outcome: Side
    sentence: str
    reasons: tuple[str, ...]
    first_score: Interval
    second_score: Interval
    constant_score: Interval
    difference: Interval
    by_seed: tuple[float, ...]
    noticed: float
    rows: int
    units: str
    seeds: int
    samples: int

    def chart(self) -> Any:
        """The difference with its 95% interval and each seed, as an Altair chart; ``reports.save_chart`` writes it."""
        return import_module("kernelgap.reports.audit.comparison_chart").comparison_chart(self)

    def as_record(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        record = asdict(self)
        for name in ("first_score", "second_score", "constant_score", "difference"):
            record[name] = {end: finite_or_none(value) for end, value in record[name].items()}
        return record

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"- {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        return str(import_module("kernelgap.reports.audit.comparison_chart").comparison_html(self))


def compare(
    first: Any,
    second: Any,
    X: Any = None,
    y: Any = None,
    *,
    metric: str | Callable[[np.ndarray, np.ndarray], float] | None = None,
    groups: Any = None,
    seeds: int = 5,
    seed: int = 0,
    task: Task | None = None,
    names: tuple[str, str] | None = None,
) -> ModelComparison:
    """Compare two models on the same rows, by the verdict of the audit.

    A fifth of the rows is put aside to test on. With each seed both learn from the others but for a fifth, which is
    for validation: another fifth with each of five seeds. Nothing is tuned: put a search into the estimator.

    Parameters
    ----------
    first, second
        scikit-learn estimators, which are cloned; or predictions for the rows of ``y``: numbers or labels (n,), or for
        classes scores with a column for each class in sorted order.
    X, y
        Inputs, any table that the estimators take, and targets; with predictions ``y`` alone.
    metric
        "rmse" (default for numbers), "mae", "accuracy" (default for classes), "balanced_accuracy", "f1", "log_loss",
        "auc", or a function of the truth and the predictions, of which less is better.
    groups
        A label for each row. Rows with one label are never on both sides of a split, and are drawn anew together.
    seeds
        How often both learn, with other validation rows and ``random_state``.
    seed
        Of the splits and of resampling.
    task
        "regression" or "classification"; by default as the estimators or the targets are.
    names
        What to call the two; by default their classes' names.

    Returns
    -------
    A ``ModelComparison``: ``sentence``, ``outcome`` and ``reasons``, scores with intervals, ``chart()``. Notebooks show
    it.

    Raises
    ------
    InputError
        If the two cannot be compared; it says why.

    Examples
    --------
    >>> import numpy as np
    >>> import kernelgap as kg
    >>> truth = np.sqrt(np.arange(200.0))
    >>> found = kg.compare(truth + 0.1, truth[::-1], y=truth, names=("near", "far"))
    >>> found.outcome
    'first ahead'
    """
    if y is None:
        raise InputError("compare takes y, the true values of the rows.")
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise InputError(f"seeds is a whole number from 1 to {MOST_SEEDS}, not {seeds!r}.")
    estimators = [hasattr(one, "fit") and hasattr(one, "predict") for one in (first, second)]
    if any(estimators) != all(estimators):
        raise InputError("One of the two is an estimator and the other is not: give two of a kind.")
    decided = task or _task(first if all(estimators) else None, np.asarray(y))
    truth, classes = _truth(y, decided)
    asked, named = get_metric(metric, decided), _names(first, second, names, all(estimators))
    numbers = None if groups is None else _groups(groups, len(truth))
    if all(estimators):
        if X is None:
            raise InputError("Estimators learn from X and y: give both.")
        predictions = learned_losses((first, second), X, truth, classes, asked, numbers, seeds=seeds, seed=seed)
    else:
        predictions = given_losses((first, second), truth, classes, asked, numbers)
    return _judged(predictions, asked, named, seed=seed, grouped=numbers is not None)


def _judged(made: PairLosses, metric: Metric, names: tuple[str, str], *, seed: int, grouped: bool) -> ModelComparison:
    seeds, units = tuple(range(len(made.losses[0]))), "test groups" if grouped else "test rows"
    first = Entry(names[0], "network", made.samples, seeds, made.validation[0], made.losses[0])
    second = Entry(names[1], "kernel", made.samples, seeds, made.validation[1], made.losses[1])
    results = Results((first, second), made.constant, units=units)
    paired = paired_errors(results, Bootstrap(results, seed=seed), (second, first))
    lead = Lead(paired, {}, fixed=made.fixed)
    against = lead.against()
    outcome: Side = "undecided" if against else "first ahead" if lead.sign > 0 else "second ahead"
    scores = [
        _score(metric, error.interval()) for error in (paired.network_error, paired.kernel_error, paired.constant)
    ]
    return ModelComparison(
        first=names[0],
        second=names[1],
        metric=metric.title,
        outcome=outcome,
        sentence=_sentence(lead, metric, made, names, decided=not against),
        reasons=tuple(against or lead.reasons()),
        first_score=scores[0],
        second_score=scores[1],
        constant_score=scores[2],
        difference=paired.difference.interval(),
        by_seed=() if made.fixed else paired.difference.by_seed,
        noticed=lead.threshold,
        rows=made.rows,
        units=units,
        seeds=0 if made.fixed else len(seeds),
        samples=made.samples,
    )


def _sentence(lead: Lead, metric: Metric, made: PairLosses, names: tuple[str, str], *, decided: bool) -> str:
    paired: PairedErrors = lead.paired
    sides = dict(zip(names, (paired.network_error.value, paired.kernel_error.value), strict=True))
    errors = f"{metric.title} {metric.text(sides[lead.name])} against {metric.text(sides[lead.other])}"
    how = f"on {made.rows:,} test rows"
    if not made.fixed:
        how += f", with {made.samples:,} rows to learn from and {len(paired.seeds)} seeds"
    if decided:
        return f"{lead.name} is ahead of {lead.other}: {errors}, {how}."
    return f"Undecided between {lead.name} and {lead.other}: {errors}, {how}."


def _score(metric: Metric, loss: Interval) -> Interval:
    """The interval in the metric's own numbers."""
    low = max(0.0, loss.low) if metric.shown is np.sqrt else loss.low
    ends = sorted(float(metric.shown(end)) for end in (low, loss.high))
    return Interval(float(metric.shown(loss.value)), *ends)


def _task(model: Any, y: np.ndarray) -> Task:
    if model is not None:
        return "classification" if is_classifier(model) else "regression"
    if y.dtype.kind in "OUSb":
        return "classification"
    return task_of_numbers(y.astype(float)) if y.ndim == 1 else "regression"


def _truth(y: Any, task: Task) -> tuple[np.ndarray, np.ndarray | None]:
    """Numbers; or places of classes, and the classes in sorted order."""
    given = np.asarray(y)
    if not len(given.shape) or not len(given):
        raise InputError("y has no rows.")
    if task == "classification":
        labels = np.array([str(one) for one in given.ravel()]) if given.dtype.kind == "O" else given.ravel()
        classes, truth = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise InputError("All rows have one class: there is nothing to compare.")
        return truth, classes
    try:
        numbers = given.astype(float)
    except (TypeError, ValueError):
        raise InputError("The targets are no numbers: for classes ask for task='classification'.") from None
    if not np.isfinite(numbers).all():
        raise InputError("Some targets are missing or infinite: leave those rows out.")
    return numbers, None


def _groups(groups: Any, rows: int) -> np.ndarray:
    given = np.asarray(groups)
    if given.shape != (rows,):
        raise InputError(f"groups has the shape {given.shape}, it takes a label for each of the {rows} rows.")
    return np.unique(np.array([str(one) for one in given]), return_inverse=True)[1]


def _names(first: Any, second: Any, names: Sequence[str] | None, estimators: bool) -> tuple[str, str]:
    if names is not None:
        one, two = (str(name) for name in names)
    else:
        one, two = (type(first).__name__, type(second).__name__) if estimators else ("first", "second")
    return (one, two) if one != two else (f"{one} (first)", f"{two} (second)")
