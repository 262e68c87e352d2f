"""Remarks on the verdict: how the adaptive kernel and the baselines compare with the best kernel and network."""

from kernelgap.audit.statistics.bootstrap import Bootstrap, common_seeds
from kernelgap.audit.statistics.comparison import PairedErrors
from kernelgap.audit.statistics.results import AuditVerdict, Entry, Results
from kernelgap.audit.statistics.verdict import NOTICED, clearly_less
from kernelgap.number_text import digits, percent

SUBJECTS = {
    "adaptive": "A kernel that learns its features (adaptive) does",
    "ridge": "A linear model (ridge) does",
    "trees": "Gradient-boosted trees do",
}
MATCHED = 0.9  # of the network's lead, made up by an adaptive kernel that is not clearly behind


def remarks(results: Results, bootstrap: Bootstrap, paired: PairedErrors, verdict: AuditVerdict) -> tuple[str, ...]:
    """A sentence each; none where there is nothing to add."""
    pairs = _Pairs(bootstrap, paired)
    sentences = []
    adaptive = results.best(["adaptive"], paired.samples)
    if adaptive is not None and verdict.outcome == "network ahead":
        sentences.append(_beside_leading_network(pairs, adaptive))
    elif adaptive is not None and pairs.beats_both(adaptive):
        sentences.append(pairs.better_than_both(adaptive))
    baselines = [e for e in results.entries if e.family == "baseline" and e.samples == paired.samples]
    better = [entry for entry in baselines if pairs.beats_both(entry)]
    sentences += [pairs.better_than_both(entry) for entry in sorted(better, key=pairs.error)]
    linear = next((entry for entry in baselines if entry.contender == "ridge"), None)
    rivals = [paired.kernel, paired.network, *(entry for entry in baselines if entry is not linear)]
    rivals += [] if adaptive is None else [adaptive]
    if linear is not None and linear not in better and pairs.keeps_up(linear, rivals):
        sentences.append(
            f"A linear model (ridge) does as well as anything here: error {digits(pairs.error(linear))}. "
            "Neither a kernel nor a network is needed."
        )
    return tuple(sentences)


class _Pairs:
    """Pairs of entries, each on the seeds that both have."""

    def __init__(self, bootstrap: Bootstrap, paired: PairedErrors) -> None:
        self.bootstrap, self.kernel, self.network = bootstrap, paired.kernel, paired.network
        self.constant = paired.constant.value

    def error(self, entry: Entry) -> float:
        return self.bootstrap.error(entry).value

    def less(self, better: Entry, worse: Entry) -> bool:
        seeds = common_seeds([better, worse])
        return clearly_less(self.bootstrap.error(better, seeds), self.bootstrap.error(worse, seeds), self.constant)

    def learns(self, entry: Entry) -> bool:
        """Whether it is clearly better than a constant."""
        return clearly_less(self.bootstrap.error(entry), self.bootstrap.constant, self.constant)

    def beats_both(self, entry: Entry) -> bool:
        return self.learns(entry) and self.less(entry, self.kernel) and self.less(entry, self.network)

    def better_than_both(self, entry: Entry) -> str:
        subject = SUBJECTS.get(entry.contender, f"{entry.contender} does")
        network, kernel = (f"{digits(self.error(e))} ({e.contender})" for e in (self.network, self.kernel))
        return f"{subject} better than both: error {digits(self.error(entry))} against {network} and {kernel}."

    def keeps_up(self, entry: Entry, rivals: list[Entry]) -> bool:
        """Whether none of the rivals is clearly and noticeably better."""
        near = all(self.error(entry) - self.error(rival) < NOTICED * self.constant for rival in rivals)
        return self.learns(entry) and near and not any(self.less(rival, entry) for rival in rivals)


def _beside_leading_network(pairs: _Pairs, adaptive: Entry) -> str:
    kernel, network = pairs.kernel, pairs.network
    error, theirs = pairs.error(adaptive), pairs.error(network)
    errors = f"error {digits(error)} against {digits(theirs)}"
    share = (pairs.error(kernel) - error) / (pairs.error(kernel) - theirs)
    credit = "learning features, not the network as such, makes the difference"
    if pairs.less(adaptive, network):
        return f"{SUBJECTS['adaptive']} better than the network, {errors}: {credit}."
    if share >= MATCHED and not pairs.less(network, adaptive):
        return f"{SUBJECTS['adaptive']} as well as the network, {errors}: {credit}."
    if pairs.less(adaptive, kernel):
        return (
            f"A kernel that learns its features (adaptive) makes up {percent(share)} of the network's lead, {errors}."
        )
    return (
        f"A kernel that learns its features (adaptive) is no match for the network, {errors}: what the network gains "
        "is more than a kernel gains by learning features."
    )
