"""Claims as a run: kept, resumed, judged anew, shown."""

import json
import sqlite3
from contextlib import closing

import pytest

from kernelgap.errors import InputError
from kernelgap.paper.claims import Claim, Line, Picture, Verdict, registry
from kernelgap.paper.claims.measurement import ClaimChunk, ClaimStore, measure
from kernelgap.paper.claims.result import read_claims
from kernelgap.reports.common.picture_chart import picture_chart
from kernelgap.runs import read_status
from kernelgap.runs.start import run as start

CHEAP = ["lemma.d1", "lemma.d2", "cifar.kernels"]
OUTCOMES = dict(zip(CHEAP, ("holds", "holds", "undecided"), strict=True))


def run_claims(names, scale="quick", out=None, **options):
    return start("claims", scale, out, claims=names, **options)


def test_what_is_measured_is_kept_and_not_measured_again(tmp_path, monkeypatch):
    first = run_claims(CHEAP, out=tmp_path, workers=1)
    assert {f.claim.id for f in first.findings} == set(CHEAP)
    assert {f.claim.id: f.verdict.outcome for f in first.findings} == OUTCOMES
    assert first.sentence == (
        "Of 3 claims 2 hold, 0 fail and 1 are undecided at scale quick. Identities among them, which check this code "
        "and are no evidence for the paper: 2."
    )
    assert first.only(["cifar.kernels"]).sentence == "Of 1 claims 0 hold, 0 fail and 1 are undecided at scale quick."
    record = first.as_record()
    assert record["identities"] == 2
    assert {each["id"]: each["identity"] for each in record["claims"]} == {
        "lemma.d1": True,
        "lemma.d2": True,
        "cifar.kernels": False,
    }
    monkeypatch.setattr("kernelgap.runs.runner.local_workers", lambda *arguments: pytest.fail("a worker was started"))
    again = run_claims(CHEAP, out=tmp_path)
    assert [f.numbers for f in again.findings] == [f.numbers for f in first.findings]
    assert {f.claim.id for f in read_claims(tmp_path).findings} == set(CHEAP)
    assert (read_status(tmp_path).done, read_status(tmp_path).chunks) == (3, 3)
    with ClaimStore.open(tmp_path) as ledger:  # as a start that was interrupted leaves it
        ledger.note({"chunks": [ClaimChunk(name, "quick", 0).id for name in [*CHEAP, "fig2a"]]})
    assert (read_status(tmp_path).done, read_status(tmp_path).chunks) == (3, 4)


def test_numbers_that_cannot_be_judged_are_the_files_fault(tmp_path):
    run_claims(["lemma.d2"], out=tmp_path, workers=1)
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as connection, connection:
        connection.execute("""UPDATE measurements SET numbers = '{"d": {}}'""")
    with pytest.raises(InputError, match="what was measured cannot be used"):
        run_claims(["lemma.d2"], out=tmp_path)


def test_a_folder_has_one_scale_and_seed(tmp_path):
    run_claims(["lemma.d2"], out=tmp_path, workers=1)
    with pytest.raises(InputError, match="differs in seed"):
        run_claims(["lemma.d2"], out=tmp_path, seed=1)


def false(numbers):
    return Verdict("fails", "2", "It is 2.")


def fake(scale, seed):
    if scale == "full":
        raise ZeroDivisionError("too large")
    return {"value": 2, "x": [1.0, 2.0]}


def picture(numbers):
    lines = (Line("a", numbers["x"], [1.0, 0.0]), Line("b", numbers["x"], [1.0, 2.0], [0.5, 0.0], [2.0, 3.0]))
    return Picture("x", "y", lines, (("level", 1.5),), x_axis="log", y_axis="log")


FAKE = Claim("fake", "nowhere", "One is two, and it is said at some length.", "1", fake, false, picture)


@pytest.fixture
def with_a_false_claim(monkeypatch):
    monkeypatch.setitem(registry._REGISTERED, "fake", FAKE)


def keep(folder, *claims, scale="quick"):
    """Measured here, without workers."""
    with ClaimStore.open(folder) as ledger:
        ledger.describe({"experiment": "claims", "scale": scale, "seed": 0})
        for name in claims:
            work = ClaimChunk(name, scale, 0)
            ledger.save(work, measure(work))


def test_a_false_claim_is_shown_failing(tmp_path, with_a_false_claim):
    keep(tmp_path, "fake", "lemma.d2")
    run = read_claims(tmp_path)
    assert run.count("fails") == 1
    page = run.report().read_text()
    assert "1 fail" in page
    assert "It is 2." in page
    assert 'data-kinds="fails"' in page  # the false one
    assert 'data-kinds="holds identity"' in page  # lemma.d2
    assert "1 identities" in page
    assert {path.suffix for path in (tmp_path / "charts").iterdir()} == {".svg", ".png", ".pdf"}
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_measurement_that_breaks_is_undecided_with_its_error(tmp_path, with_a_false_claim):
    class Here:
        """An executor that works here: the false claim is not known elsewhere."""

        def submit(self, do, *arguments):
            from concurrent.futures import Future

            future: Future = Future()
            try:
                future.set_result(do(*arguments))
            except Exception as error:
                future.set_exception(error)
            return future

    def in_this_process(count, do):
        from contextlib import nullcontext

        from kernelgap.runs.workers.pool import ExecutorWorkers

        return nullcontext(ExecutorWorkers(Here(), 1, do))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernelgap.runs.runner.local_workers", in_this_process)
        run = run_claims(["fake"], "full", tmp_path)
    verdict = run.findings[0].verdict
    assert verdict.outcome == "undecided"
    assert "ZeroDivisionError: too large" in verdict.reason
    json.dumps(run.findings[0].as_record(), allow_nan=False)


def test_a_measurement_has_its_claim_scale_and_seed():
    works = [ClaimChunk("lemma.d2", scale, seed) for scale, seed in (("quick", 0), ("full", 0), ("quick", 1))]
    assert len({work.id for work in works}) == 3


def test_one_claim_of_several_is_shown_alone(tmp_path):
    keep(tmp_path, "lemma.d1", "lemma.d2")
    one = read_claims(tmp_path).only(["lemma.d2"])
    assert one.sentence.startswith("Of 1 claims")
    assert [record["id"] for record in one.as_record()["claims"]] == ["lemma.d2"]


def test_nothing_measured_is_said(tmp_path):
    keep(tmp_path)
    with pytest.raises(InputError, match="Nothing was measured"):
        read_claims(tmp_path)


@pytest.mark.parametrize(("arguments", "words"), [({"scale": "huge"}, "quick"), ({"seed": -1}, "seed")])
def test_bad_arguments_are_refused(tmp_path, arguments, words):
    with pytest.raises(InputError, match=words):
        run_claims(["fig2a"], out=tmp_path, **arguments)


def test_a_picture_leaves_out_what_a_logarithm_cannot_show():
    chart = picture_chart(picture({"x": [1.0, 2.0]}), on_page=False, title="t").to_dict()
    values = [value for data in chart["datasets"].values() for value in data if "y" in value]
    assert len({(v["name"], v["x"]) for v in values}) == 3
    assert all(v["low"] is None or v["low"] > 0 for v in values)
