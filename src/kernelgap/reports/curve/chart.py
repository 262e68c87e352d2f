"""A predicted learning curve beside what was measured, the floor for any scalar kernel, the threshold and a network."""

from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import pandas as pd

from kernelgap.certificates import any_kernel
from kernelgap.errors import InputError
from kernelgap.problems import get as get_problem
from kernelgap.reports.common.axes import MUTED, PALETTE, finished, log_room, tooltips

if TYPE_CHECKING:
    from kernelgap.curves import Calibration, Curve, Need, PoolCurve, PoolNeed

NETWORK, KERNEL, FLOOR = PALETTE
PREDICTED, MEASURED, ANY = "predicted", "measured: mean and range over fits", "no scalar kernel fixed beforehand"
COLOURS = {PREDICTED: KERNEL, MEASURED: KERNEL, ANY: FLOOR}
LEAST = 1e-6  # of the threshold: smaller risks are left out of the chart


def curve_chart(curve: "Curve", need: "Need", network: tuple[str, float, int] | None = None) -> alt.LayerChart:
    """Draw a predicted learning curve.

    Parameters
    ----------
    curve
        Predictions over several numbers of samples, with what was checked.
    need
        The need that the chart's subtitle states.
    network
        A network's method, risk and samples.

    Returns
    -------
    The chart, for ``save_chart``.
    """
    shown = pd.DataFrame({"n": curve.n, "risk": curve.risk})
    shown = shown[shown.risk > LEAST * curve.threshold]
    if shown.empty:
        raise InputError("All of these risks are too small to be drawn: take fewer samples.")
    floor = _floor(curve, shown)
    extra = pd.DataFrame([{"n": max(shown.n), "risk": curve.threshold}])
    if network is not None:
        extra = pd.concat([extra, pd.DataFrame([{"n": network[2], "risk": network[1]}])])
    layers, x, y = _layers(shown, curve.calibration, floor, extra, "risk")
    label = f"threshold {curve.threshold:.4g}"
    line = pd.DataFrame([{"risk": curve.threshold, "n": float(max(*shown.n, *extra.n)), "label": label}])
    layers.append(alt.Chart(line).mark_rule(strokeDash=[2, 3], color=MUTED).encode(y=y))
    layers.append(alt.Chart(line).mark_text(align="right", dy=-7, color=MUTED).encode(x=x, y=y, text="label:N"))
    if network is not None:
        method, risk, count = network
        point = pd.DataFrame([{"n": count, "risk": risk, "label": f"{method}, {count:,} samples"}])
        mark = alt.Chart(point)
        layers.append(
            mark.mark_point(shape="diamond", filled=True, size=130, opacity=1, color=NETWORK).encode(x=x, y=y)
        )
        layers.append(mark.mark_text(align="left", dx=10, color=NETWORK).encode(x=x, y=y, text="label:N"))
    title = alt.TitleParams(f"{curve.kernel} on {curve.problem}", subtitle=need.sentence.split("; "))
    return finished(alt.layer(*layers), on_page=False, title=title)


def pool_chart(curve: "PoolCurve", source: str, need: "PoolNeed | None" = None) -> alt.LayerChart:
    """Draw the predicted learning curve of a kernel on a pool of rows.

    Parameters
    ----------
    curve
        Predictions over several numbers of samples, with what was checked.
    source
        Where the rows are from.
    need
        The need that the chart's subtitle states.

    Returns
    -------
    The chart, for ``save_chart``.
    """
    shown = pd.DataFrame({"n": curve.n, "risk": curve.test_error})
    layers, _, _ = _layers(shown, curve.calibration, None, shown[:0], "test error")
    said = [curve.calibration.sentence] if curve.calibration else []
    title = alt.TitleParams(f"{curve.kernel} on {source}", subtitle=said + ([need.sentence] if need else []))
    return finished(alt.layer(*layers), on_page=False, title=title)


def _layers(
    shown: pd.DataFrame, calibration: "Calibration | None", floor: pd.DataFrame | None, extra: pd.DataFrame, what: str
) -> tuple[list[alt.Chart], alt.X, alt.Y]:
    """The prediction, the floor and the fits, and axes with room for them and for what else is to be drawn."""
    points = calibration.points if calibration else ()
    values = [*shown.risk, *extra.risk, *(floor.risk if floor is not None else [])]
    low, high, ticks = log_room(values + [one for point in points for one in point.measured])
    samples = [*shown.n, *extra.n, *(point.n for point in points)]
    x = alt.X(
        "n:Q",
        title="training samples",
        scale=alt.Scale(type="log", domain=[min(samples) / 1.2, max(samples) * 1.2], nice=False),
        axis=alt.Axis(format="~s", labelExpr="replace(datum.label, 'G', 'B')", grid=False, tickCount=8),
    )
    y = alt.Y(
        "risk:Q",
        title=what,
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=ticks, format="~g"),
    )
    names = [PREDICTED, *([MEASURED] if points else []), *([ANY] if floor is not None else [])]
    scale = alt.Scale(domain=names, range=[COLOURS[name] for name in names])
    colour = alt.Color("what:N", scale=scale, legend=alt.Legend(title=None, orient="top", labelLimit=320))
    layers = [
        alt.Chart(shown.assign(what=PREDICTED))
        .mark_line(strokeWidth=2.4)
        .encode(x=x, y=y, color=colour, tooltip=tooltips(("n:Q", "samples", ",.0f"), ("risk:Q", what, ".4g")))
    ]
    if floor is not None:
        layers.append(alt.Chart(floor.assign(what=ANY)).mark_line(strokeDash=[5, 3]).encode(x=x, y=y, color=colour))
    if points:
        fits = pd.DataFrame(
            [{"n": p.n, "risk": p.mean, "low": min(p.measured), "high": max(p.measured)} for p in points]
        ).assign(what=MEASURED)
        layers.append(alt.Chart(fits).mark_rule(strokeWidth=1.5).encode(x=x, y="low:Q", y2="high:Q", color=colour))
        layers.append(alt.Chart(fits).mark_point(filled=True, size=60, opacity=1).encode(x=x, y=y, color=colour))
    return layers, x, y


def _floor(curve: "Curve", shown: pd.DataFrame) -> pd.DataFrame | None:
    """What any scalar kernel fixed beforehand leaves, at more points near its end, where it falls to 0."""
    problem = get_problem(curve.problem)
    try:
        size = any_kernel(problem, 1).family_size
    except InputError:
        return None
    first, last = float(shown.n.min()), float(shown.n.max())
    near = size * (1 - np.geomspace(1e-4, 0.5, 20))
    n = np.unique(np.round([*shown.n, *near[(near > first) & (near < last)]]))
    risks = np.array([any_kernel(problem, int(each)).mean_risk for each in n])
    table = pd.DataFrame({"n": n, "risk": risks})
    return table[table.risk > LEAST * curve.threshold]
