"""YAML and TOML files for ``kernelgap run``; nothing is trained."""

import copy
from random import Random
from typing import Any

import yaml

from fuzz import mutate, values
from fuzz.case import Case, Place
from fuzz.command import call
from fuzz.targets.texts import kernel_text, network_text, problem_text

BASE: dict[str, Any] = {
    "title": "mine",
    "problem": "hard(d=6, k=2, alpha=0.3)",
    "samples": 20,
    "scales": {
        "quick": {
            "expected_time": "seconds",
            "seeds": 1,
            "schedule": {"epochs": 8, "batch": 10},
            "validation_samples": 50,
            "test_samples": 50,
            "grids": [
                {"network": "3resnet", "mode": "all", "widths": [4, 5], "rates": [0.01], "decays": [0.0]},
                {"network": "2layer", "mode": "ntk", "widths": [4], "ridges": [0.01, 1.0]},
                {"kernels": ["ck2", "gaussian(factor=0.5)"], "ridges": [0.01, 1.0]},
            ],
        }
    },
}
STRANGE = (
    "a: &a [x, x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join('*' + chr(97 + i) for _ in range(9))}]\n" for i in range(9)),
    "a: &a [*a]\n",
    "&a a: *a\n",
    "? [1, 2]\n: 3\n",
    "{a: b}: c\n",
    "!!python/object/apply:os.system ['true']\n",
    "!!set {a, b}\n",
    "problem: !!binary aGVsbG8=\n",
    "samples: 0o17\nproblem: sec8\n",
    "samples: 2001-01-01\n",
    "samples: 2001-99-99\n",
    "samples: 1:99:99\n",
    "<<: {problem: sec8}\n<<: 3\n",
    "--- a\n--- b\n",
    "%YAML 9.9\n---\na: b\n",
    "[" * 5000,
    "{a: " * 5000,
    "- " * 20000,
    "a = 1\n[a]\nb = 2\n",
    "a.b.c.d = 1\n" * 2,
    "x = " + "[" * 3000,
    "x = {" + "a={" * 3000,
    "\ufeffproblem: sec8\n",
    "problem: sec8\nproblem: slides\n",
    "samples: " + "9" * 5000 + "\n",
    "samples = " + "9" * 5000 + "\n",
)


def make(rng: Random, place: Place) -> Case:
    ending = rng.choice((".yaml", ".yaml", ".yml", ".toml", ".YAML"))
    content = _content(rng, ending)
    path = place.folder / f"mine{ending}"
    path.write_bytes(content)
    more = rng.choice(([],) * 8 + (["--json"], ["--scale", "paper"], ["--seed", values.literal(rng)]))
    more = [argument.replace("\0", "") for argument in more]
    return Case(f"{path.name} {more} {content[:3000]!r}", lambda: call(["run", path.name, "--workers", "1", *more]))


def _content(rng: Random, ending: str) -> bytes:
    draw = rng.random()
    if draw < 0.1:
        return rng.choice(STRANGE).encode()
    tree = copy.deepcopy(BASE)
    grids = tree["scales"]["quick"]["grids"]
    if rng.random() < 0.15:
        tree["problem"] = problem_text(rng)
    if rng.random() < 0.15:
        grids[rng.randrange(2)]["network"] = network_text(rng)
    if rng.random() < 0.15:
        grids[2]["kernels"].append(kernel_text(rng))
    if draw < 0.8:
        tree = mutate.json_value(tree, rng)
    text = _toml(tree) if ending == ".toml" else yaml.safe_dump(tree, sort_keys=False, allow_unicode=rng.random() < 0.5)
    if draw > 0.9:
        return mutate.octets(text.encode("utf-8", "surrogateescape"), rng)
    if draw > 0.8:
        text = mutate.lines(text, rng)
    return text.encode("utf-8", "surrogatepass")


def _toml(value: Any) -> str:
    """Inline tables, which hold anything; what TOML has no word for is left wrong."""
    if isinstance(value, dict):
        return "\n".join(f"{_word(str(k))} = {_word(v)}" for k, v in value.items())
    return f"x = {_word(value)}"


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_word(str(k))} = {_word(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_word, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    import json

    return json.dumps(str(value))
