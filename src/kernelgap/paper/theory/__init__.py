"""Complexity measures, Theorem 1's parameters, the construction of appendix E, and the proofs measured."""
