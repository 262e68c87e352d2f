"""Objects show themselves: a line at a prompt, a table in a notebook."""

import doctest
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pytest

import kernelgap as kg
from kernelgap import display
from kernelgap.certificates.exact.every_point import ExactRisk
from kernelgap.certificates.files.checks import Check, Verification
from kernelgap.display import LONGEST, Card, Displayed
from support.figure_runs import Invented

PROBLEM = kg.problems.products(8, 2, alpha=0.5, block=1)


@pytest.fixture
def shown(tmp_path):
    """One of each kind."""
    bound = kg.certificates.any_kernel(PROBLEM, n=10)
    X, _ = PROBLEM.sample(10, seed=0)
    oracle = kg.certificates.oracle_risk(PROBLEM, "gaussian", X)
    claim = kg.certificates.kernel_gap(PROBLEM, 10, [0.01, 0.02], method="3resnet(all)")
    run = Invented().sgd(0.5, 0.4, width=4).ridge(1.0, 1.1).write(tmp_path)
    return {
        "problem": PROBLEM,
        "kernel": kg.kernels.get("ntk2"),
        "floor": bound,
        "gradients": kg.certificates.any_gradient(kg.problems.parity(10, k=3), steps=5, noise=0.1, gradient_norm=1.0),
        "oracle risk": oracle,
        "oracle risks": kg.certificates.oracle_risks(PROBLEM, "gaussian", X),
        "exact risk": ExactRisk(0.25, 256, 1e-9, 0.26, (0.2, 0.3), 100, 0.5),
        "kernel gap": claim,
        "predicted curve": kg.curves.predict(PROBLEM, "gaussian", [10, 20, 1000], "best"),
        "need": kg.curves.need(PROBLEM, "gaussian", 0.05),
        "run": run,
    }


class Table(HTMLParser):
    """The cells of a table, and tags that were left open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [], {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["th"]:
            self.name = data
        elif self.open[-1:] == ["td"]:
            self.cells[self.name] = data


def test_every_object_has_a_short_line_and_a_whole_table(shown):
    for name, thing in shown.items():
        line, table = repr(thing), Table(thing._repr_html_())
        assert line.startswith("<"), name
        assert line.endswith(">"), name
        assert len(line) < 300, (name, line)
        assert "\n" not in line
        assert table.open == [], name


def test_what_they_show_is_what_they_hold(shown):
    assert repr(PROBLEM) == f"<problem {PROBLEM.spec}: inputs 8, outputs 2, threshold 0.5>"
    assert Table(PROBLEM._repr_html_()).cells["leap"] == "1"
    assert repr(shown["kernel"]) == "<kernel ntk2>"
    bound = shown["floor"]
    assert Table(bound._repr_html_()).cells["mean risk"] == f"{bound.mean_risk:.4g}"
    assert "drawn uniformly" in Table(bound._repr_html_()).cells["rests on"]
    assert "fixed before the target is drawn" in Table(bound._repr_html_()).cells["rests on"]
    assert f"risk {shown['oracle risk'].risk:.4g}" in repr(shown["oracle risk"])
    curve = shown["predicted curve"]
    assert f"n 3 from 10 to 1000, risk 3 from {curve.risk[2]:.4g} to {curve.risk[0]:.4g}" in repr(curve)
    assert shown["need"].sentence in shown["need"]._repr_html_()
    assert "samples 10" in repr(shown["kernel gap"])
    assert Table(shown["run"]._repr_html_()).cells["results"] == "2"
    assert shown["run"].sentence.split()[0] in shown["run"]._repr_html_()
    assert Table(shown["oracle risks"]._repr_html_()).cells["targets"] == "28 (all)"


def test_a_failed_check_is_seen():
    class Claim:
        problem = "sec8"

    checks = (Check("The risk", "1", "2", False), Check("The mean", "1", "1", True))
    verification = Verification(Claim(), checks, ("The versions.",))
    assert repr(verification) == "<verification sec8: holds no, statements checked 2, failed The risk>"


def test_texts_are_escaped_and_cut():
    @dataclass(repr=False)
    class One(Displayed):
        value: object

        def _card(self):
            return Card("<b>", "&" * 100, {"<i>": self.value}, "a < b")

    page = One("<script>")._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page
    assert "a &lt; b" in page
    assert len(repr(One("x" * 1000))) < 3 * LONGEST
    assert "none" in repr(One(np.array([])))
    assert "yes, no" in repr(One(["yes", "no"]))


def test_examples():
    assert doctest.testmod(display) == (0, 1)
