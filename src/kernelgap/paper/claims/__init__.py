"""The executable paper: every statement of the source documents, measured."""

from kernelgap.paper.claims.claim import SCALES, Claim, Line, Numbers, Picture, Verdict, holds_if
from kernelgap.paper.claims.registry import claims, get, register

__all__ = ["SCALES", "Claim", "Line", "Numbers", "Picture", "Verdict", "claims", "get", "holds_if", "register"]
