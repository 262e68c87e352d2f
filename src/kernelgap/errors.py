"""Mistakes that a user can mend: one sentence that says what is wrong and what to do."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """The input cannot be used as it is. The command line prints it and exits with 2."""


def unknown(kind: str, name: object, known: Iterable[str]) -> InputError:
    """An error that lists the known names and points at the nearest one."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name).lower(), names, n=1, cutoff=0.5)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return InputError(f"Unknown {kind} '{name}'.{hint} Known: {', '.join(names)}.")
