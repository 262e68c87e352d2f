"""Forged certificates: false statements, each part of the file consistent with the others and the seal right.

Every forger takes a copy of an honest ``Draft``, changes it, and returns it; ``FORGERS`` names them all. Those that
change risks recompute every number that follows from them, so that only the false statement itself is false.
"""

import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from kernelgap import problems
from kernelgap.certificates.exact.cube import cube_of
from support.certificates.format3 import Draft, add_claims, add_floor, floor_witness, limits_of, risk_of

Forger = Callable[[Draft, np.random.Generator], Draft]
FORGERS: dict[str, Forger] = {}


def forger(make: Forger) -> Forger:
    FORGERS[make.__name__.replace("_", " ")] = make
    return make


def forge(name: str, draft: Draft, seed: int = 0) -> Draft:
    return FORGERS[name](draft.copy(), np.random.default_rng(seed))


def some(rng: np.random.Generator, count: int) -> int:
    return int(rng.integers(count))


# risks


@forger
def better_risk(draft: Draft, rng: np.random.Generator) -> Draft:
    network = draft.claim["networks"][some(rng, len(draft.claim["networks"]))]
    network["risk"] = str(Fraction(network["risk"]) * Fraction(int(rng.integers(1, 1000)), 1000))
    return add_claims(draft)


@forger
def risk_better_by_one_unit(draft: Draft, rng: np.random.Generator) -> Draft:
    """The least difference that exact risks can have."""
    network = draft.claim["networks"][some(rng, len(draft.claim["networks"]))]
    risk = Fraction(network["risk"])
    network["risk"] = str(risk - Fraction(1, risk.denominator))
    return add_claims(draft)


@forger
def worse_risk(draft: Draft, rng: np.random.Generator) -> Draft:
    network = draft.claim["networks"][0]
    network["risk"] = str(Fraction(network["risk"]) + Fraction(1, 2**40))
    return add_claims(draft)


@forger
def mean_of_the_best_network_alone(draft: Draft, rng: np.random.Generator) -> Draft:
    claim = draft.claim
    best = min(Fraction(network["risk"]) for network in claim["networks"]) * Fraction(9, 10)
    true = [network["risk"] for network in claim["networks"]]
    for network in claim["networks"]:
        network["risk"] = str(best)
    add_claims(draft)
    for network, risk in zip(claim["networks"], true, strict=True):
        network["risk"] = risk
    return draft


@forger
def a_lucky_seed_sold_as_a_mean(draft: Draft, rng: np.random.Generator) -> Draft:
    """One network, five times, as if it were five starts."""
    claim = draft.claim
    claim["networks"] = [{**claim["networks"][0], "start": i} for i in range(5)]
    own = {key: array for key, array in draft.weights.items() if key.startswith("0.")}
    draft.weights = {f"{i}{key[1:]}": array for i in range(5) for key, array in own.items()}
    draft.inputs = {f"{i}.signs": draft.inputs["0.signs"] for i in range(5)}
    keep = [floor["inputs"] == 0 for floor in claim["floors"]]
    claim["floors"] = [floor for floor, kept in zip(claim["floors"], keep, strict=True) if kept]
    draft.witnesses = [witness for witness, kept in zip(draft.witnesses, keep, strict=True) if kept]
    return add_claims(draft)


@forger
def one_start_twice(draft: Draft, rng: np.random.Generator) -> Draft:
    """The same seed and start for two networks, the inputs drawn from that seed."""
    first, second = draft.claim["networks"][:2]
    second |= {"seed": first["seed"], "start": first["start"]}
    draft.inputs["1.signs"] = draft.inputs["0.signs"]
    keep = [floor["inputs"] != 1 for floor in draft.claim["floors"]]
    draft.claim["floors"] = [f for f, kept in zip(draft.claim["floors"], keep, strict=True) if kept]
    draft.witnesses = [w for w, kept in zip(draft.witnesses, keep, strict=True) if kept]
    return draft


@forger
def a_copy_with_its_units_in_another_order(draft: Draft, rng: np.random.Generator) -> Draft:
    """The first network once more, as if it were the second start: the same function."""
    first, second = (rng.permutation(draft.claim["network"]["width"]) for _ in range(2))
    own = arrays_of(draft, 0)
    places = {"W": 0, "b1": 0, "A": 1, "C": 1} | ({} if "A" in own else {"V": 1})
    for order, axes in ((first, places), (second, {"V": 0, "b2": 0, "D": 1})):
        own |= {name: own[name].take(order, axis) for name, axis in axes.items() if name in own}
    return with_copy(draft, own)


