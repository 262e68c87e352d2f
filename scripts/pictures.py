"""The pictures of README.md and docs/idea.md: python scripts/pictures.py (make pictures).

gap.svg: what a kept run reached, beside the predicted curves of kernels and the floor for any scalar kernel.
degrees.svg: how much of F and of G(F) kernels learn, by their number of samples.
first-f-then-g.svg: how much of F and of G(F) a small ResNet has learned after each epoch, over five starts.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

import kernelgap as kg
from kernelgap.paper.figures.reference import Reference, kept_references
from kernelgap.reports import save_chart
from kernelgap.reports.common.axes import PALETTE, finished, labelled_level, log_axis

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
RUN = ("fig3a", "paper")
KERNELS = ("ck3", "ntk3", "gaussian(factor=8.0)")
SAMPLES = np.round(np.geomspace(100, 3e8, 131))
FLOOR = "no scalar kernel gets under"
LEAST = 1e-4  # risks below are not drawn
STARTS = range(5)
EPOCHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 150, 200, 300)
LEGEND = alt.Legend(
    title=None,
    orient="top",
    symbolType="stroke",
    symbolSize=400,
    labelLimit=300,
    columns=2,
    columnPadding=40,
    symbolOpacity=1,
)
LEARNED = "hard(d=30, k=3, alpha=0.5)"  # with these samples, by a ResNet of this width
LEARNED_SAMPLES, WIDTH, RATE = 400, 50, 0.02


def kept_run() -> Reference:
    return next(found for found in kept_references() if (found.experiment, found.scale) == RUN)


def gap_table(problem: kg.problems.Problem) -> pd.DataFrame:
    """Predicted risks of kernels with their best ridges, and the floor for any scalar kernel, by samples."""
    parts = [
        pd.DataFrame({"n": SAMPLES, "risk": kg.curves.predict(problem, name, SAMPLES, ridge="best").risk, "what": name})
        for name in KERNELS
    ]
    size = kg.certificates.any_kernel(problem, 1).family_size
    near = size * (1 - np.geomspace(1e-4, 0.5, 40))  # it falls to 0 at the number of the targets
    n = np.unique(np.round([*SAMPLES[size > SAMPLES], *near]))
    risks = [kg.certificates.any_kernel(problem, int(each)).mean_risk for each in n]
    table = pd.concat([*parts, pd.DataFrame({"n": n, "risk": risks, "what": FLOOR})])
    return table[table.risk > LEAST]


def network_point(kept: Reference) -> dict[str, Any]:
    """What the network of the kept run reached: the mean over seeds and their range."""
    assert kept.gap is not None
    errors, ratio = kept.gap["errors"], kept.gap["ratio"]
    label = [
        f"ResNet, {kept.samples:,} samples: {np.mean(errors):.2g}",
        f"({min(errors):.2g} to {max(errors):.2g} over {len(errors)} starts)",
        f"any scalar kernel needs {ratio:,.0f} times as many",
    ]
    return {"n": kept.samples, "risk": np.mean(errors), "low": min(errors), "high": max(errors), "label": label}


def gap_chart(kept: Reference, table: pd.DataFrame) -> alt.LayerChart:
    """Risk against samples, both logarithmic: the ResNet's point far below and left of every curve."""
    x, point = samples_axis("training samples"), network_point(kept)
    y = log_axis([LEAST, *table.risk, point["low"]], "risk (expected squared error)")
    names = list(dict.fromkeys(table.what))
    lines = alt.Chart(table).mark_line(strokeWidth=2.4).encode(x=x, y=y("risk"), **look(names))
    mark = alt.Chart(pd.DataFrame([{**point, "label": "\n".join(point["label"])}]))
    dot = mark.mark_point(shape="diamond", filled=True, size=180, opacity=1, color=PALETTE[0]).encode(x=x, y=y("risk"))
    bar = mark.mark_rule(strokeWidth=2, color=PALETTE[0]).encode(x=x, y=y("low"), y2="high:Q")
    text = mark.mark_text(align="left", dx=12, dy=-26, lineBreak="\n", lineHeight=15, fontSize=12, color="#b34509")
    level = {"risk": kept.threshold, "n": SAMPLES[0], "label": f"knowing F alone: {kept.threshold:.3g}"}
    layers = [lines, bar, dot, text.encode(x=x, y=y("risk"), text="label:N")]
    layers += labelled_level(level, "risk", x, y, "left")
    return finished(alt.layer(*layers), on_page=False, height=360)


