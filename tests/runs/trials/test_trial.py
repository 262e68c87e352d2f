"""Descriptions of trials: identity, and what is refused."""

import pytest

from kernelgap.errors import InputError
from kernelgap.runs import make_ridge_trial, make_trial, plan_chunks, run_chunk
from kernelgap.runs.trials.trial import Trial
from support import tiny


def test_the_identity_of_a_trial_is_its_description():
    trial = make_trial(**tiny.DESCRIPTION)
    assert trial.id == make_trial(**tiny.DESCRIPTION).id
    assert trial.id == Trial.model_validate_json(trial.model_dump_json()).id
    assert (
        len(
            {
                make_trial(**{**tiny.DESCRIPTION, key: value}).id
                for key, value in [("seed", 0), ("rate", 0.2), ("width", 21)]
            }
        )
        == 3
    )
    assert trial.id == make_trial(**{**tiny.DESCRIPTION, "problem": "sec8(alpha=0.3)"}).id
    assert trial.method == "3resnet(all)"


def test_identities_stay_as_they_are():
    """Else no run that was interrupted before an update would go on after it."""
    ridge = {"problem": "sec8", "samples": 500, "seed": 0, "kernel": "ntk2", "ridge": 1e-5}
    assert make_trial(**tiny.DESCRIPTION).id == "8cfffc0663f5b586"
    assert make_ridge_trial(**ridge).id == "802ff839abe4191a"
    assert make_trial(**{**tiny.DESCRIPTION, "mode": "ntk"}).method == "3resnet(NTK, SGD)"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"width": 0}, "width = 0"),
        ({"decay": -1.0}, "decay = -1.0"),
        ({"rate": float("inf")}, "rate = inf"),
        ({"samples": 20}, "do not fill a batch"),
        ({"network": "3restnet"}, "Did you mean '3resnet'"),
        ({"mode": "hiden"}, "Did you mean 'hidden'"),
        ({"problem": "sek8"}, "Did you mean 'sec8'"),
        ({"seed": -1}, "seed = -1"),
        ({"seed": 2**32}, "seed = 4294967296"),
        ({"colour": 1}, "colour"),
    ],
)
def test_impossible_trials(change, words):
    with pytest.raises(InputError, match=words):
        make_trial(**{**tiny.DESCRIPTION, **change})


def test_test_errors_are_against_the_target_without_noise():
    trial = next(t for t in tiny.tiny.trials("quick", 0))
    noisy = make_trial(**{**trial.model_dump(), "problem": "hard(d=6, k=2, alpha=0.3, noise=5.0)", "rate": 1e-6})
    (result,) = run_chunk(plan_chunks([noisy])[0]).results
    assert result.validation_error > 20
    assert result.test_error < 10
