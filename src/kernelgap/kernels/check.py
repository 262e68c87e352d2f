"""Checks of kernels' arguments."""

from numbers import Integral

from kernelgap.errors import InputError, unknown

PARTS = ("all", "hidden", "last")


def check_depth(depth: object, what: str = "depth") -> None:
    if isinstance(depth, bool) or not isinstance(depth, Integral) or depth < 1:
        raise InputError(f"{what} must be a whole number of at least 1, not {depth!r}.")


def check_part(train: object) -> None:
    """Which layers' parameters the tangent kernel is over."""
    if train not in PARTS:
        raise unknown("part of a network", train, PARTS)