def degrees_table(problem: kg.problems.Problem, kernels: Sequence[str] = KERNELS[:2]) -> pd.DataFrame:
    """The share of a base signal and of a composite one that a kernel learns with its best ridge."""
    base, composite = (len(sets[0]) for sets in (problem.base_fourier.index_sets, problem.composite_fourier.index_sets))
    rows = []
    for name in kernels:
        learned = kg.curves.predict(problem, name, SAMPLES, ridge="best").learned
        for part, degree in (("F", base), ("G(F)", composite)):
            shares = zip(SAMPLES, learned[:, degree], strict=True)
            rows += [{"n": n, "share": share, "what": f"{part}, degree {degree}: {name}"} for n, share in shares]
    return pd.DataFrame(rows)


def degrees_chart(table: pd.DataFrame) -> alt.LayerChart:
    y = alt.Y("share:Q", title="share that is learned", axis=alt.Axis(format="%"))
    lines = alt.Chart(table).mark_line(strokeWidth=2.4)
    lines = lines.encode(x=samples_axis("training samples"), y=y, **look(list(dict.fromkeys(table.what))))
    return finished(alt.layer(lines), on_page=False, height=300)


def learning_table(starts: Sequence[int] = STARTS, epochs: Sequence[int] = EPOCHS, width: int = WIDTH) -> pd.DataFrame:
    """The shares of F and of G(F) in a ResNet's output, <out, F> / |F|^2 and <out, G> / |G|^2 on fresh points.

    With a constant rate, a training that ends early is the beginning of a longer one.
    """
    problem = kg.problems.get(LEARNED)
    X_new, _ = problem.sample(4000, seed=1000)
    parts = {"F in the output": problem.base(X_new), "G(F) in the output": problem.composite(X_new)}
    rows = []
    for seed in starts:
        X, Y = problem.sample(LEARNED_SAMPLES, seed=seed)
        for count in epochs:
            model = kg.ResNetRegressor(
                width=width, epochs=count, learning_rate=RATE, warmup=0.0, drop_at=1.0, random_state=seed
            ).fit(X / problem.scale, Y)
            out = model.predict(X_new / problem.scale)
            for what, part in parts.items():
                rows.append({"epochs": count, "what": what, "share": np.sum(out * part) / np.sum(part**2)})
    return pd.DataFrame(rows)


def learning_chart(table: pd.DataFrame) -> alt.LayerChart:
    room, percent = alt.Scale(type="log", nice=False), alt.Axis(format="%")
    x = alt.X("epochs:Q", title="epochs of training", scale=room, axis=alt.Axis(grid=False))
    spread = table.groupby(["epochs", "what"], as_index=False).share.agg(["median", "min", "max"])
    names, title = list(dict.fromkeys(table.what)), "share that is learned"
    band = alt.Chart(spread).mark_area(opacity=0.18)
    band = band.encode(x=x, y=alt.Y("min:Q", title=title, axis=percent), y2="max:Q", **colour(names))
    line = alt.Chart(spread).mark_line(strokeWidth=2.4)
    line = line.encode(x=x, y=alt.Y("median:Q", title=title, axis=percent), **look(names))
    return finished(alt.layer(band, line), on_page=False, height=300)


def samples_axis(title: str) -> alt.X:
    room = alt.Scale(type="log", domain=[SAMPLES[0], SAMPLES[-1]], nice=False)
    powers = [10.0**power for power in range(2, 9)]
    return alt.X("n:Q", title=title, scale=room, axis=alt.Axis(values=powers, format=",d", grid=False))


def colour(names: Sequence[str]) -> dict[str, alt.Color]:
    colours = ("#2b6cb0", "#0b7a55", "#7a4fb5", "#333333")[: len(names)]
    return {"color": alt.Color("what:N", scale=alt.Scale(domain=names, range=colours), legend=LEGEND)}


def look(names: Sequence[str]) -> dict[str, Any]:
    """Colours and dashes, so that no two lines are told apart by colour alone."""
    dashes = ([1, 0], [8, 3], [3, 3], [12, 3, 3, 3])[: len(names)]
    dash = alt.StrokeDash("what:N", scale=alt.Scale(domain=names, range=dashes), legend=LEGEND)
    return {**colour(names), "strokeDash": dash}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=PICTURES, help="where the pictures are written")
    parser.add_argument("--quick", action="store_true", help="leave out the one that trains")
    chosen = parser.parse_args()
    kept = kept_run()
    problem = kg.problems.get(kept.problem)
    save_chart(gap_chart(kept, gap_table(problem)), chosen.into / "gap.svg")
    save_chart(degrees_chart(degrees_table(problem)), chosen.into / "degrees.svg")
    if not chosen.quick:
        save_chart(learning_chart(learning_table()), chosen.into / "first-f-then-g.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
