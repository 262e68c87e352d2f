"""How a predicted learning curve looks in the terminal, and as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelgap import console

if TYPE_CHECKING:
    from kernelgap.curves import Curve, MeasuredRisk, Need

Measured = "list[tuple[MeasuredRisk, float]]"
Network = tuple[str, float, int]
ROWS = 12  # of a long curve that the terminal shows
COLUMNS = ("n", "ridge", "risk", "test_error", "train_error", "effective_dimension", "overfitting")


def curve_record(
    curve: "Curve",
    need: "Need",
    measured: "list[tuple[MeasuredRisk, float]]",
    network: Network | None,
    chart: Path | None,
) -> dict[str, Any]:
    """All of it in plain values."""
    values = {name: np.broadcast_to(getattr(curve, name), np.shape(curve.risk)).tolist() for name in COLUMNS}
    return {
        "kernel": curve.kernel,
        "problem": curve.problem,
        "threshold": curve.threshold,
        "points": [dict(zip(COLUMNS, row, strict=True)) for row in zip(*values.values(), strict=True)],
        "need": need.as_record(),
        "measured": [
            {"n": one.n, "ridge": one.ridge, "risks": list(one.risks), "mean": one.mean, "predicted": predicted}
            for one, predicted in measured
        ],
        "network": network and dict(zip(("method", "risk", "samples"), network, strict=True)),
        "chart": chart and str(chart),
    }


def show_curve(
    curve: "Curve", need: "Need", measured: "list[tuple[MeasuredRisk, float]]", network: Network | None
) -> None:
    """A table of some points, the fits beside their predictions, and the need."""
    console.answer(f"{curve.kernel} on {curve.problem}: predicted from its spectrum, nothing was trained")
    console.answer("")
    some = np.unique(np.linspace(0, len(curve.n) - 1, ROWS).round().astype(int))
    rows = [
        [
            f"{curve.n[i]:,.0f}" if curve.n[i] < 1e7 else f"{curve.n[i]:.1e}",
            f"{curve.risk[i]:.4g}",
            f"{curve.train_error[i]:.2g}",
            f"{curve.ridge[i]:.2g}",
            "yes" if curve.risk[i] < curve.threshold else "no",
        ]
        for i in some
    ]
    console.table(["samples", "risk", "train error", "ridge", f"under the threshold {curve.threshold:.4g}"], rows)
    if measured:
        console.answer("")
        compared = [
            [
                f"{m.n:,}",
                f"{p:.4g}",
                f"{m.mean:.4g}",
                f"{min(m.risks):.4g} to {max(m.risks):.4g}",
                f"{m.mean / p - 1:+.1%}",
            ]
            for m, p in measured
        ]
        title = f"Fits with {len(measured[0][0].risks)} seeds beside the predictions (exact risks)"
        console.table(["samples", "predicted", "measured", "range", "difference"], compared, title=title)
    console.answer("")
    if network is not None:
        console.answer(f"{network[0]} reached {network[1]:.3g} on average with {network[2]:,} samples.")
    console.answer(need.sentence)
