"""Tables of numbers as users give them: float64, finite, and named with their place where they are not."""

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError


def check_rows(X: object, name: str = "X") -> Float[np.ndarray, "n d"]:
    """Inputs as float64 rows; anything else, NaN and infinity included, is refused with its place."""
    rows = check_numbers(X, name)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(f"{name} must have two dimensions, samples x features, not the shape {rows.shape}.")
    check_finite(rows, name)
    return rows


def check_numbers(values: object, name: str) -> np.ndarray:
    """Real numbers as float64, in whatever shape."""
    if hasattr(values, "toarray"):
        raise InputError(f"{name} is sparse, and every entry is needed: pass {name}.toarray().")
    try:
        given = np.asarray(values)
        numbers = given if np.iscomplexobj(given) else np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a table of numbers.") from None
    if np.iscomplexobj(numbers):
        raise InputError(f"{name} is complex: pass real numbers, such as the real and imaginary parts as columns.")
    return numbers


def check_finite(values: np.ndarray, name: str) -> None:
    """Refuse NaN and infinity, naming the first place."""
    finite = np.isfinite(values)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        value = "NaN" if np.isnan(values[place]) else "infinity"
        where = f"row {place[0]}" + (f", column {place[1]}" if len(place) > 1 else "")
        raise InputError(f"{name} contains {value} in {where} (counted from 0): fill it in or leave that row out.")
