"""The test vectors for other checkers: python tests/certificates/vectors/make.py [FOLDER], from the clone's root.

The networks of sec8 and slides see few of the 30 coordinates, so that their exact risk is known without 2^30 points.
Writes valid/*.zip, invalid/*.zip and index.json, which has for every file whether its statements hold ("holds"), some
of them do not ("false"), or it is no certificate of format 3 ("refused"), and the reason. Nothing here uses a checker.
"""

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests: for support

from support.certificates.forgeries import FORGERS, forge
from support.certificates.format3 import PARTS, Draft, add_claims, as_json, make_draft, seal, tensors, with_largest_sum

TWO_LAYERS = {"W": 11, "A": 12, "V": 0, "out": 20}


def with_sums(largest: int) -> Draft:
    """A certificate whose largest sum of magnitudes, over the weights of a network, is this."""
    return with_largest_sum(make_draft("hard(d=5, k=2, alpha=0.5)", floors=("ck2",)), largest)


VALID: dict[str, Callable[[], Draft]] = {
    "hard-five-networks": lambda: make_draft("hard(d=6, k=3, alpha=0.3)", networks=5, floors=("ck2", "ntk2")),
    "hard-one-network": lambda: make_draft("hard(d=5, k=2, alpha=0.5, beta=0.7)", networks=1, floors=("recursive",)),
    "hard-uniform-background": lambda: make_draft(
        "hard(d=8, k=2, alpha=0.4, d1=5, seed=3)", network="2layer", bits=TWO_LAYERS, floors=("ntk3(bias=True)",)
    ),
    "hard-background-of-zeros": lambda: make_draft(
        "hard(d=9, k=3, alpha=0.3, d1=6, background='zero')", network="3resnet-full", floors=("arcsin(bias=True)",)
    ),
    "hard-repeated-inputs": lambda: make_draft(
        "hard(d=4, k=2, alpha=0.5)", network="3layer", samples=12, floors=("laplace(bandwidth=1.0)",)
    ),
    "parity": lambda: make_draft("parity(d=7, k=3)", networks=3, floors=("gaussian(bandwidth=1.0)", "ntk3")),
    "parity-of-one": lambda: make_draft(
        "parity(d=6, k=1)", network="2layer", bits=TWO_LAYERS, samples=4, floors=("linear", "polynomial(degree=2)")
    ),
    "kernels-without-bias": lambda: make_draft(
        "hard(d=7, k=3, alpha=0.3, seed=1)",
        networks=2,
        floors=("ck3", "ck(depth=4)", "ntk(depth=3)", "ntk3res", "ck3res", "recursive(depth=3)", "polynomial"),
    ),
    "kernels-with-bias": lambda: make_draft(
        "hard(d=7, k=3, alpha=0.3, seed=2)",
        networks=2,
        floors=(
            "ck2(bias=True)",
            "ck3(bias=True, hidden_bias=True)",
            "ntk3(bias=True, hidden_bias=True, train='hidden')",
            "ntk3res(bias=True, hidden_bias=True)",
            "recursive(bias=True)",
            "polynomial(bias=True, degree=2)",
        ),
    ),
    "narrow-and-wide-gaussians": lambda: make_draft(
        "hard(d=6, k=2, alpha=0.5, seed=4)",
        networks=2,
        floors=("gaussian(bandwidth=0.2)", "gaussian(bandwidth=5.0, factor=2.0)", "laplace(bandwidth=8.0)"),
    ),
    "large-weights": lambda: make_draft(
        "hard(d=5, k=3, alpha=0.3)", networks=2, bits={"W": 12, "A": 11, "V": 10, "out": 20}, scale=1.5
    ),
    "sec8": lambda: make_draft("sec8", networks=5, width=3, sees=6, floors=("ck2", "gaussian(bandwidth=6.0)")),
    "slides": lambda: make_draft(
        "slides(alpha=0.2)", network="2layer", bits=TWO_LAYERS, width=3, sees=8, floors=("ntk3(bias=True)",)
    ),
    "sums-just-below-2-to-the-53": lambda: with_sums(2**53 - 1),
    "alpha-with-many-digits": lambda: make_draft(
        "hard(alpha=0.123456789, beta=1.5, d=6, k=4, noise=0.25)", networks=4, floors=("ntk2(train='hidden')",)
    ),
}


