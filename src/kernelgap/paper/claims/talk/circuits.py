"""slides

If |C(W,x) - y|^2 is convex in W for every y, then C is affine in W: for any other circuit labels y can be written down
that show it. So such circuits are linear regression over features, and Theorem 3's floor is under them."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Float

from kernelgap import networks, problems
from kernelgap.certificates import any_kernel
from kernelgap.paper.claims.claim import Claim, Numbers, Verdict
from kernelgap.paper.theory.convex_circuits import Circuit, best_risks, cube, witness
from kernelgap.training import get_model

D, K, ALPHA, WIDTH = 10, 4, 0.3, 4
AFFINE = (("2layer", "last"), ("3resnet", "last"), ("2layer", "ntk"), ("3resnet", "ntk"), ("2layer-gated", "hidden"))
OTHERS = (("2layer", "all"), ("2layer", "hidden"), ("3layer", "all"), ("3resnet", "all"), ("3resnet-gated", "hidden"))
TRIALS = {"quick": 50, "full": 1000}
ROUNDING = 100 * float(np.finfo(np.float32).eps)  # networks are evaluated in float32: sums of some tens of terms


def measure(scale: str, seed: int) -> Numbers:
    rng = np.random.default_rng(seed)
    rows = []
    for affine, circuits in ((True, AFFINE), (False, OTHERS)):
        for name, mode in circuits:
            circuit, start = circuit_of(name, mode, seed)
            rows.append({"circuit": f"{name}({mode})", "affine": affine, **_trials(circuit, start, rng, TRIALS[scale])})
    floors = [floor_row(name, mode, seed) for name, mode in AFFINE]
    return {"rows": rows, "floors": floors, "square": square(rng, TRIALS[scale])}


def circuit_of(name: str, mode: str, seed: int) -> tuple[Circuit, Float[np.ndarray, " D"]]:
    """C(W, x) of a network, of which a part is trained, and that part's start as one vector."""
    predict, start = _parts(name, mode, seed)
    compiled = jax.jit(predict)

    def circuit(W: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.asarray(compiled(jnp.asarray(W, jnp.float32), jnp.asarray(x[None], jnp.float32))[0], dtype=float)

    return circuit, np.asarray(start, dtype=float)


def _parts(name: str, mode: str, seed: int) -> tuple[Callable[..., jax.Array], jax.Array]:
    network = networks.get(name)
    model = get_model(network, mode)
    params = network.init(jax.random.key(seed), inputs=D, outputs=K, width=WIDTH)
    trained, frozen = model.split(params)
    start, unravel = ravel_pytree(dict(trained))

    def predict(W: jax.Array, x: jax.Array) -> jax.Array:
        return model.predict(unravel(W), frozen, model.prepare(frozen, x))

    return predict, start


def _trials(circuit: Circuit, start: np.ndarray, rng: np.random.Generator, trials: int) -> Numbers:
    """Pairs of weights around the start; gaps in units of the outputs, and how many pairs have a witness."""
    gaps, counted = [], 0
    for _ in range(trials):
        W1, W2 = (start + rng.standard_normal(start.shape) for _ in range(2))
        seen = witness(circuit, W1, W2, rng.choice((-1.0, 1.0), size=D) / np.sqrt(D))
        gaps.append(seen.relative_gap)
        counted += seen.relative_gap > ROUNDING and seen.excess > 0
    return {"trials": trials, "found": int(counted), "largest_gap": max(gaps), "least_gap": min(gaps)}


def floor_row(name: str, mode: str, seed: int) -> Numbers:
    """The best risk of an affine circuit over all its weights, averaged over every target, beside the floor."""
    predict, start = _parts(name, mode, seed)
    points = jnp.asarray(cube(D) / np.sqrt(D), jnp.float32)
    zero = jnp.zeros_like(start)
    constant = np.asarray(predict(zero, points), dtype=float)
    functions = np.asarray(jax.jacfwd(partial(predict, x=points))(zero), dtype=float)
    risks = best_risks(constant, functions, D, ALPHA)
    bound = any_kernel(problems.hard(d=D, k=K, alpha=ALPHA), start.size + 1)
    return {
        "circuit": f"{name}({mode})",
        "weights": int(start.size),
        "mean": float(risks.mean()),
        "floor": bound.mean_risk,
    }


def square(rng: np.random.Generator, trials: int) -> Numbers:
    """C = W^2: convex for every y <= 0 though not affine, so "every y" is needed; a witness has y > 0."""
    convex, positive = 0, 0
    for _ in range(trials):
        (a, b), y = rng.standard_normal(2), -rng.exponential()
        convex += (((a + b) / 2) ** 2 - y) ** 2 <= ((a**2 - y) ** 2 + (b**2 - y) ** 2) / 2 + 1e-12
        seen = witness(lambda W, x: W**2, np.array([a]), np.array([b]), np.zeros(1))
        positive += seen.excess > 0 and bool(seen.y[0] > 0)
    return {"trials": trials, "convex": int(convex), "witnesses": int(positive)}


def judge(numbers: Numbers) -> Verdict:
    rows, floors, of_square = numbers["rows"], numbers["floors"], numbers["square"]
    affine, others = ([row for row in rows if row["affine"] is kind] for kind in (True, False))
    missed = [row for row in others if row["found"] == 0]
    false = [row for row in affine if row["found"] > 0]
    nearest = min(floors, key=lambda row: row["mean"] / row["floor"])
    share = sum(row["found"] for row in others) / sum(row["trials"] for row in others)
    measured = (
        f"a witness in {share:.0%} of the trials for {len(others)} circuits that are not affine, in "
        f"{sum(row['found'] for row in affine)} of {sum(row['trials'] for row in affine)} for {len(affine)} that are"
    )
    if false:
        return Verdict("fails", measured, f"{false[0]['circuit']} is affine, and yet has a witness.")
    if missed:
        return Verdict("fails", measured, f"No labels were found for {missed[0]['circuit']}, which is not affine.")
    under = [row for row in floors if row["mean"] < row["floor"] * (1 - 1e-4)]
    if under:
        reason = f"{under[0]['circuit']} has a mean of {under[0]['mean']:.4g}, under the floor {under[0]['floor']:.4g}."
        return Verdict("fails", measured, reason)
    if of_square["convex"] < of_square["trials"] or of_square["witnesses"] < of_square["trials"]:
        return Verdict("fails", measured, "C = W^2 is not as it should be: convex for every y <= 0 alone.")
    times = nearest["mean"] / nearest["floor"]
    reason = (
        "An identity: a two-line proof, so this checks the code. The best weights of affine circuits, all outputs "
        f"sharing them, stay above the floor of as many features and one; nearest {times:.2f} times "
        f"({nearest['circuit']}, {nearest['weights']} weights). It needs every y: C = W^2 is convex for all y <= 0. Of "
        "one-point convex circuits, the talk's wider notion, it says nothing."
    )
    return Verdict("holds", measured, reason)


claim = Claim.of(__doc__, "talk.circuits", "C must be linear in W", measure, judge, seconds=7, identity=True)
