"""What a curve says of how good it was."""

import numpy as np
import pytest

import kernelgap as kg
from kernelgap.curves import Calibration, CheckedPoint, calibrate, measure, predict
from kernelgap.curves.measured import coefficients
from kernelgap.errors import InputError

POINTS = (
    CheckedPoint(10, 0.1, 1.1, (0.9, 1.1)),
    CheckedPoint(20, 0.1, 0.5, (0.4,)),
    CheckedPoint(20, 0.1, 0.7, (1.0,)),
)


def test_errors_are_relative_to_the_measured_mean():
    found = Calibration("ck2", "sec8", POINTS)
    assert [point.error for point in POINTS] == pytest.approx([0.1, 0.25, -0.3])
    assert found.median_error == pytest.approx(0.25)
    assert found.worst_error == pytest.approx(0.3)
    said = "Checked by 4 fits with 10 to 20 samples: predictions were off by 25.0% in the median, by 30.0% at most."
    assert found.sentence.startswith(said)
    assert POINTS[0].uncertainty == pytest.approx(0.1)
    assert [point.uncertainty for point in POINTS[1:]] == [None, None]
    assert found.sentence.removeprefix(said) == " The means of the fits are uncertain by 10.0%."
    assert Calibration("ck2", "sec8", POINTS[1:]).sentence.endswith("by 30.0% at most.")
    assert found.as_record()["points"][0]["mean"] == pytest.approx(1.0)


def test_a_calibration_belongs_to_one_kernel_and_problem():
    problem = kg.problems.get("hard(d=12, k=3, alpha=0.3)")
    found = calibrate(problem, "ntk2(bias=True)", [60, 120], "best", seeds=range(3))
    curve = predict(problem, "ntk2(bias=True)", [60, 120], "best")
    assert curve.calibration is None
    assert curve.with_calibration(found).calibration is found
    assert [point.predicted for point in found.points] == pytest.approx(curve.risk.tolist())
    fits = measure(problem, "ntk2(bias=True)", 60, [found.points[0].ridge], seeds=range(3))
    assert found.points[0].measured == fits[0].risks
    for other in (predict(problem, "ck2", 60), predict(kg.problems.get("sec8"), "ntk2(bias=True)", 60)):
        with pytest.raises(InputError, match="This calibration is of"):
            other.with_calibration(found)


def test_a_few_ridges_one_by_one_are_those_of_one_factorisation(rng):
    X, Y = rng.standard_normal((80, 3)), rng.standard_normal((80, 2))
    gram = kg.kernels.get("laplace(bandwidth=1)")(X, X)
    ridges = np.geomspace(1e-3, 1, 4)
    expected = np.linalg.solve(gram + 1e-3 * np.eye(80), Y)
    assert np.allclose(coefficients(gram, Y, ridges)[0], expected, rtol=1e-8)
    for few, many in zip(coefficients(gram, Y, ridges), coefficients(gram, Y, [*ridges, *range(1, 6)]), strict=False):
        assert np.allclose(few, many, rtol=1e-8)
    assert np.allclose(coefficients(gram, Y, [0.0])[0], np.linalg.solve(gram, Y), rtol=1e-6)
