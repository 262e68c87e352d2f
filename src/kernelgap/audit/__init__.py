"""The same question on one's own table: is a neural network worth it over every kernel method?

    import kernelgap as kg
    audit = kg.audit("table.csv", target="price")      # the package itself is called: see ``audit`` below
    print(audit.sentence)                              # who is ahead, or that it is undecided

``read_audit`` reads a finished audit from its folder again, ``load_model`` the model that it chose.
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    import pandas as pd

    from kernelgap.audit.models import load_model
    from kernelgap.audit.reading import read_audit
    from kernelgap.audit.result import Audit

__all__ = ["Audit", "audit", "load_model", "read_audit"]

__getattr__ = lazily(__name__, {"Audit": "result", "load_model": "models", "read_audit": "reading"})


def __dir__() -> list[str]:
    return __all__


def audit(
    source: "str | Path | pd.DataFrame",
    target: str | Sequence[str] = (),
    out: str | Path | None = None,
    *,
    task: str | None = None,
    leave_out: Sequence[str] = (),
    keep: Sequence[str] = (),
    budget: str | float = "5m",
    rows: int | None = None,
    group: str | None = None,
    time: str | None = None,
    metric: str | Callable[..., float] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    workers: int | None = None,
    seed: int = 0,
    seeds: int | None = None,
    contenders: Sequence[Any] = (),
    on_progress: Callable[[float, str], None] | None = None,
) -> "Audit":
    """Ask of a table whether a neural network is worth it over every kernel method.

    Networks, kernels, kernels that learn features, boosted trees and a linear model learn from the same rows, are
    chosen by the same others with the same number of fits, and are compared on rows that none of them has seen.

    Parameters
    ----------
    source
        A file (.csv, .tsv, .txt, .parquet, .feather, .npz), a bundled set of scikit-learn ("diabetes", "wine",
        "sklearn:iris", ...) or a pandas data frame.
    target
        The column to predict, or several columns of numbers. Files that name their target themselves need none.
    out
        The folder of the results, by default ``runs/audit-NAME``. The same call goes on with what is stored there.
    task
        "regression" or "classification". By default, labels and few distinct whole numbers are classes.
    leave_out
        Columns that are not to be learned from, such as those known only after the target.
    keep
        Columns to learn from that would be left out: row numbers, keys, and columns that tell the target.
    budget
        How long it may take: seconds, or such as "90s", "5m", "1h30m". A longer one uses more rows and fits.
    rows
        The most rows to use, a uniform sample; by default as many as the memory holds.
    group
        A column that says which rows belong together: a group is never on both sides of a split.
    time
        A column of dates or numbers: the latest rows are the test, and later rows choose among models of earlier ones.
    metric
        What the contenders are chosen by and compared in: "mae", "accuracy", "balanced_accuracy", "f1", "log_loss",
        "auc", or a function of the truth and the predictions (or ``module:function``) of which less is better. By
        default the squared error.
    delimiter, header
        Of a text file; detected unless given.
    workers
        Processes; by default one a core.
    seed
        Of the splits, the starts and all else that is drawn.
    contenders
        Your own, beside those of the package: scikit-learn estimators, or texts ``module:Estimator``.
    seeds
        How many times everything is drawn anew; by default 2 to 5, as the budget allows. With fewer than 2 nobody is
        ahead.
    on_progress
        Takes the share done and a text; by default progress is shown on standard error.

    Returns
    -------
    An ``Audit``: ``sentence`` and ``verdict`` ("network ahead", "kernel ahead", "undecided"), ``answer`` with reasons,
    curves, the kernel gap and the worth of learned features, ``contenders`` (a table), ``notices``, ``load_model()``
    for predictions. The folder has the page, ``report.html``.

    Raises
    ------
    InputError
        If the table asks no question, or an option cannot be used; it says why.
    """
    from kernelgap import console
    from kernelgap.audit.run import run_audit

    began = monotonic()
    columns: Any = {"task": task, "leave_out": leave_out, "keep": keep}
    reading: Any = {"rows": rows, "delimiter": delimiter, "header": header, "group": group, "time": time}
    how: Any = {"budget": budget, "workers": workers, "seed": seed, "seeds": seeds, "metric": metric}
    more: Any = {"contenders": contenders, "on_progress": on_progress, "began": began}
    with nullcontext() if on_progress is None else console.silence():
        result = run_audit(source, target, out, **columns, **reading, **how, **more)
        result.report(until=began + result.budget)
    return result


class AuditPackage(ModuleType):
    """The type of this package: ``kernelgap.audit(...)`` can be called, and ``kernelgap.audit.tables`` is a module."""

    if TYPE_CHECKING:
        Audit = Audit
        audit = staticmethod(audit)
        load_model = staticmethod(load_model)
        read_audit = staticmethod(read_audit)

    __call__ = staticmethod(audit)


__signature__ = inspect.signature(audit)
sys.modules[__name__].__class__ = AuditPackage
