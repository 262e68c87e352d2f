"""Regression on quadratic forms z' M z with a penalty on the nuclear norm of M: convex, and no ridge regression.

  minimise over symmetric M: (1/2n) sum_i (z_i' M z_i - y_i)^2 + penalty |M|_*

by accelerated proximal gradient steps; the proximal map shrinks the eigenvalues of M. |M|_* is the least tr P + tr Q
over positive semi-definite P, Q with P - Q = M, so this is the program over pairs of such matrices, too.
"""

import numpy as np
from jaxtyping import Float

from kernelgap.errors import InputError
from kernelgap.kernels.check import check_count
from kernelgap.regression.ridge import check_ridges, check_targets
from kernelgap.rows import check_rows

Symmetric = Float[np.ndarray, "p p"]


def nuclear_norm_path(
    Z: object, y: object, penalties: object = None, *, steps: int = 200
) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r p p"]]:
    """The solutions for a path of penalties, from strong to weak, each start the last solution.

    Parameters
    ----------
    Z, y
        Inputs (n, p) and one target (n,) or (n, 1).
    penalties
        By default ten, from half of the smallest with M = 0 down to a thousandth of it.
    steps
        Of each penalty.

    Returns
    -------
    penalties, M
        The penalties in the order used, and a symmetric matrix for each.

    Raises
    ------
    InputError
        If inputs, targets or penalties are not numbers that belong together.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.choice((-1.0, 1.0), size=(60, 6))
    >>> penalties, M = nuclear_norm_path(Z, Z[:, 0] * Z[:, 1])  # M = (e_0 e_1' + e_1 e_0') / 2
    >>> float(M[-1][0, 1].round(2))
    0.5
    """
    Z = check_rows(Z)
    check_count(steps, "The number of steps")
    targets = check_targets(y[:, None] if isinstance(y, np.ndarray) and y.ndim == 1 else y, len(Z))
    if targets.shape[1] != 1:
        raise InputError(f"A quadratic form has one output, not {targets.shape[1]}: fit each on its own.")
    target = targets[:, 0]
    largest = float(np.linalg.norm(_adjoint(Z, target), 2))
    if penalties is None and largest == 0:
        raise InputError("y is orthogonal to every quadratic form: a path has no scale. Give penalties.")
    chosen = np.geomspace(0.5, 1e-3, 10) * largest if penalties is None else np.sort(check_ridges(penalties))[::-1]
    smoothness = _smoothness(Z)
    M = np.zeros((Z.shape[1], Z.shape[1]))
    path = []
    for penalty in chosen.tolist():
        M = _descend(Z, target, M, penalty, smoothness, steps)
        path.append(M)
    return chosen, np.array(path)


def quadratic_forms(Z: Float[np.ndarray, "n p"], M: Float[np.ndarray, "r p p"]) -> Float[np.ndarray, "r n"]:
    """z' M z for each row of Z and each M."""
    return np.stack([np.sum((Z @ each) * Z, axis=1) for each in M])


def _descend(
    Z: Float[np.ndarray, "n p"],
    y: Float[np.ndarray, " n"],
    M: Symmetric,
    penalty: float,
    smoothness: float,
    steps: int,
) -> Symmetric:
    ahead, momentum = M, 1.0
    for _ in range(steps):
        gradient = _adjoint(Z, np.sum((Z @ ahead) * Z, axis=1) - y)
        new = _shrunk(ahead - gradient / smoothness, penalty / smoothness)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - M)
        M, momentum = new, float(following)
    return M


def _adjoint(Z: Float[np.ndarray, "n p"], r: Float[np.ndarray, " n"]) -> Symmetric:
    """(1/n) sum_i r_i z_i z_i'."""
    return (Z * r[:, None]).T @ Z / len(Z)


def _shrunk(M: Symmetric, by: float) -> Symmetric:
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    values = np.sign(values) * np.maximum(np.abs(values) - by, 0.0)
    return np.asarray((vectors * values) @ vectors.T)


def _smoothness(Z: Float[np.ndarray, "n p"], rounds: int = 50) -> float:
    """The largest eigenvalue of M -> (1/n) sum_i (z_i' M z_i) z_i z_i', by powers, with a fifth on top."""
    M = _adjoint(Z, np.ones(len(Z)))
    norm = 0.0
    for _ in range(rounds):
        M = M / np.linalg.norm(M)
        M = _adjoint(Z, np.sum((Z @ M) * Z, axis=1))
        norm = float(np.linalg.norm(M))
    return 1.2 * norm
