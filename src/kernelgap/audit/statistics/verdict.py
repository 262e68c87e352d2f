"""The verdict: network ahead, kernel ahead or undecided, and why."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from scipy.stats import binomtest

from kernelgap.audit.statistics.bootstrap import Resampled
from kernelgap.audit.statistics.comparison import PairedErrors
from kernelgap.audit.statistics.results import AuditVerdict, Family, Outcome
from kernelgap.audit.statistics.wording import less
from kernelgap.number_text import digits, percent, points

LEVEL = 0.99
EASIER = 0.95  # for what has to hold beside it
ROWS = 20  # test rows that it takes to say anything
SEEDS = 2
NOTICED = 0.01  # of the constant's error: a smaller lead is none


def judge(paired: PairedErrors, untried: Mapping[str, Family] | None = None) -> AuditVerdict:
    """A side is ahead where nothing speaks against it; else it is undecided, and each reason is named.

    Ahead takes all of these: at least 20 test rows and 2 seeds; a paired 99% interval of the difference without 0, its
    length set by Student's quantile (see ``Resampled``: plain percentiles decide too often); the same sign with every
    seed, and on the validation rows; a lead of at least 1% of the constant's error; a leader that is better than the
    constant by as much (95%). For classes the leader must also be right more often, beyond chance (sign test over the
    test rows, 95%): outputs that are nearer to 0 and 1 do not change the class. And no contender of the other side is
    ``untried``, for lack of time.

    In simulations with 20 to 200 test rows (``tests/audit/statistics/test_verdict.py``), contenders that fit pure noise
    get a verdict less than once in 200 times: normal, heavy-tailed and skewed noise, and rare events.
    """
    lead = Lead(paired, untried or {})
    against = lead.against()
    if against:
        return AuditVerdict("undecided", lead.undecided(), tuple(against))
    outcome: Outcome = "network ahead" if lead.sign > 0 else "kernel ahead"
    return AuditVerdict(outcome, lead.sentence(), tuple(lead.reasons()))


def clearly_less(better: Resampled, worse: Resampled, constant: float) -> bool:
    """Whether an error is less beyond doubt, and by enough to be noticed."""
    difference = worse - better
    return (
        difference.value >= NOTICED * constant
        and difference.value > 0
        and difference.interval(LEVEL).low > 0
        and all(seed > 0 for seed in difference.by_seed)
    )


def _surely_above(by_row: Float[np.ndarray, " rows"]) -> bool:
    """Whether more rows speak for it than against it, beyond chance: the sign test, as few rows differ at all."""
    above, below = int(np.sum(by_row > 0)), int(np.sum(by_row < 0))
    return above > below and float(binomtest(above, above + below).pvalue) < 1 - EASIER


class Lead:
    """The side that has less error on the test rows, and what can be said of it."""

    def __init__(self, paired: PairedErrors, untried: Mapping[str, Family], *, fixed: bool = False) -> None:
        """``fixed`` are predictions that came without their training: nothing is known of seeds and validation rows."""
        self.paired, self.untried, self.fixed = paired, untried, fixed
        self.units = paired.units
        self.sign = 1 if paired.difference.value >= 0 else -1
        kernel = "kernel", paired.kernel.contender, paired.kernel_error
        network = "network", paired.network.contender, paired.network_error
        leader, other = (network, kernel) if self.sign > 0 else (kernel, network)
        self.kind, self.name, self.error = leader
        self.other_kind, self.other, self.other_error = other
        self.difference = self.other_error - self.error
        self.over_constant = paired.constant - self.error
        accuracy = paired.accuracy_difference
        self.accuracy = None if accuracy is None else self.sign * accuracy.value
        self.surely_right_more = accuracy is None or _surely_above(self.sign * accuracy.table.mean(axis=0))
        self.rows = self.error.table.shape[1]
        self.interval = self.difference.interval(LEVEL)
        self.threshold = NOTICED * paired.constant.value

    def against(self) -> list[str]:
        """A sentence for every condition that fails."""
        constant, seeds, sentences = self.paired.constant.value, self.paired.seeds, []
        if self.rows < ROWS:
            sentences.append(f"There are {self.rows} {self.units} only; fewer than {ROWS} cannot tell the two apart.")
        if len(seeds) < SEEDS and not self.fixed:
            few = "Only one seed was run" if seeds else "The two have no seed in common"
            unknown = "how much depends on which rows were learned from is not known"
            sentences.append(f"{few}: {unknown}; give --seeds 3 or more.")
        if left := [name for name, kind in self.untried.items() if kind == self.other_kind]:
            sentences.append(
                f"There was no time for all {self.other_kind}s with so many samples: {', '.join(left)} may do better "
                f"than {self.other}."
            )
        if not self.beats_constant():
            sentences.append(
                f"The better of the two ({self.name}, error {digits(self.error.value)}) is not clearly better than a "
                f"constant guess ({digits(constant)}): {self._span(self.over_constant, EASIER)}."
            )
        if self.interval.low <= 0:
            sentences.append(
                f"The difference of the errors, {digits(self.difference.value)} in favour of {self.name}, is within "
                f"what chance gives: {self._span(self.difference)}, which includes 0.{self._hint()}"
            )
        ahead = sum(seed > 0 for seed in self.difference.by_seed)
        if seeds and ahead < len(seeds) and not self.fixed:
            sentences.append(f"{self.name} has less error with {ahead} of {len(seeds)} seeds, not with all.")
        if seeds and self.sign * self.paired.validation_difference < 0:
            sentences.append(f"On the validation rows it is the other way round: there {self.other} has less error.")
        if self.difference.value < self.threshold or self.difference.value == 0:
            sentences.append(
                f"The difference, {digits(self.difference.value)}, is below {percent(NOTICED)} of a constant's error "
                f"({digits(constant)}): too small to matter."
            )
        if self.accuracy is not None and not self.surely_right_more:
            sentences.append(f"{self._accuracy()} The class that is predicted is what counts.")
        return sentences

    def _accuracy(self) -> str:
        """How the two compare in accuracy."""
        accuracy = self.accuracy or 0.0
        if accuracy == 0:
            return f"{self.name} and {self.other} are right equally often."
        if accuracy < 0:
            return f"The accuracy points the other way: {self.other} is right more often, by {points(accuracy)}."
        more = f"{self.name} is right more often, by {points(accuracy)}"
        return f"{more}." if self.surely_right_more else f"{more}, which is within what chance gives."

    def beats_constant(self) -> bool:
        over = self.over_constant
        return over.value > 0 and over.value >= self.threshold and over.interval(EASIER).low > 0

    def sentence(self) -> str:
        with np.errstate(divide="ignore"):
            ratio = float(np.float64(self.other_error.value) / self.error.value)
        much = "no error left, unlike" if np.isinf(ratio) else f"{less(ratio)} error than"
        errors = f"{digits(self.error.value)} against {digits(self.other_error.value)}"
        return (
            f"The {self.kind} is ahead: {self.name} has {much} {self.other}, the best {self.other_kind} by validation, "
            f"{errors}, with {self.paired.samples:,} samples."
        )

    def undecided(self) -> str:
        if not self.beats_constant():
            return (
                "Undecided: neither the best network nor the best kernel by validation is clearly better than a "
                f"constant guess, so there is nothing to be ahead in ({self.name} {digits(self.error.value)}, "
                f"{self.other} {digits(self.other_error.value)}, constant {digits(self.paired.constant.value)})."
            )
        result = "the two do equally well" if self.interval.high < self.threshold else "no clear winner"
        return (
            f"Undecided: {result} with {self.paired.samples:,} samples. By validation the best {self.kind} is "
            f"{self.name}, with test error {digits(self.error.value)}, and the best {self.other_kind} {self.other}, "
            f"with {digits(self.other_error.value)}."
        )

    def reasons(self) -> list[str]:
        sentences = [
            f"The difference of the errors is {digits(self.difference.value)}, beyond chance: "
            f"{self._span(self.difference)}, over {self.rows:,} {self.units}"
            + (f" and {len(self.paired.seeds)} seeds." if not self.fixed else "."),
            *([] if self.fixed else [f"{self.name} has less error with every seed, and on the validation rows."]),
            f"A constant guess has error {digits(self.paired.constant.value)}; {self.name} leaves "
            f"{percent(self.error.value / self.paired.constant.value)} of it.",
        ]
        return sentences if self.accuracy is None else [*sentences, self._accuracy()]

    def _span(self, difference: Resampled, level: float = LEVEL) -> str:
        interval = difference.interval(level)
        return f"{percent(level)} interval {digits(interval.low)} to {digits(interval.high)}"

    def _hint(self) -> str:
        """More seeds or more rows, whichever makes the interval long."""
        if (len(self.paired.seeds) < SEEDS and not self.fixed) or self.rows < ROWS:
            return ""
        few = not self.fixed and self.difference.spread[1] < 3 * len(self.paired.seeds)
        return " More seeds would tell more." if few else f" More {self.units} would tell more."
