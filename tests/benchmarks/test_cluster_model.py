"""The simulation of a run, against closed forms."""

import math

import pytest


@pytest.fixture(scope="module")
def model(benchmark_module):
    return benchmark_module("cluster_model")


@pytest.mark.parametrize(("chunks", "workers"), [(1, 1), (7, 2), (100, 10), (101, 10)])
def test_without_costs_equal_chunks_take_as_long_as_the_fullest_worker(model, chunks, workers):
    wall = model.simulate([3.0] * chunks, workers, model.Costs(0.0, 0.0))
    assert wall == pytest.approx(3.0 * math.ceil(chunks / workers))


def test_short_chunks_take_as_long_as_the_coordinator(model):
    costs = model.Costs(send=0.002, store=0.003)
    assert model.simulate([1e-6] * 500, 100, costs) == pytest.approx(500 * 0.005, rel=0.01)


def test_one_worker_hides_the_coordinator_behind_a_second_chunk(model):
    costs = model.Costs(send=0.1, store=0.2, start=1.0)
    assert model.simulate([2.0] * 10, 1, costs) == pytest.approx(1.0 + 10 * 2.0 + 0.2)
    alone = model.simulate([2.0] * 10, 1, costs, line=1)  # each waits until the one before it is stored
    assert alone == pytest.approx(1.0 + 10 * 2.0 + 10 * 0.2 + 9 * 0.1)


def test_a_slow_network_is_the_limit(model):
    costs = model.Costs(0.0, 0.0, out=100.0, bandwidth=50.0)  # 2 s a chunk, one after another
    assert model.simulate([0.5] * 20, 10, costs) == pytest.approx(20 * 2.0 + 0.5)


@pytest.mark.parametrize("workers", [1, 2, 10, 100])
def test_no_run_beats_its_workers_or_its_coordinator(model, workers, rng):
    costs = model.Costs(send=0.01, store=0.02, latency=0.001)
    chunks = rng.exponential(1.0, 300).tolist()
    wall = model.simulate(chunks, workers, costs)
    assert wall >= max(sum(chunks) / workers, 300 * 0.03)


def test_the_shortest_chunk_is_where_the_coordinator_keeps_up(model):
    """W workers ask for W chunks in the time of one: busy for 90% from 0.9 W (send + store) on, in a long run."""
    costs = model.Costs(send=0.004, store=0.006)
    assert model.shortest(10, costs) == pytest.approx(0.9 * 10 * 0.01, rel=0.1)
    assert model.busy(0.05, 10, costs) < 0.9 < model.busy(0.2, 10, costs)