@forger
def a_copy_without_its_zeros(draft: Draft, rng: np.random.Generator) -> Draft:
    """The first network without first biases: once with zeros for them, once with none."""
    claim = draft.claim
    draft.weights["0.b1"] = 0 * draft.weights["0.b1"]
    own = arrays_of(draft, 0)
    risk = risk_of(claim["network"]["name"], own, claim["network"]["bits"], claim["target"])
    claim["networks"][0]["risk"] = str(risk)
    return with_copy(draft, {name: array for name, array in own.items() if name != "b1"})


def arrays_of(draft: Draft, i: int) -> dict[str, np.ndarray]:
    return {key[2:]: array for key, array in draft.weights.items() if key.startswith(f"{i}.")}


def with_copy(draft: Draft, own: dict[str, np.ndarray]) -> Draft:
    """These arrays for the second network, with the risk of the first, whose function they are."""
    others = {key: array for key, array in draft.weights.items() if not key.startswith("1.")}
    draft.weights = others | {f"1.{name}": array for name, array in own.items()}
    draft.claim["networks"][1]["risk"] = draft.claim["networks"][0]["risk"]
    return add_claims(draft)


@forger
def swapped_networks(draft: Draft, rng: np.random.Generator) -> Draft:
    """The weights of two networks changed places; risks and inputs did not."""
    names = {key[2:] for key in draft.weights if key.startswith("0.")}
    for name in names:
        a, b = f"0.{name}", f"1.{name}"
        draft.weights[a], draft.weights[b] = draft.weights[b], draft.weights[a]
    return draft


@forger
def one_bias_changed(draft: Draft, rng: np.random.Generator) -> Draft:
    """The bias of one unit of the first layer: enough that the unit is not 0 everywhere."""
    width = draft.claim["network"]["width"]
    draft.weights["0.b1"] = draft.weights["0.b1"].copy()
    draft.weights["0.b1"][some(rng, width)] += 2 ** (draft.claim["network"]["bits"]["W"] + 1)
    return draft


