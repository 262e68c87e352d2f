"""Problems by text: what is wrong with one is said in a sentence."""

import re

import pytest

import kernelgap as kg
from kernelgap.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sec9", "Did you mean 'sec8'"),
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
    ],
)
def test_mistakes_get_a_sentence(text, words):
    with pytest.raises(InputError, match=re.escape(words)):
        kg.problems.get(text)
