"""How a predicted learning curve looks in the terminal, and as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelgap import console

if TYPE_CHECKING:
    from kernelgap.curves import Calibration, Curve, Need, PoolCurve, PoolNeed

Network = tuple[str, float, int]
ROWS = 12  # of a long curve that the terminal shows
OF_BOTH = ("test_error", "train_error", "effective_dimension", "overfitting")
COLUMNS = ("n", "ridge", "risk", *OF_BOTH)
OF_POOL = ("n", "ridge", *OF_BOTH)


def curve_record(curve: "Curve", need: "Need", network: Network | None, chart: Path | None) -> dict[str, Any]:
    """All of it in plain values."""
    return {
        "kernel": curve.kernel,
        "problem": curve.problem,
        "threshold": curve.threshold,
        "points": _points(curve, COLUMNS),
        "need": need.as_record(),
        "calibration": curve.calibration and curve.calibration.as_record(),
        "network": network and dict(zip(("method", "risk", "samples"), network, strict=True)),
        "chart": chart and str(chart),
    }


def pool_record(curve: "PoolCurve", source: str, need: "PoolNeed | None", chart: Path | None) -> dict[str, Any]:
    """All of it in plain values."""
    return {
        "kernel": curve.kernel,
        "source": source,
        "pool": curve.pool,
        "rows": curve.rows,
        "points": _points(curve, OF_POOL),
        "need": need and need.as_record(),
        "calibration": curve.calibration and curve.calibration.as_record(),
        "chart": chart and str(chart),
    }


def show_curve(curve: "Curve", need: "Need", network: Network | None) -> None:
    """A table of some points, the fits beside their predictions, and the need."""
    console.answer(f"{curve.kernel} on {curve.problem}: predicted from its spectrum, nothing was trained")
    console.answer("")
    rows = [
        [
            f"{curve.n[i]:,.0f}" if curve.n[i] < 1e7 else f"{curve.n[i]:.1e}",
            f"{curve.risk[i]:.4g}",
            f"{curve.train_error[i]:.2g}",
            f"{curve.ridge[i]:.2g}",
            "yes" if curve.risk[i] < curve.threshold else "no",
        ]
        for i in _some(curve.n)
    ]
    console.table(["samples", "risk", "train error", "ridge", f"under the threshold {curve.threshold:.4g}"], rows)
    _show_calibration(curve.calibration)
    console.answer("")
    if network is not None:
        console.answer(f"{network[0]} reached {network[1]:.3g} on average with {network[2]:,} samples.")
    console.answer(need.sentence)


def show_pool(curve: "PoolCurve", source: str, need: "PoolNeed | None") -> None:
    """A table of some points, the fits beside their predictions, and the need if it was asked for."""
    console.answer(f"{curve.kernel} on {source}: predicted from the Gram matrix of a {curve.pool}")
    console.answer("")
    rows = [
        [f"{curve.n[i]:,.0f}", f"{curve.test_error[i]:.4g}", f"{curve.train_error[i]:.2g}", f"{curve.ridge[i]:.2g}"]
        for i in _some(curve.n)
    ]
    console.table(["samples", "test error", "train error", "ridge"], rows)
    _show_calibration(curve.calibration)
    if need is not None:
        console.answer("")
        console.answer(need.sentence)


def _points(curve: "Curve | PoolCurve", columns: tuple[str, ...]) -> list[dict[str, float]]:
    values = {name: np.broadcast_to(getattr(curve, name), np.shape(curve.test_error)).tolist() for name in columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*values.values(), strict=True)]


def _some(n: np.ndarray) -> list[int]:
    return np.unique(np.linspace(0, len(n) - 1, ROWS).round().astype(int)).tolist()


def _show_calibration(calibration: "Calibration | None") -> None:
    console.answer("")
    if calibration is None:
        console.answer("Not checked here: --check 500,1000 fits, too, and compares.")
        return
    compared = [
        [
            f"{point.n:,}",
            f"{point.ridge:.2g}",
            f"{point.predicted:.4g}",
            f"{point.mean:.4g}",
            f"{min(point.measured):.4g} to {max(point.measured):.4g}",
            f"{point.error:+.1%}",
        ]
        for point in calibration.points
    ]
    title = f"{len(calibration.points[0].measured)} fits each beside the predictions"
    console.table(["samples", "ridge", "predicted", "measured", "range", "error"], compared, title=title)
    console.answer(calibration.sentence)
