"""Chunks that are trained by SGD: divergence, weights, the first block."""

import numpy as np
import pytest
from safetensors.numpy import load

from kernelgap import problems
from kernelgap.runs import TrialStore, plan_chunks, run_chunk
from support import survival, tiny


def test_a_diverged_trial_is_a_result():
    trial = next(t for t in tiny.tiny.trials("quick", 0) if t.network == "2layer")
    explosive = trial.model_copy(update={"rate": 1e4, "decay": 0.1})
    (chunk,) = plan_chunks([trial, explosive])
    done, diverged = sorted(run_chunk(chunk).results, key=lambda r: r.status == "diverged")
    assert (done.status, diverged.status) == ("done", "diverged")
    assert diverged.test_error == float("inf")
    assert diverged.diverged_at > 0
    assert done.diverged_at is None
    assert len(diverged.curves["test"]) < len(diverged.curves["epochs"]) == len(done.curves["test"])


def test_all_small_networks_of_a_chunk_keep_their_weights_and_of_large_ones_the_best(chunks, tmp_path, monkeypatch):
    chunk = next(c for c in chunks if c.trials[0].kind == "sgd" and c.trials[0].network == "3resnet")
    results = run_chunk(chunk).results
    best = min(results, key=lambda r: r.validation_error)
    assert len(results) > 1
    assert all(r.weights is not None for r in results)
    monkeypatch.setattr("kernelgap.runs.trials.sgd.ALL_KEPT", len(results) * 100)
    results = run_chunk(chunk).results
    assert [r.trial_id for r in results if r.weights is not None] == [best.trial_id]
    with TrialStore.open(tmp_path) as store:
        store.save(chunk, run_chunk(chunk))
        (file,) = survival.weights_of(store, store.table()).values()
    problem = problems.get(chunk.trials[0].problem)
    X, _ = problem.sample(chunk.trials[0].test_samples, [chunk.trials[0].seed, 2])
    W, b1, V, b2, A = (load(file)[name].astype(float) for name in ("W", "b1", "V", "b2", "A"))
    out1 = np.maximum(X @ W.T + b1, 0) @ A.T
    out = out1 + np.maximum(out1 @ V.T + b2, 0) @ A.T
    # float32 sums over tens of terms: relative errors of some 1e-6
    assert best.test_error == pytest.approx(np.mean(np.sum((out - problem.target(X)) ** 2, axis=1)), rel=1e-5)
    assert best.curves["test"][-1] == best.test_error
    assert best.curves["base"][-1] == pytest.approx(np.mean(np.sum((out1 - problem.base(X)) ** 2, axis=1)), rel=1e-5)


def test_only_networks_with_a_first_block_record_its_output(chunks):
    for chunk in chunks:
        for result in run_chunk(chunk).results:
            assert ("base" in result.curves) == (chunk.trials[0].kind == "sgd" and chunk.trials[0].network == "3resnet")
