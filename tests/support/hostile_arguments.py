"""Command lines that nobody means well: each has to end within seconds with exit code 2 and one sentence.

For the tests, and for whoever makes up more of them: ``COMMANDS`` are whole command lines, ``PROBLEMS``, ``KERNELS``
and ``NETWORKS`` are texts, ``EXPERIMENTS`` are contents of experiment files by their names.
"""

HUGE = "9" * 5000  # more digits than Python reads
HEX = "0x" + "f" * 5000  # which it reads, and does not write
LONG = "a" * 5000  # longer than a file's name can be
DEEP = 50_000

PATHS = [LONG, f"{LONG}/b", "a\0b", "/dev/null/a", "/proc/self/mem/a", "\udcff" * 300, "/nowhere/\0"]

PROBLEMS = [
    *(f"hard({inside})" for inside in ("d=10**9", "d=1e9, k=2, alpha=1", "d=1000000000, k=3, alpha=0.3", "k=2")),
    *(
        f"hard(d=6, k=2, alpha={alpha})"
        for alpha in ("1e160", "1e300", "1e999", "-1", "'x'", "None", "[1]", "1j", HUGE)
    ),
    *(
        f"hard(d={d}, k=2, alpha=1)"
        for d in (HUGE, HEX, "-" * DEEP + "3", "----3", "[" * 150 + "3" + "]" * 150, "True")
    ),
    *(f"hard(d=6, k={k}, alpha=1)" for k in ("10000000", "1", "'2'", HEX)),
    *("hard(d=6, k=2, alpha=1, seed=-1)", f"hard(d=6, k=2, alpha=1, seed={HEX})", "hard(d=6, k=2, alpha=1, d1=9)"),
    *("hard(d=6, k=2, alpha=1, background=3)", "hard(d=6, k=2, alpha=1, background='x')", "hard(**{'d': 3})"),
    *("sec8(beta=1e300)", "sec8(noise=1e200)", "sec8(alpha=1e155)", "sec8(3)", "sec8(alpha=1, alpha=2)", "sec8("),
    *(
        "sec8)(",
        "sec8()()",
        "sec8(alpha=sec8())",
        "sec8(alpha=(lambda: 1)())",
        "()",
        "(",
        "",
        " ",
        "\0",
        LONG,
        "\udcff",
    ),
    *("parity(d=1000000000)", "parity(d=3, k=10)", "(" * DEEP, "sec8(" * DEEP, "sec8(alpha=" + "(" * DEEP),
    *(
        "concept1(d=100000, k=100, alpha=1)",
        "concept1(d=1000000, k=1, alpha=1)",
        "concept1(d=10, k=1000, alpha=1, pF=1000)",
    ),
    *(
        f"concept1(d=4, k=2, alpha=1, F={F})"
        for F in ("'z^1000000000'", f"'z^{HUGE}'", "'1e999z'", "3", "[]", "'exp(1e90z)'")
    ),
    *(
        "concept2(d=4, k=2, alpha=1, G='z^2')",
        "concept1(d=4, k=2, alpha=1, inputs=[1])",
        "concept1(d=4, k=2, alpha=1, form=3)",
    ),
    *(
        f"convolutional(patches=2, d=4, alpha=1, v={v})"
        for v in ("[1e300, 1]", "['x', 1]", "[[1], [2]]", "3", "[None, 1]")
    ),
    *("convolutional(patches=100000000, d=4, alpha=1)", "convolutional(patches=1000, d=10000, alpha=1)"),
    "convolutional(patches=2, d=2000, alpha=1, v=[1e6, 1e6], degree=900)",
    "convolutional(patches=2, d=4, alpha=1, degree=100000000)",
]

KERNELS = [
    *(f"ck(depth={depth})" for depth in ("100000000", HEX, HUGE, "-1", "1.5", "'x'", "-" * DEEP + "3", "None", "True")),
    *(f"polynomial(degree={degree})" for degree in ("100000000", "1001", HEX, "0", "1e3")),
    *("polynomial(offset=1e999)", "polynomial(offset=-1)", f"polynomial(offset={HEX})", "recursive(depth=1000000000)"),
    *("random_features(count=1000000000)", "random_features(feature=3)", "random_features(feature=[])", f"{HEX} * ck2"),
    *(
        "gaussian(bandwidth=0)",
        "gaussian(bandwidth='x')",
        "gaussian(factor=1e999)",
        "ck2 + 1",
        "3",
        "1 + 1",
        "ck2 - ck2",
    ),
    *(
        "cntk(image=(1000000, 1000000, 3))",
        "cntk(image=(3, 3))",
        "cntk(image=3)",
        "cntk(image=(8, 8, 1), depth=100000000)",
    ),
    *(
        "cntk(image=(8, 8, 1), filter_size=1000000001)",
        "cntk",
        "precomputed + ck2",
        "ck2" + " + ck2" * DEEP,
        "(" * DEEP,
    ),
    *(
        "ck2(" * DEEP,
        "-" * DEEP + "ck2",
        "ck2 * " * 2000 + "ck2 +",
        "",
        "\0",
        "lambda: 1",
        "__import__('os')",
        LONG,
        "\udcff",
    ),
    *(
        "ntk(train=[])",
        "ntk(train='x')",
        "ck2(bias=3)",
        "ck2(bias=True, bias=True)",
        "ck2(**{})",
        "1e999 * ck2",
        "0 * ck2",
    ),
]

