"""What the adaptive kernel and the baselines add to the verdict."""

from kernelgap.audit.statistics.answer import Verdict
from kernelgap.audit.statistics.bootstrap import Bootstrap, common_seeds
from kernelgap.audit.statistics.comparison import Contest
from kernelgap.audit.statistics.results import Entry, Results
from kernelgap.audit.statistics.verdict import NOTICED, clearly_less
from kernelgap.audit.statistics.wording import digits, percent

CALLED = {"ridge": "A linear model (ridge)", "trees": "Gradient-boosted trees"}
MATCHED = 0.9  # of the network's lead, made up by an adaptive kernel that is not clearly behind


def remarks(results: Results, bootstrap: Bootstrap, contest: Contest, verdict: Verdict) -> tuple[str, ...]:
    """Sentences for a person; none where there is nothing to add."""
    circle = _Circle(bootstrap, contest)
    found = []
    adaptive = results.best(["adaptive"], contest.samples)
    if adaptive is not None:
        found += _on_adaptive(circle, adaptive, contest, verdict)
    baselines = [e for e in results.entries if e.family == "baseline" and e.samples == contest.samples]
    better = [entry for entry in baselines if circle.beats_both(entry)]
    for entry in sorted(better, key=circle.error):
        found.append(
            f"{_called(entry)} {_do(entry)} better than both: error {digits(circle.error(entry))} against "
            f"{digits(circle.error(contest.network))} ({contest.network.contender}) and "
            f"{digits(circle.error(contest.kernel))} ({contest.kernel.contender})."
        )
    linear = next((entry for entry in baselines if entry.contender == "ridge"), None)
    rivals = [contest.kernel, contest.network, *(entry for entry in baselines if entry is not linear)]
    rivals += [] if adaptive is None else [adaptive]
    if linear is not None and linear not in better and circle.keeps_up(linear, rivals):
        found.append(
            f"A linear model (ridge) does as well as anything here: error {digits(circle.error(linear))}. "
            "Neither a kernel nor a network is needed."
        )
    return tuple(found)


class _Circle:
    """Pairs of entries, each on the seeds that both have."""

    def __init__(self, bootstrap: Bootstrap, contest: Contest) -> None:
        self.bootstrap, self.contest = bootstrap, contest
        self.constant = contest.constant.value

    def error(self, entry: Entry) -> float:
        return self.bootstrap.error(entry).value

    def less(self, better: Entry, worse: Entry) -> bool:
        seeds = common_seeds([better, worse])
        return clearly_less(self.bootstrap.error(better, seeds), self.bootstrap.error(worse, seeds), self.constant)

    def learns(self, entry: Entry) -> bool:
        """Whether it is clearly better than a constant."""
        return clearly_less(self.bootstrap.error(entry), self.bootstrap.constant, self.constant)

    def beats_both(self, entry: Entry) -> bool:
        return self.learns(entry) and self.less(entry, self.contest.kernel) and self.less(entry, self.contest.network)

    def keeps_up(self, entry: Entry, rivals: list[Entry]) -> bool:
        """Nobody is clearly better, nor better by enough to be noticed."""
        near = all(self.error(entry) - self.error(rival) < NOTICED * self.constant for rival in rivals)
        return self.learns(entry) and near and not any(self.less(rival, entry) for rival in rivals)


def _on_adaptive(circle: _Circle, adaptive: Entry, contest: Contest, verdict: Verdict) -> list[str]:
    kernel, network = contest.kernel, contest.network
    error, theirs = circle.error(adaptive), circle.error(network)
    errors = f"error {digits(error)} against {digits(theirs)}"
    if verdict.outcome != "network ahead":
        if not circle.beats_both(adaptive):
            return []
        return [
            f"A kernel that learns its features (adaptive) does better than both: error {digits(error)} against "
            f"{digits(theirs)} ({network.contender}) and {digits(circle.error(kernel))} ({kernel.contender})."
        ]
    share = (circle.error(kernel) - error) / (circle.error(kernel) - theirs)
    if circle.less(adaptive, network):
        return [
            f"A kernel that learns its features (adaptive) does better than the network, {errors}: learning features, "
            "not the network as such, makes the difference."
        ]
    if share >= MATCHED and not circle.less(network, adaptive):
        return [
            f"A kernel that learns its features (adaptive) does as well as the network, {errors}: learning features, "
            "not the network as such, makes the difference."
        ]
    if circle.less(adaptive, kernel):
        return [
            f"A kernel that learns its features (adaptive) makes up {percent(share)} of the network's lead, {errors}."
        ]
    return [
        f"A kernel that learns its features (adaptive) is no match for the network, {errors}: what the network gains "
        "is more than a kernel gains by learning features."
    ]


def _called(entry: Entry) -> str:
    return CALLED.get(entry.contender, entry.contender)


def _do(entry: Entry) -> str:
    return "do" if entry.contender == "trees" else "does"
