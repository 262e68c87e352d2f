"""sec. 8.1

Each network trains as a whole, in its hidden layers only, in its last layer only, which is ridge regression over its
frozen features (the conjugate kernel), or linearised at its start, which is ridge regression with its tangent
kernel."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kernelgap import networks, problems
from kernelgap.networks import Network
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict
from kernelgap.training import Schedule, get_model, train_grid

# Networks, width, samples, epochs of full-batch descent
SIZES: dict[str, tuple[tuple[str, ...], int, int, int]] = {
    "quick": (("3resnet",), 12, 30, 600),
    "full": (("2layer", "3layer", "3resnet"), 40, 100, 3000),
}
DECAY = 0.2
CLOSE = 1e-4  # float32 descent to the minimum, relative to the outputs


def measure(scale: str, seed: int) -> Numbers:
    names, width, n, epochs = SIZES[scale]
    problem = problems.hard(d=8, k=2, alpha=0.3, seed=seed)
    X, Y = problem.sample(n, [seed, 0])
    Z, _ = problem.sample(50, [seed, 2])
    rows = []
    for name in names:
        network = networks.get(name)
        params = network.init(jax.random.key(seed), inputs=8, outputs=2, width=width)
        row: Numbers = {"network": name}
        for mode in ("all", "hidden", "last", "ntk"):
            schedule = Schedule(epochs=epochs if mode in ("last", "ntk") else 5, batch=n, drop_at=1.0)
            model = get_model(network, mode)
            grid = train_grid(model, params, [0.05], [DECAY], (X, Y), schedule=schedule, seed=[seed, 3], epochs=[])
            trained = {w: grid.trained[w][0] for w in grid.trained}
            if mode in ("all", "hidden"):
                row[mode] = sorted(w for w, v in params.items() if w in trained and np.any(trained[w] != np.asarray(v)))
            else:
                expected = (last if mode == "last" else tangent)(network, params, X, Y, Z)
                row[mode] = float(np.abs(grid.predictor(0)(Z) - expected).max() / np.abs(expected).max())
        row["hidden weights"] = sorted(w for w, of in network.layers.items() if of != "output")
        row["weights"] = sorted(params)
        rows.append(row)
    return {"rows": rows}


def last(network: Network, params: Any, X: np.ndarray, Y: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Ridge regression over the frozen features, in float64: min |Y - h A'|^2 / 2n + decay |A|^2 / 2."""
    h, z = (np.asarray(network.features(params, jnp.asarray(x, jnp.float32)), float) for x in (X, Z))
    A = np.linalg.solve(h.T @ h / len(h) + DECAY * np.eye(h.shape[1]), h.T @ Y / len(h))
    return np.asarray(z @ A)


def tangent(network: Network, params: Any, X: np.ndarray, Y: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """out_0(z) + J_z J' (J J' + n decay I)^-1 (Y - out_0), J the Jacobian at the start by automatic differentiation."""

    def jacobian(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = jnp.asarray(x, jnp.float32)
        parts = jax.tree.leaves(jax.jit(jax.jacobian(lambda w: network.apply(w, rows).ravel()))(dict(params)))
        flat = np.concatenate([np.asarray(p, float).reshape(p.shape[0], -1) for p in parts], axis=1)
        return flat, np.asarray(network.apply(params, rows), float)

    J, start = jacobian(X)
    Jz, at_z = jacobian(Z)
    weights = np.linalg.solve(J @ J.T + len(X) * DECAY * np.eye(len(J)), (Y - start).ravel())
    return np.asarray(at_z + (Jz @ J.T @ weights).reshape(at_z.shape))


def judge(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    far = {mode: max(row[mode] for row in rows) for mode in ("last", "ntk")}
    measured = (
        f"(last) {far['last']:.1e} from ridge regression over features, (NTK) {far['ntk']:.1e} from the Jacobian's"
    )
    for row in rows:
        if row["all"] != row["weights"] or row["hidden"] != row["hidden weights"]:
            return Verdict("fails", measured, f"{row['network']}: (all) or (hidden) trains the wrong weights.")
    if max(far.values()) > CLOSE:
        return Verdict("fails", measured, "The minimum that training finds is not that of the kernel method.")
    reason = (
        f"Full-batch descent in float32 against a linear solve in float64, {', '.join(r['network'] for r in rows)}. "
        "(all) moves every weight, (hidden) all but A."
    )
    return Verdict("holds", measured, reason)


claim = Claim.of(__doc__, "net.modes", "the same minimum", measure, judge, seconds=12, identity=True)
