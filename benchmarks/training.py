"""Speed of grid training beside PyTorch and beside the machine's sgemm peak, measured in one run.

Every contestant gets the same work on every core: a grid of rates and decays of the three-layer ResNet on section
8.1's problem, batches of 50. PyTorch has three: the loop that one would write (as a single-threaded process a core and
as one process with all threads; the faster counts), all members in batched products, and these under torch.compile.
Rounds alternate between contestants, and medians are reported, since machines are noisy. Compilation and start-up are
outside the clock and reported apart.
"""

import statistics
import sys
from functools import partial

import contest
from kernelgap import console
from kernelgap.machine import cores

GRID = [(rate, decay) for rate in (0.005, 0.01, 0.02, 0.05) for decay in (1e-4, 1e-3, 2e-3)]
SAMPLES, BATCH = 500, 50
EPOCHS = {20: 300, 100: 150, 500: 40, 2000: 16}
ARRANGEMENTS = [(size, SAMPLES // BATCH) for size in (12, 6, 3, 1)]  # members a group, steps a call
COMPILED = {20: [(12, 1), (12, 10)], 100: [(12, 1), (6, 1)], 500: [(12, 1), (3, 1)], 2000: [(12, 1), (1, 1)]}
OURS, LOOP, THREADS = "kernelgap", "torch loop, a process a core", "torch loop, all threads"
BATCHED, COMPILED_BATCHED = "torch batched", "torch batched, compiled"


def flops_per_step(width: int, d: int = 30, k: int = 15) -> float:
    """Of one batch: forward m (d + 3k) products a row; backward the same again for weights, and 3 m k for inputs."""
    return 2.0 * BATCH * width * (2 * (d + 3 * k) + 3 * k)


def run_width(width: int, torch_python: str, rounds: int) -> dict:
    """Steps a second of every contestant; one that does not get ready in the first round is left out."""
    count = cores()
    task = {"width": width, "epochs": EPOCHS[width], "batch": BATCH, "samples": SAMPLES, "grid": GRID}
    batched = task | {"compiled": False, "arrangements": ARRANGEMENTS}
    contestants = {
        OURS: ("kernelgap_grid.py", sys.executable, task, count, 1),
        LOOP: ("torch_loop.py", torch_python, task, count, 1),
        THREADS: ("torch_loop.py", torch_python, task, 1, count),
        BATCHED: ("torch_batched.py", torch_python, batched, count, 1),
        COMPILED_BATCHED: (
            "torch_batched.py",
            torch_python,
            batched | {"compiled": True, "arrangements": COMPILED[width]},
            count,
            1,
        ),
    }
    steps = len(GRID) * EPOCHS[width] * (SAMPLES // BATCH)
    by_contestant: dict[str, list[dict]] = {name: [] for name in contestants}
    peaks = []
    for _ in range(rounds):
        peaks.append(contest.sgemm_peak())
        for name in list(contestants):
            try:
                results = contest.run(*contestants[name])
            except contest.NotReadyError:
                if name != COMPILED_BATCHED:
                    raise
                console.message("torch.compile does not work here: the batched peer is measured without it.")
                del contestants[name], by_contestant[name]
                continue
            seconds = max(r["seconds"] for r in results)
            by_contestant[name].append({"rate": len(results) * steps / seconds, "copies": results})
    rates = {name: statistics.median(r["rate"] for r in results) for name, results in by_contestant.items()}
    cold = [
        max(c["warm_up"] for c in r["copies"]) - max(c["seconds"] for c in r["copies"]) for r in by_contestant[OURS]
    ]
    peak, ours = statistics.median(peaks), rates[OURS]
    loop = max(LOOP, THREADS, key=rates.__getitem__)
    strongest = max((name for name in rates if name != OURS), key=rates.__getitem__)
    return {
        "width": width,
        "steps_per_second": rates,
        "loop": loop,
        "ratio_to_loop": ours / rates[loop],
        "strongest": strongest,
        "ratio_to_strongest": ours / rates[strongest],
        "share_of_peak": ours * flops_per_step(width) / peak,
        "strongest_share_of_peak": rates[strongest] * flops_per_step(width) / peak,
        "peak_gigaflops": peak / 1e9,
        "compile_seconds": statistics.median(cold),
        "rounds": {"peaks": peaks, **by_contestant},
    }


def rows(results: list[dict]) -> list[dict]:
    return [
        contest.row(f"width {r['width']}, {what}", r[key], unit)
        for r in results
        for what, key, unit in (
            ("to the PyTorch loop", "ratio_to_loop", "ratio"),
            ("to the strongest PyTorch", "ratio_to_strongest", "ratio"),
            ("of sgemm peak", "share_of_peak", "share"),
        )
    ]


def main() -> None:
    parser = contest.arguments(__doc__, "training", rounds=3)
    parser.add_argument("--torch-python", required=True, help="the Python of an environment that has torch")
    parser.add_argument("--widths", type=int, nargs="+", default=list(EPOCHS), choices=list(EPOCHS))
    options = parser.parse_args()
    jobs = {f"width {w}": partial(run_width, w, options.torch_python, options.rounds) for w in options.widths}
    results = contest.measure_all(jobs, options.out, rows=rows, grid=len(GRID))
    peers = {"loop": lambda r: r["loop"], "batched": lambda r: BATCHED, "compiled": lambda r: COMPILED_BATCHED}
    columns = ["width", "kernelgap steps/s", *(f"torch {name}" for name in peers)]
    columns += ["to loop", "to strongest", "of sgemm peak", "strongest's", "compile s"]
    table = []
    for r in results:
        speeds = [r["steps_per_second"].get(name(r)) for name in peers.values()]
        table.append(
            [
                str(r["width"]),
                f"{r['steps_per_second'][OURS]:,.0f}",
                *("not here" if speed is None else f"{speed:,.0f}" for speed in speeds),
                f"{r['ratio_to_loop']:.1f}x",
                f"{r['ratio_to_strongest']:.2f}x",
                f"{r['share_of_peak']:.0%}",
                f"{r['strongest_share_of_peak']:.0%}",
                f"{r['compile_seconds']:.1f}",
            ]
        )
    console.table(columns, table, title=f"Grid of {len(GRID)} on {cores()} cores, median of {options.rounds} rounds")


if __name__ == "__main__":
    main()
