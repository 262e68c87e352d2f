"""The contenders: each learns from the same rows, is judged on the same validation rows, with equally many fits.

A fit is one factorisation or one training. What comes with it at no cost is judged too: every ridge of a kernel's path,
every epoch at which a network may stop, every number of trees. The setting that is best on average over the seeds is
then fitted to each whole sample.
"""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.audit.contenders.registry import register
    from kernelgap.audit.contenders.view import Contender, SettingErrors, View

__all__ = ["Contender", "SettingErrors", "View", "register"]

_IN_VIEW = ("Contender", "Judged", "SettingErrors", "View")  # Judged is the name of SettingErrors up to 0.2
__getattr__ = lazily(__name__, {**dict.fromkeys(_IN_VIEW, "view"), "register": "registry"})