@forger
def other_bits(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["network"]["bits"][["W", "A"][some(rng, 2)]] += 1
    return draft


@forger
def offset_added(draft: Draft, rng: np.random.Generator) -> Draft:
    name = "0.offset"
    draft.weights[name] = draft.weights[name] + 2 ** int(rng.integers(28, 40))
    return draft


@forger
def another_network(draft: Draft, rng: np.random.Generator) -> Draft:
    """All weights of a network negative: another function with the same shapes."""
    for key in draft.weights:
        if key.startswith("0."):
            draft.weights[key] = -draft.weights[key]
    return draft


# the limit of the mean


@forger
def limit_too_low(draft: Draft, rng: np.random.Generator) -> Draft:
    claim = draft.claim
    upper = Fraction(claim["mean"]["upper"])
    return with_upper(draft, upper - Fraction(int(rng.integers(1, 10**6)), 10**7))


@forger
def limit_at_the_mean(draft: Draft, rng: np.random.Generator) -> Draft:
    return with_upper(draft, Fraction(draft.claim["mean"]["risk"]))


@forger
def limit_below_the_mean(draft: Draft, rng: np.random.Generator) -> Draft:
    return with_upper(draft, Fraction(draft.claim["mean"]["risk"]) / 2)


def with_upper(draft: Draft, upper: Fraction) -> Draft:
    """Another limit, and the samples that follow from it."""
    from kernelgap.certificates.floors.bound import any_kernel
    from support.certificates.format3 import least_samples

    draft.claim["mean"]["upper"] = str(upper)
    problem = problems.get(draft.claim["problem"])
    for kind in ("scalar", "matrix"):
        bound = any_kernel(problem, draft.claim["samples"], kernel=kind)
        draft.claim["any_kernel"][kind]["samples_for_upper"] = least_samples(bound, upper)
    return draft


@forger
def more_confidence_for_the_same_limit(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["mean"]["confidence"] = "99/100"
    return draft


@forger
def certainty(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["mean"]["confidence"] = "1"
    return draft


@forger
def smaller_largest_loss(draft: Draft, rng: np.random.Generator) -> Draft:
    """The limit computed as if losses were at most half as large."""
    from support.certificates.format3 import upper_limit

    risks = [Fraction(network["risk"]) for network in draft.claim["networks"]]
    bound = (Fraction(draft.claim["mean"]["loss_bound"]) + max(risks)) / 2
    draft.claim["mean"]["loss_bound"] = str(bound)
    return with_upper(draft, upper_limit(risks, bound, Fraction(draft.claim["mean"]["confidence"])))


# the bound for any kernel


@forger
def larger_family(draft: Draft, rng: np.random.Generator) -> Draft:
    claim = draft.claim["any_kernel"]
    claim["family_size"] *= int(rng.integers(2, 9))
    return draft


@forger
def a_matrix_kernel_sold_as_scalar(draft: Draft, rng: np.random.Generator) -> Draft:
    claim = draft.claim["any_kernel"]
    claim["matrix"] = dict(claim["scalar"])
    return draft


@forger
def a_scalar_kernel_with_the_numbers_of_a_matrix_kernel(draft: Draft, rng: np.random.Generator) -> Draft:
    claim = draft.claim["any_kernel"]
    claim["scalar"], claim["matrix"] = claim["matrix"], claim["scalar"]
    return draft


@forger
def more_samples_needed(draft: Draft, rng: np.random.Generator) -> Draft:
    kind = ["scalar", "matrix"][some(rng, 2)]
    name = ["samples_for_mean", "samples_for_upper"][some(rng, 2)]
    draft.claim["any_kernel"][kind][name] += 1 + some(rng, 100)
    return draft


@forger
def higher_bound(draft: Draft, rng: np.random.Generator) -> Draft:
    kind = ["scalar", "matrix"][some(rng, 2)]
    risk = Fraction(draft.claim["any_kernel"][kind]["mean_risk"])
    draft.claim["any_kernel"][kind]["mean_risk"] = str(risk + Fraction(1, 10**6))
    return draft


@forger
def fewer_functions(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["any_kernel"]["matrix"]["functions"] = draft.claim["samples"]
    return draft


@forger
def higher_threshold(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["threshold"] = str(Fraction(draft.claim["threshold"]) * 2)
    return draft


# problem and target


@forger
def target_with_fewer_terms(draft: Draft, rng: np.random.Generator) -> Draft:
    """The base signal of an output left out."""
    draft.claim["target"]["base"][0] = None
    return draft


@forger
def another_hidden_set(draft: Draft, rng: np.random.Generator) -> Draft:
    target = draft.claim["target"]
    composite = target["composite"][0]
    free = [i for i in range(target["d1"]) if i not in composite["set"]]
    composite["set"] = sorted([*composite["set"][:-1], free[some(rng, len(free))]])
    return draft


@forger
def another_sign(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["target"]["composite"][0]["sign"] *= -1
    return draft


@forger
def a_stronger_signal(draft: Draft, rng: np.random.Generator) -> Draft:
    """In the target and all that follows, but not in the problem."""
    draft.claim["target"]["alpha"] = str(Fraction(draft.claim["target"]["alpha"]) + Fraction(1, 10))
    return draft


@forger
def clipped_elsewhere(draft: Draft, rng: np.random.Generator) -> Draft:
    """A largest loss as if outputs were clipped to 1."""
    target = draft.claim["target"]
    draft.claim["mean"]["loss_bound"] = str(Fraction(4 * len(limits_of(target))))
    return draft


@forger
def another_problem(draft: Draft, rng: np.random.Generator) -> Draft:
    """The text of a problem with another seed of its own."""
    own = draft.claim["problem"]
    while problems.get(draft.claim["problem"]).base_sets == problems.get(own).base_sets:
        draft.claim["problem"] = re.sub(r"seed=\d+", f"seed={rng.integers(1, 10**6)}", own)
    return draft


@forger
def another_scale(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["target"]["squared_scale"] = "1" if draft.claim["target"]["squared_scale"] != "1" else "1/2"
    return draft


# inputs


@forger
def other_inputs(draft: Draft, rng: np.random.Generator) -> Draft:
    """Those of another seed, with which the floors are proved anew."""
    problem = problems.get(draft.claim["problem"])
    cube = cube_of(problem)
    assert cube is not None
    X, _ = problem.sample(draft.claim["samples"], 10**6 + some(rng, 10**6))
    signs = cube.signs(X)
    assert signs is not None
    draft.inputs["0.signs"] = signs.astype(np.int8)
    floors, draft.claim["floors"], draft.witnesses = draft.claim["floors"], [], []
    for floor in floors:
        add_floor(draft, floor["kernel"], floor["inputs"])
    return draft


@forger
def one_sign_changed(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.inputs["0.signs"].flat[some(rng, draft.inputs["0.signs"].size)] *= -1
    return draft


@forger
def another_seed(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["networks"][0]["seed"] += 1 + some(rng, 1000)
    return draft


@forger
def swapped_inputs(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.inputs["0.signs"], draft.inputs["1.signs"] = draft.inputs["1.signs"], draft.inputs["0.signs"]
    return draft


@forger
def fewer_inputs(draft: Draft, rng: np.random.Generator) -> Draft:
    """The claim speaks of fewer samples than the floors are about."""
    draft.claim["samples"] -= 1
    draft.inputs = {key: array[:-1] for key, array in draft.inputs.items()}
    return add_claims(draft)


# floors


@forger
def higher_floor(draft: Draft, rng: np.random.Generator) -> Draft:
    floor = draft.claim["floors"][some(rng, len(draft.claim["floors"]))]
    move = float(10 ** rng.uniform(-8, -1))
    floor["low"] += move
    floor["high"] += move
    return draft


@forger
def a_floor_of_another_kernel(draft: Draft, rng: np.random.Generator) -> Draft:
    """Honest for laplace, but sold as a floor of the first kernel."""
    low, high, witness = floor_witness(draft.claim["target"], "laplace(bandwidth=0.5)", draft.inputs["0.signs"])
    floor = draft.claim["floors"][0]
    assert floor["inputs"] == 0
    floor |= {"low": low, "high": high}
    draft.witnesses[0] = witness
    return draft


@forger
def another_name_for_a_kernel(draft: Draft, rng: np.random.Generator) -> Draft:
    own = draft.claim["floors"][0]
    own["kernel"] = "ntk2" if own["kernel"] != "ntk2" else "ck2"
    return draft


@forger
def another_bandwidth(draft: Draft, rng: np.random.Generator) -> Draft:
    for floor in draft.claim["floors"]:
        if "bandwidth=" in floor["kernel"]:
            before, _, after = floor["kernel"].partition("bandwidth=")
            value = after.rstrip(")").split(",")[0]
            floor["kernel"] = before + "bandwidth=" + repr(float(value) * 1.001) + after[len(value) :]
    return draft


@forger
def floors_of_other_inputs(draft: Draft, rng: np.random.Generator) -> Draft:
    floor = draft.claim["floors"][0]
    floor["inputs"] = 1 - floor["inputs"]
    return draft


@forger
def sigma_too_large(draft: Draft, rng: np.random.Generator) -> Draft:
    top, bits = draft.witnesses[0]["sigma"]
    draft.witnesses[0]["sigma"] = [top * 2 ** int(rng.integers(6, 60)), bits]
    return draft


@forger
def weights_of_another_kernel(draft: Draft, rng: np.random.Generator) -> Draft:
    first, second = draft.witnesses[:2]
    first["weights"], first["weights_bits"] = second["weights"], second["weights_bits"]
    return draft


@forger
def a_factor_of_another_kernel(draft: Draft, rng: np.random.Generator) -> Draft:
    first, second = draft.witnesses[:2]
    first["factor"], first["factor_bits"] = second["factor"], second["factor_bits"]
    return draft


@forger
def swapped_witnesses(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.witnesses[0], draft.witnesses[1] = draft.witnesses[1], draft.witnesses[0]
    return draft


def with_entry(
    draft: Draft, rng: np.random.Generator, name: str, place: int, change: Callable[[int, int], int]
) -> Draft:
    """One row of the first witness with a changed number, of the number that was there and of its bits."""
    witness = draft.witnesses[0]
    rows = [row.split(" ") for row in witness[name]]
    row = rows[some(rng, len(rows))]
    row[place] = format(change(int(row[place], 16), witness[f"{name}_bits"]), "x")
    witness[name] = [" ".join(row) for row in rows]
    return draft


@forger
def one_number_of_the_weights_changed(draft: Draft, rng: np.random.Generator) -> Draft:
    return with_entry(draft, rng, "weights", 0, lambda value, bits: value + 2 ** (bits - 2))


@forger
def one_number_of_the_factor_changed(draft: Draft, rng: np.random.Generator) -> Draft:
    return with_entry(draft, rng, "factor", -1, lambda value, bits: 2 * value)


@forger
def a_very_wide_floor(draft: Draft, rng: np.random.Generator) -> Draft:
    draft.claim["floors"][0]["high"] += 1.0
    return draft
