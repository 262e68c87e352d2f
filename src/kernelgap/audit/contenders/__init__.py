"""Who competes: each contender learns from the same rows, is judged by the same others, with the same number of fits.

A fit is one factorisation or one training. What comes with it at no cost is judged too: every ridge of a kernel's path,
every epoch at which a network may stop, every number of trees. The setting that is best on average over the seeds then
learns from each whole sample.
"""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.audit.contenders.registry import register
    from kernelgap.audit.contenders.view import Contender, Judged, View

__all__ = ["Contender", "Judged", "View", "register"]

__getattr__ = lazily(__name__, {"Contender": "view", "Judged": "view", "View": "view", "register": "registry"})
