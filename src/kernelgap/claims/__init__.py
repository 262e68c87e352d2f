"""The executable paper: every statement of the source documents, measured."""

from kernelgap.claims.claim import SCALES, Claim, Numbers, Verdict, holds_if
from kernelgap.claims.picture import Line, Picture
from kernelgap.claims.registry import claims, get

__all__ = ["SCALES", "Claim", "Line", "Numbers", "Picture", "Verdict", "claims", "get", "holds_if"]