NETWORKS = [
    *(
        "resnet-999",
        "resnet-0",
        "conv-resnet-9(image=(8, 8, 1))",
        "conv-resnet-8(image=(100000000, 8, 1))",
        "conv-resnet-8",
    ),
    *(
        "3resnet-conv(patches=100000000)",
        "3resnet-conv(patches='x')",
        f"3resnet-conv(patches={HEX})",
        "3resnet-conv",
        LONG,
    ),
    *("3resnet-gated(sharpness=1e999)", "3resnet-gated(sharpness=-1)", "3resnet-gated(" + "(" * DEEP + ")", "\0", ""),
    *(
        f"conv-resnet-8(image={HEX})",
        f"conv-resnet-8(image=({HEX}, 1, 1))",
        "conv-resnet-8(image=(8, 8, 1), stride=3)",
    ),
]

COMMANDS = [
    *(["status", path] for path in PATHS),
    *(["report", path] for path in PATHS),
    *(["certify", "run", path] for path in PATHS),
    *(["verify", path] for path in PATHS),
    *(["predict", path, "x.csv"] for path in PATHS),
    *(["run", f"{path}.yaml"] for path in PATHS),
    *(["run", "fig2a", "--seed", seed] for seed in ("-1", HUGE, "1" + "0" * 30, "x", "1e3")),
    *(
        ["run", "fig2a", "--workers", "-3"],
        ["run", LONG],
        ["run", "\udcff"],
        ["run", ""],
    ),
    *(["run", "fig2a", "--scale", LONG], ["run", "images", "--data", LONG], ["run", "images", "--data", "a\0b"]),
    *(["claims", "lemma.d2", "--seed", seed] for seed in ("-1", "1" + "0" * 30)),
    *(["claims", LONG], ["claims", "lemma.d2", "--scale", "x"], ["claims", "\0"]),
    *(["certify", "any-kernel", "--n", "10", "--problem", problem] for problem in PROBLEMS),
    *(["certify", "kernel", kernel, "--problem", "hard(d=6, k=2, alpha=1)", "--n", "4"] for kernel in KERNELS),
    *(["certify", "kernel", "ck2", "--problem", "sec8", "--n", n] for n in ("0", "1000000000000", HUGE, "-1", "x")),
    *(["certify", "spectrum", "polynomial(degree=1000)", "--problem", "sec8", "--n", "4"],),
]

GRID = "{network: 3resnet, mode: all, widths: [4], rates: [0.1], decays: [0]}"
KEYS = "problem: sec8\nsamples: 100\n"
WHOLE = KEYS + "scales: {quick: {grids: [%s]}}\n"
BOMB = "a: &a [1, 1]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(24)
)

EXPERIMENTS: dict[str, bytes] = {
    name: text.encode("utf-8", "surrogatepass")
    for name, text in {
        "bomb.yaml": BOMB,
        "merging.yaml": "a: &a {x: 1}\n" + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} {{<<: [*{chr(97 + i)}, *{chr(97 + i)}]}}\n" for i in range(24)
        ),
        "circle.yaml": "scales: &a [*a]\n",
        "nested.yaml": "problem: " + "[" * 5000,
        "nested_map.yaml": "{a: " * 5000,
        "nested.toml": "problem = " + "[" * DEEP,
        "tables.toml": "[" + ".".join("a" * 2000) + "]\n",
        "list.yaml": "- 1\n",
        "text.yaml": "hello",
        "empty.yaml": "",
        "nul.yaml": "problem: \0",
        "surrogate.yaml": "problem: \ud800",
        "keys.yaml": "? [a, b]\n: 1\n",
        "numbers.yaml": "1: 2\n",
        "code.yaml": "problem: !!python/object/apply:os.system ['true']\n",
        "digits.yaml": f"samples: {HUGE}\n",
        "digits.toml": f"samples = {HUGE}\n",
        "hex.yaml": KEYS.replace("100", HEX) + "scales: {quick: {grids: []}}\n",
        "hex.toml": f"problem = 'sec8'\nscales = {{}}\nsamples = {HEX}\n",
        "date.yaml": "problem: 2001-99-99\n",
        "binary.yaml": "problem: !!binary '%%'\n",
        "unknown.yaml": WHOLE % GRID + f"{LONG}: 1\n",
        "null.yaml": KEYS + "scales: null\n",
        "grids.yaml": KEYS + "scales: {quick: {grids: 3}}\n",
        "grid.yaml": WHOLE % "3",
        "seeds.yaml": KEYS + f"scales: {{quick: {{seeds: 1000000000, grids: [{GRID}]}}}}\n",
        "many.yaml": WHOLE % GRID.replace("[0.1]", str([0.001 * i for i in range(1, 1500)])).replace(
            "[0]", str([0.001 * i for i in range(1500)])
        ),
        "twice.yaml": WHOLE % GRID.replace("[4]", "[4, 4]"),
        "width.yaml": WHOLE % GRID.replace("[4]", "[1000000000]"),
        "samples.yaml": (WHOLE % GRID).replace("100", "1" + "0" * 15),
        "problem.yaml": (WHOLE % GRID).replace("sec8", "'hard(d=1000000000, k=2, alpha=1)'"),
        "epochs.yaml": KEYS + f"scales: {{quick: {{schedule: {{epochs: 1{'0' * 15}}}, grids: [{GRID}]}}}}\n",
        "kernel.yaml": WHOLE % "{kernels: ['ck(depth=100000000)'], ridges: [0.1]}",
        "network.yaml": WHOLE % GRID.replace("3resnet", "'3resnet-conv(patches=100000000)'"),
        "rate.yaml": WHOLE % GRID.replace("0.1", ".inf"),
        "large.yaml": "# " + "x" * 2**19,
    }.items()
}  # fmt: skip
