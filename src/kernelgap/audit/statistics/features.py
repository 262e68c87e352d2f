"""The worth of the features that a network learns: its error against those of its own kernels at its start."""

import numpy as np

from kernelgap.audit.statistics.bootstrap import Bootstrap, Resampled, common_seeds, percentiles
from kernelgap.audit.statistics.comparison import PairedErrors
from kernelgap.audit.statistics.results import Entry, Features, Interval, Results
from kernelgap.audit.statistics.verdict import clearly_less
from kernelgap.number_text import digits, percent


def features(results: Results, bootstrap: Bootstrap, paired: PairedErrors, *, leads: bool) -> Features:
    """Compare a network with its own kernels; ``leads`` says whether the verdict is for the network."""
    network = paired.network
    last, ntk = (_frozen_kernel(results, network, mode) for mode in ("last", "ntk"))
    seeds = common_seeds(entry for entry in (paired.kernel, network, last, ntk) if entry is not None)
    if (last is None and ntk is None) or not seeds:
        sentence = f"What the features that {network.contender} learns are worth was not measured."
        return Features(network.contender, _error(paired.network_error), None, None, None, None, None, sentence)
    kernel, own = bootstrap.error(paired.kernel, seeds), bootstrap.error(network, seeds)
    frozen_last = None if last is None else bootstrap.error(last, seeds)
    frozen = None if ntk is None else bootstrap.error(ntk, seeds)
    learned = None if frozen is None else frozen - own
    share = None if learned is None or not leads else _share(learned, kernel - own)
    return Features(
        network=network.contender,
        error=_error(own),
        last=None if frozen_last is None else _error(frozen_last),
        ntk=None if frozen is None else _error(frozen),
        learned=None if learned is None else learned.interval(),
        architecture=None if frozen is None else (kernel - frozen).interval(),
        share=share,
        sentence=_sentence(paired, own, frozen_last, frozen, share, seeds),
    )


def _frozen_kernel(results: Results, network: Entry, mode: str) -> Entry | None:
    name = f"{network.contender}({mode})"
    return next((e for e in results.entries if (e.contender, e.samples) == (name, network.samples)), None)


def _error(error: Resampled) -> Interval:
    return error.interval(within=(0, np.inf))


def _share(learned: Resampled, lead: Resampled) -> Interval | None:
    if lead.value <= 0:
        return None
    stretch = max(learned.stretch(), lead.stretch())
    part, total = (side.value + stretch * (side.draws - side.value) for side in (learned, lead))
    shares = np.where(total > 0, part / np.where(total > 0, total, 1.0), np.copysign(np.inf, part))
    return percentiles(learned.value / lead.value, shares)


def _sentence(
    paired: PairedErrors,
    own: Resampled,
    last: Resampled | None,
    ntk: Resampled | None,
    share: Interval | None,
    seeds: tuple[int, ...],
) -> str:
    name, constant = paired.network.contender, paired.constant.value
    frozen_errors = [
        f"{digits(error.value)} {what}"
        for error, what in ((ntk, "by its tangent kernel"), (last, "by training its last layer alone"))
        if error is not None
    ]
    errors = f"Frozen at its start, {name} has error {' and '.join(frozen_errors)}; trained, it has {digits(own.value)}"
    if set(seeds) < set(paired.seeds):  # and so other errors than are stated elsewhere
        errors += f" (over {len(seeds)} of {len(paired.seeds)} seeds)"
    frozen = ntk if ntk is not None else last
    assert frozen is not None
    if share is not None and clearly_less(own, frozen, constant):
        kernel = paired.kernel.contender
        if share.value >= 1:
            return f"{errors}: the features that it learns are worth all of its lead over the best kernel ({kernel})."
        return (
            f"{errors}: the features that it learns are worth {percent(share.value)} of its lead over the best kernel "
            f"({kernel}), the architecture the rest."
        )
    if clearly_less(own, frozen, constant):
        return f"{errors}: the features that it learns help."
    if clearly_less(frozen, own, constant):
        return f"{errors}: on this table it does better without learning features."
    return f"{errors}: that learning features helps is not shown."
