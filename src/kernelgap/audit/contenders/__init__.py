"""The contenders: each learns from the same rows, is judged on the same validation rows, with equally many fits.

A fit is one factorisation or one training. What comes with it at no cost is judged too: every ridge of a kernel's path,
every epoch at which a network may stop, every number of trees. The setting that is best on average over the seeds is
then fitted to each whole sample.
"""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.audit.contenders.registry import register
    from kernelgap.audit.contenders.view import Contender, Judged, View

__all__ = ["Contender", "Judged", "View", "register"]

__getattr__ = lazily(__name__, {"Contender": "view", "Judged": "view", "View": "view", "register": "registry"})
