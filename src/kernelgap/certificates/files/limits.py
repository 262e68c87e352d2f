"""What a certificate may name: sizes are bounded before anything is built, drawn or computed from them."""

import ast
import math

from kernelgap import kernels, networks, problems
from kernelgap.certificates.exact.every_point import MOST_DIMENSIONS
from kernelgap.errors import InputError
from kernelgap.kernels import Kernel
from kernelgap.machine import require_memory
from kernelgap.networks import Network
from kernelgap.problems import ParityProblem

MOST_TEXT = 300  # characters
MOST_SAMPLES = 20_000
MOST_SEED = 2**32
MOST_WIDTH = 100_000
MOST_FLOORS = 100
MOST_WHOLE = 64  # a whole number within the text of a problem or kernel, but for seeds
LEAST_NUMBER, MOST_NUMBER = 1e-6, 1e6  # other numbers, but for 0
MOST_WORK = 2**30 * 2 * 10**5  # points x weights: some hours
MOST_BALLS = 10**8  # floors x samples^2
BALL_BYTES = 200  # a ball of 192 bits in a matrix, and in the lists that it is made of


def bounded_problem(text: str) -> ParityProblem:
    """The problem of a certificate: parities on a cube all of whose points can be visited, in its canonical words."""
    _check_numbers("problem", text)
    problem = problems.get(text)
    if not isinstance(problem, ParityProblem) or problem.d > MOST_DIMENSIONS or not problem.alpha > 0:
        raise InputError(
            f"A certificate is about parities on a cube of at most {MOST_DIMENSIONS} dimensions, with alpha > 0: "
            f"not about '{text}'."
        )
    if problem.spec != text:
        raise InputError(f"A certificate writes its problem as '{problem.spec}', not as '{text}'.")
    return problem


def bounded_kernel(text: str, samples: int) -> Kernel:
    """A kernel of a certificate: a formula in <x,z> with no large numbers in it, in its canonical words."""
    _check_numbers("kernel", text)
    kernel = kernels.get(text)
    if not kernel.has_formula or not kernel.is_fitted:
        raise InputError(f"A certificate has floors of kernels given as a formula in <x,z>, not of '{text}'.")
    if kernel.spec != text:
        raise InputError(f"A certificate writes this kernel as '{kernel.spec}', not as '{text}'.")
    require_memory(BALL_BYTES * samples**2, f"A proof with {samples:,} samples", "Take a machine with more memory.")
    return kernel


def check_floors(floors: int, samples: int) -> None:
    """Refuse more proofs than a certificate may ask for."""
    if floors * samples**2 > MOST_BALLS:
        raise InputError(f"{floors} floors on {samples:,} samples are more than a certificate may ask to prove.")


def bounded_network(name: str, problem: ParityProblem, width: int, count: int = 1) -> Network:
    """The network of a certificate, if all points can be evaluated within hours, for so many sets of weights."""
    _check_numbers("network", name, names_only=True)
    network = networks.get(name)
    if network.name != name:
        raise InputError(f"A certificate writes this network as '{network.name}', not as '{name}'.")
    size = count * sum(math.prod(w.shape) for w in network.weights(problem.d, problem.outputs, width).values())
    if size * 2**problem.d > MOST_WORK:
        raise InputError(
            f"{size:,} weights at 2^{problem.d} points are more than a certificate may ask to evaluate: take a smaller "
            "network, or fewer dimensions."
        )
    return network


def _check_numbers(what: str, text: str, names_only: bool = False) -> None:
    """Refuse a text that is long or deep, or has a number that is out of bounds, before anything is made of it."""
    bad = InputError(f"'{text[:MOST_TEXT]}' is not a {what} that a certificate may name.")
    if len(text) > MOST_TEXT or text.count("(") > 20 or "--" in text or "++" in text or "**" in text or "//" in text:
        raise bad
    arguments = text.partition("(")
    source = f"f({arguments[2]}" if names_only and arguments[1] else ("0" if names_only else text)
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise bad from None
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    seeds = {id(keyword.value) for call in calls for keyword in call.keywords if keyword.arg == "seed"}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant):
            continue
        value = node.value
        if isinstance(value, bool) or value is None or isinstance(value, str):
            continue
        if isinstance(value, int):
            fits = value < MOST_SEED if id(node) in seeds else value <= MOST_WHOLE
        else:
            fits = isinstance(value, float) and (value == 0 or LEAST_NUMBER <= value <= MOST_NUMBER)
        if not fits:
            raise InputError(f"'{text}' has a number that is out of the bounds of a certificate.")
