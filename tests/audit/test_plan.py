"""Plans: as many samples, seeds and fits as rows, time and memory allow."""

import pytest

from kernelgap.audit.contenders.registry import FIRST
from kernelgap.audit.cost import fitting_seconds, judging_seconds
from kernelgap.audit.plan import EXACT, FILLED, FIRST_SAMPLES, RUNGS, AuditPlan, estimate, make_plan

GIB = 2**30


def plan(pool=400, inputs=10, outputs=1, *, budget=300.0, workers=2, memory=16 * GIB):
    return make_plan(pool, inputs, outputs, budget=budget, workers=workers, memory=memory)


def test_a_small_table_is_used_whole():
    found = plan()
    assert found.sizes == (50, 100, 200, 400)
    assert (found.seeds, found.fits, found.landmarks) == (3, 16, None)
    assert list(found.notices()) == []


@pytest.mark.parametrize("pool", [30, 400, 3_000, 50_000, 1_000_000])
@pytest.mark.parametrize("budget", [10.0, 60.0, 300.0, 7200.0])
def test_a_plan_keeps_to_its_budget_or_is_the_least(pool, budget):
    found = plan(pool, 20, 2, budget=budget)
    least = (found.fits, found.seeds) == (RUNGS[-1].fits, RUNGS[-1].seeds) and found.sizes[-1] <= 500
    assert least or estimate(found, 20, 2) <= FILLED * budget * 2
    assert found.sizes[-1] <= pool
    assert list(found.sizes) == sorted(set(found.sizes))


def test_more_time_is_never_less_thorough():
    found = [plan(2000, 30, 5, budget=budget) for budget in (20.0, 60.0, 300.0, 1200.0, 7200.0)]
    assert [p.sizes[-1] for p in found] == sorted(p.sizes[-1] for p in found)
    costs = [estimate(p, 30, 5) for p in found]
    assert costs == sorted(costs)


def test_fewer_rows_than_there_are_is_said():
    found = plan(1_000_000, 50, 1)
    notice = next(iter(found.notices()))
    assert found.sizes[-1] < 1_000_000
    assert f"allows {found.sizes[-1]:,} of 1,000,000 rows" in notice.sentence
    assert "5 min" in notice.sentence


def test_gram_matrices_that_have_no_room_are_approximated_and_that_is_said():
    roomy, tight = plan(4_000, 5, 1, budget=36_000.0), plan(4_000, 5, 1, budget=36_000.0, memory=int(1.2 * GIB))
    assert roomy.sizes[-1] == tight.sizes[-1] == 4_000 <= EXACT
    assert roomy.landmarks is None
    assert tight.landmarks is not None
    assert 5 * 8 * tight.landmarks**2 < 0.3 * GIB, "within a worker's share"
    assert tight.search_budget(4_000).landmarks == tight.landmarks
    assert tight.search_budget(50).landmarks is None, "a small sample has room"
    assert any("Nystroem" in notice.sentence for notice in tight.notices())


def test_epochs_shrink_as_samples_grow():
    found = plan()
    epochs = [found.search_budget(n).epochs for n in (50, 1_000, 4_000, 100_000)]
    assert epochs == sorted(epochs, reverse=True)
    assert epochs[-1] >= 1


def test_a_busy_machine_is_given_a_smaller_plan():
    sizes = {"budget": 60.0, "workers": 2, "memory": 2**34}
    idle, busy = make_plan(2000, 30, 1, **sizes), make_plan(2000, 30, 1, **sizes, slowdown=4.0)
    assert estimate(busy, 30, 1) < estimate(idle, 30, 1)
    assert any("busy (work takes 4.0 times as long)" in notice.sentence for notice in busy.notices())
    assert not any("busy" in notice.sentence for notice in idle.notices())


@pytest.mark.parametrize("sizes", [(24,), (120,), (43, 86, 172, 345), (1000, 2000, 4000)])
def test_who_comes_first_has_few_samples_of_an_own_number(sizes):
    found = AuditPlan(sizes=sizes, seeds=3, fits=16, landmarks=None, most_rows=3000, pool_rows=sizes[-1], budget=60.0)
    assert found.first_samples not in sizes
    assert sizes[-1] / 2 <= found.first_samples < sizes[-1] or found.first_samples == FIRST_SAMPLES


def test_a_plan_of_an_earlier_version_is_read():
    found = make_plan(1000, 10, 1, budget=600.0, workers=2, memory=GIB, slowdown=1.5)
    stored = found.model_dump()
    older = {**stored, "of": stored.pop("pool_rows"), "pace": stored.pop("slowdown")}
    assert AuditPlan(**{n: v for n, v in older.items() if n not in ("pool_rows", "slowdown")}) == found


def test_those_that_come_first_take_a_part_of_the_budget_however_wide_a_table_is():
    usual, wide = plan(budget=10.0), plan(160, 20_000, budget=10.0)
    assert (usual.first_fits, usual.first_epochs) == (4, 60)
    assert (wide.first_fits, wide.first_epochs) < (2, 60)

    def seconds(found, inputs, **effort):
        size = found.first_samples, inputs, 1, found.first_search_budget.model_copy(update=effort)
        return 2 * sum(judging_seconds(name, *size) + fitting_seconds(name, *size) for name in FIRST)

    assert seconds(usual, 10) <= 1.5
    assert seconds(wide, 20_000) <= 3.0 < 10.0 < seconds(wide, 20_000, fits=4, epochs=60)
    assert plan(160, 20_000, budget=3600.0).first_epochs == 60
