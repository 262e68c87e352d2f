"""What the others say about the verdict."""

from kernelgap.audit.statistics.bootstrap import Bootstrap
from kernelgap.audit.statistics.comparison import paired_errors
from kernelgap.audit.statistics.remarks import remarks
from kernelgap.audit.statistics.verdict import judge
from support.made import entry, results, steady

FAMILIES = {"adaptive": "adaptive", "ridge": "baseline", "trees": "baseline"}


def said(kernel: float, network: float, **others: float) -> str:
    made = results(
        entry("ntk3", "kernel", steady(kernel, salt=1)),
        entry("3resnet", "network", steady(network, salt=2)),
        *(entry(name, FAMILIES[name], steady(error, salt=3)) for name, error in others.items()),
    )
    bootstrap = Bootstrap(made, seed=0, resamples=500)
    both = paired_errors(made, bootstrap)
    return " ".join(remarks(made, bootstrap, both, judge(both)))


def test_nothing_to_add():
    assert said(0.5, 0.2) == ""
    assert said(0.5, 0.2, ridge=0.6, trees=0.4) == ""


def test_an_adaptive_kernel_that_matches_the_network():
    features = "learning features, not the network as such, makes the difference"
    assert features in said(0.5, 0.2, adaptive=0.2)
    assert "does as well as the network" in said(0.5, 0.2, adaptive=0.2)
    assert features in said(0.5, 0.2, adaptive=0.1)
    assert "does better than the network, error 0.1 against 0.2" in said(0.5, 0.2, adaptive=0.1)


def test_an_adaptive_kernel_that_does_not():
    assert "makes up 50% of the network's lead" in said(0.5, 0.2, adaptive=0.35)
    assert "is no match for the network" in said(0.5, 0.2, adaptive=0.5)
    assert said(0.2, 0.5, adaptive=0.3) == ""


def test_an_adaptive_kernel_better_than_both():
    assert "does better than both" in said(0.5, 0.5, adaptive=0.2)


def test_yardsticks_better_than_both():
    assert said(0.5, 0.4, trees=0.2) == (
        "Gradient-boosted trees do better than both: error 0.2 against 0.4 (3resnet) and 0.5 (ntk3)."
    )
    assert "A linear model (ridge) does better than both" in said(0.5, 0.4, ridge=0.2)
    assert said(0.5, 0.2, trees=0.3) == ""
    assert said(1.5, 1.4, trees=1.2) == ""  # no better than a constant


def test_a_linear_model_that_does_as_well():
    assert "A linear model (ridge) does as well as anything here" in said(0.4, 0.4, ridge=0.4, trees=0.45)
    assert "linear" not in said(0.4, 0.4, ridge=0.4, trees=0.3)
    assert "linear" not in said(0.4, 0.3, ridge=0.4)
    assert said(1.0, 1.0, ridge=1.0) == ""