def refused() -> dict[str, tuple[bytes, str]]:
    """What is no certificate, with the reason."""
    draft = make_draft("hard(d=5, k=2, alpha=0.5)", floors=("ck2",))
    own, content = draft.parts(), draft.sealed()
    text = own[PARTS[0]].decode()

    def claim(old: str, new: str) -> bytes:
        assert old in text
        return seal({**own, PARTS[0]: text.replace(old, new, 1).encode()})

    float_weights = {**draft.weights, "0.W": draft.weights["0.W"].astype(np.float32)}
    no_witness = {**own, PARTS[3]: as_json([])}
    large = make_draft("hard(alpha=12.0, beta=12.0, d=6, k=4)", floors=("ck2",))
    return {
        "a-byte-changed": (content[:999] + bytes([content[999] ^ 1]) + content[1000:], "the seal does not fit"),
        "a-byte-more": (content + b"\0", "a byte after the archive"),
        "cut-off": (content[:-30], "the end is missing"),
        "a-key-twice": (claim('"samples": 6', '"samples": 6,\n "samples": 6'), "a key occurs twice"),
        "an-unknown-key": (claim('"samples": 6', '"sample": 1,\n "samples": 6'), "a key that is unknown"),
        "a-float-for-a-whole-number": (claim('"samples": 6', '"samples": 6.0'), "samples is a float"),
        "true-for-one": (claim('"sign": 1', '"sign": true'), "a sign is a truth value"),
        "not-a-number": (claim('"rate": 0.1', '"rate": NaN'), "NaN is not JSON"),
        "not-in-lowest-terms": (claim('"threshold": "1/2"', '"threshold": "2/4"'), "2/4 is not in lowest terms"),
        "a-fraction-of-401-characters": (
            claim('"threshold": "1/2"', f'"threshold": "1/{10**398}"'),
            "a thousand risks as long as this would be multiplied for minutes",
        ),
        "floats-for-weights": (seal({**own, PARTS[1]: tensors(float_weights)}), "a float32 array of weights"),
        "no-witness": (seal(no_witness), "a floor without its witness"),
        "sums-of-2-to-the-53": (with_sums(2**53).sealed(), "a sum of magnitudes, over weights, is 2^53"),
        "outputs-that-are-too-large": (large.sealed(), "the squares of the outputs' limits are more than 2^51 units"),
        "another-version": (claim('"version": 3', '"version": 4'), "version 4"),
    }


MANY = {"certainty", "another sign", "worse risk", "a very wide floor", "fewer functions", "limit below the mean"}
MANY |= {"a factor of another kernel", "another name for a kernel", "swapped inputs", "offset added"}  # 50 are enough
MANY |= {"a copy without its zeros"}


def no_risk_at_all() -> Draft:
    """Of networks on 2^30 points, which a checker samples."""
    draft = VALID["sec8"]()
    for network in draft.claim["networks"]:
        network["risk"] = str(Fraction(1, 10**310))
    return add_claims(draft)


def main(folder: Path) -> None:
    index = {}
    for name in ("valid", "invalid"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, make in VALID.items():
        (folder / "valid" / f"{name}.zip").write_bytes(make().sealed())
        index[f"valid/{name}.zip"] = {"verdict": "holds", "reason": "every statement is true"}
    for name, (content, reason) in refused().items():
        (folder / "invalid" / f"{name}.zip").write_bytes(content)
        index[f"invalid/{name}.zip"] = {"verdict": "refused", "reason": reason}
    honest = make_draft("hard(d=6, k=3, alpha=0.3)", networks=2, floors=("ck2", "gaussian(bandwidth=1.0)"))
    (folder / "invalid" / "sec8-with-risks-that-no-float-holds.zip").write_bytes(no_risk_at_all().sealed())
    reason = "the risks are 10^-310, by which a float64 cannot be divided"
    index["invalid/sec8-with-risks-that-no-float-holds.zip"] = {"verdict": "false", "reason": reason}
    for name in (each for each in FORGERS if each not in MANY):
        lines = (FORGERS[name].__doc__ or "").splitlines()
        file = f"invalid/{name.replace(' ', '-')}.zip"
        (folder / file).write_bytes(forge(name, honest).sealed())
        verdict = "refused" if name == "fewer inputs" else "false"  # its witnesses have too many rows
        index[file] = {"verdict": verdict, "reason": ": ".join([name, *lines[:1]])}
    (folder / "index.json").write_text(json.dumps(index, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
