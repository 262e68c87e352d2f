"""Speed of training convolutional ResNets on images beside PyTorch and beside the machine's sgemm peak, in one run.

Both train a ResNet-8 with group normalisation and augmentation, with ReLUs or with frozen gates, as a single-threaded
process a core. Rounds alternate, and medians are reported. Compilation and start-up are outside the clock.
"""

import statistics
import sys
from functools import partial

import contest
from kernelgap import console
from kernelgap.images.experiment.trials import TRAINED
from kernelgap.machine import cores
from kernelgap.networks import conv_resnet
from kernelgap.networks.convolutional import image_resnet

CASES = {
    "28 x 28 x 1, stride 2, width 64": {"image": (28, 28, 1), "stride": 2, "width": 64, "steps": 150},
    "32 x 32 x 3, stride 1, width 64": {"image": (32, 32, 3), "stride": 1, "width": 64, "steps": 40},
}
BATCH = 32


def run_case(name: str, gated: bool, torch_python: str, rounds: int) -> dict:
    task = {**CASES[name], "gated": gated, "batch": BATCH}
    net = image_resnet(conv_resnet(8, image=task["image"], stride=task["stride"], gated=gated))
    each = 2 * TRAINED["gated" if gated else "plain"] * net.multiplications(10, task["width"])
    count, shown = cores(), task["steps"] * BATCH
    rates: dict[str, list[float]] = {"kernelgap": [], "torch": []}
    peaks = []
    for _ in range(rounds):
        peaks.append(contest.sgemm_peak())
        contestants = {"kernelgap": ("kernelgap_images.py", sys.executable), "torch": ("torch_images.py", torch_python)}
        for who, (program, python) in contestants.items():
            rates[who].append(count * shown / contest.slowest(program, python, task, count))
    ours, theirs = (statistics.median(rates[who]) for who in ("kernelgap", "torch"))
    return {
        "case": name,
        "gated": gated,
        "kernelgap_images_per_second": ours,
        "torch_images_per_second": theirs,
        "ratio": ours / theirs,
        "share_of_peak": ours * each / statistics.median(peaks),
        "rounds": {"peaks": peaks, **rates},
    }


def rows(results: list[dict]) -> list[dict]:
    cases = [(f"{r['case']}, {'gates' if r['gated'] else 'ReLUs'}", r) for r in results]
    ratios = [contest.row(f"{name}, to PyTorch", r["ratio"], "ratio") for name, r in cases]
    return ratios + [contest.row(f"{name}, of sgemm peak", r["share_of_peak"], "share") for name, r in cases]


def main() -> None:
    parser = contest.arguments(__doc__, "images", rounds=3)
    parser.add_argument("--torch-python", required=True, help="the Python of an environment that has torch")
    options = parser.parse_args()
    jobs = {
        f"{name}, {'gates' if gated else 'ReLUs'}": partial(run_case, name, gated, options.torch_python, options.rounds)
        for name in CASES
        for gated in (False, True)
    }
    results = contest.measure_all(jobs, options.out, rows=rows, batch=BATCH)
    columns = ["images and network", "", "kernelgap images/s", "torch images/s", "ratio", "of sgemm peak"]
    table = [
        [
            r["case"],
            "gates" if r["gated"] else "ReLUs",
            f"{r['kernelgap_images_per_second']:,.0f}",
            f"{r['torch_images_per_second']:,.0f}",
            f"{r['ratio']:.2f}x",
            f"{r['share_of_peak']:.0%}",
        ]
        for r in results
    ]
    title = f"ResNet-8, batches of {BATCH}, {cores()} cores, median of {options.rounds} rounds"
    console.table(columns, table, title=title, left=2)


if __name__ == "__main__":
    main()
