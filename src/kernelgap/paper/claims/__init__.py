"""The executable paper: every statement of the source documents, measured."""

from kernelgap.paper.claims.claim import SCALES, Claim, Numbers, Verdict, holds_if
from kernelgap.paper.claims.picture import Line, Picture
from kernelgap.paper.claims.registry import claims, get, register

__all__ = ["SCALES", "Claim", "Line", "Numbers", "Picture", "Verdict", "claims", "get", "holds_if", "register"]
