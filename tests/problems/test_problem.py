"""Problems by text: what is wrong with one is said in a sentence."""

import re

import pytest

import kernelgap as kg
from kernelgap.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sek8", "Did you mean 'sec8'"),
        ("sec9", "Unknown problem 'sec9'. Known: "),
        ("hard", "missing"),
        ("hard(d=3, k=5, alpha=0.3)", "2 <= k <= d1 <= d"),
        ("hard(d=5, k=2, alpha=0.3, background='gausian')", "Did you mean 'gaussian'"),
        ("sec8(alpha=-1)", "alpha must be"),
        ("sec8(noise=float('nan'))", "not a plain number"),
        ("sec8(gamma=1)", "gamma"),
        ("sec8(__import__('os'))", "is not a name or a call"),
        ("sec8(alpha=0.3", "is not a name or a call"),
        ("sec8(alpha=0.3, alpha=0.4)", "is not a name or a call"),
        ("concept2(d=4, k=2, alpha=0.1, F='exp(z)')", "sinh(z) + 1"),
        ("concept1(d=4, k=2, alpha=0.1, inputs='gaussian')", "unit inputs"),
        ("concept1(d=4, k=2, alpha=0.1, pF=0)", "pF must be"),
        ("concept1(d=4, k=2, alpha=0.1, size='big')", "Unknown size"),
        ("concept1(d=4, k=2, alpha=0.1, F=[])", "Activations are"),
        ("concept1(d=4, k=2, alpha=0.1, form=3)", "form is 1 or 2"),
        ("concept1(d=4)", "missing"),
        ("convolutional(patches=2, d=5, alpha=0.3)", "even d"),
        ("convolutional(patches=2, d=6, alpha=0.3, k=2)", "k = d/2"),
        ("convolutional(patches=2, d=6, alpha=0.3, inputs='sphere')", "inputs = 'signs'"),
        ("convolutional(patches=2, d=6, alpha=0.3, degree=4)", "product of 2 to 3"),
        ("convolutional(patches=2, d=6, alpha=0.3, degree=1)", "product of 2 to 3"),
        ("convolutional(patches=0, d=6, alpha=0.3)", "patches must be"),
        ("convolutional(patches=2, d=6, alpha=0.3, v=[1])", "2 finite numbers"),
        ("convolutional(patches=2, d=6, alpha=-1)", "alpha must be"),
        ("convolutional(patches=2, d=6, alpha=0.3, F='sin(z)', inputs='spere')", "Did you mean 'sphere'"),
        ("convolutional(patches=2)", "missing"),
        ("staircase", "missing"),
        ("staircase(d=0)", "d must be a whole number, at least 1"),
        ("staircase(d=2, degrees=[1, 2, 3])", "A degree must be at most 2"),
        ("staircase(d=5, degrees=[])", "degrees must be a list"),
        ("staircase(d=5, degrees=3)", "degrees must be a list"),
        ("staircase(d=5, degrees=[2, 1])", "degrees must rise"),
        ("staircase(d=5, degrees=[1, 1])", "degrees must rise"),
        ("staircase(d=5, degrees=[0, 1])", "at least 1"),
        ("staircase(d=5, degrees=[1, 'two'])", "A degree must be a whole number"),
        ("staircase(d=5, variance=-1)", "variance must be"),
        ("staircase(d=5, noise=-1)", "noise must be"),
        ("leaps(d=5, leap=2)", "degree must be at most 5"),
        ("leaps(d=9, leap=7)", "leap must be at most 6"),
        ("leaps(d=9, leap=0)", "at least 1"),
        ("merged(d=5, count=2)", "need 6 coordinates"),
        ("merged(d=5, count=1)", "at least 2"),
        ("leaking(d=5)", "k must be at most 5"),
        ("leaking(d=8, known=7)", "known must be at most 6"),
        ("leaking(d=8, leak=0)", "leak must be positive"),
        ("leaking(d=8, leak=-0.1)", "leak must be"),
        ("hierarchy(d=4, alpha=0.3)", "outputs <= d / block"),
        ("hierarchy(d=40, alpha=0.3, outputs=3)", "outputs=3"),
        ("hierarchy(d=8, alpha=0.3, depth=1)", "at least 2"),
        ("hierarchy(d=8, alpha=0.3, depth=400)", "depth=400"),
        ("hierarchy(d=8, alpha=0.3, block=0)", "at least 1"),
        ("hierarchy(d=8, alpha=-0.3)", "alpha must be"),
        ("stairs(d=8)", "Did you mean 'staircase'"),
    ],
)
def test_mistakes_get_a_sentence(text, words):
    with pytest.raises(InputError, match=re.escape(words)):
        kg.problems.get(text)
