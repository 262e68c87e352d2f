"""The paper, executable: its figures, its theory, its algorithms, its claims."""

from typing import TYPE_CHECKING

from kernelgap.lazy import lazily

if TYPE_CHECKING:
    from kernelgap.paper import algorithms, claims, figures, theory

__all__ = ["algorithms", "claims", "figures", "theory"]

__getattr__ = lazily(__name__, dict.fromkeys(__all__))
