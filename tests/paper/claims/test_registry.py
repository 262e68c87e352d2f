"""Every statement is there, each with all that a reader needs."""

import json
import re
from pathlib import Path

import pytest

from kernelgap.errors import InputError
from kernelgap.paper import claims as claims_package
from kernelgap.paper.claims import Claim, claims, get, holds_if
from kernelgap.paper.claims.registry import SECTIONS, section_of

LEARNERS = (
    "net.resnet net.bottleneck net.init.theory net.init.experiment net.init.fan_in net.fc net.modes net.gated net.conv"
)
TARGETS = (
    "target.concept1 target.concept2 target.lemma_a2 target.fact_a3 target.fact_a3.printed target.hard target.sec8 "
    "target.slides complexity.cs complexity.example41 complexity.compose complexity.polarise complexity.z10"
)
ALGORITHMS = "algo.sgd algo.multipass algo.noisy algo.layerwise"
POSITIVE = (
    "thm1.risk thm1.samples thm1.alpha thm1.alpha.k thm1.to_zero thm1.distribution thm1.multipass thm1.all_layers "
    "thm1.agnostic thm1.table1 thm1.nonvacuous hier.forward hier.backward hier.backward.samples lazy.two_layer "
    "leap.exponent tangent.edge"
)
LEMMAS = (
    "lemma.c1 lemma.c2 lemma.c3 fact.c4 claim.c5 claim.c6 claim.c7 thm1.xi thm1.one_point lemma.e1 lemma.e2 lemma.e3 "
    "lemma.e3.corrected prob.b"
)
NEGATIVE = (
    "thm2.kernels thm2.d2 thm2.correlation thm2.trivial thm2.sketch thm2.sketch.corrected thm2.example thm3.features "
    "thm3.cost thm3.example conf.example lemma.d1 lemma.d2 bound.sharp adaptive.sec8 gradient.floor "
    "curve.kernel curve.need"
)
EXPERIMENTS = "fig2a fig2b fig3a fig3b fig4a fig4b fig4.built sec82.rademacher slides.a slides.b slides.gated"
TALK = "talk.l1 talk.circuits talk.oops cifar.kernels"
ALL = {
    "learners": LEARNERS,
    "targets": TARGETS,
    "algorithms": ALGORITHMS,
    "positive": POSITIVE,
    "lemmas": LEMMAS,
    "negative": NEGATIVE,
    "experiments": EXPERIMENTS,
    "talk": TALK,
}


# Definitions, identities, and theorems whose short proof the measurement rests on: only our code can make them fail.
IDENTITIES = (
    "talk.circuits net.resnet net.bottleneck net.init.theory net.init.experiment net.fc net.modes algo.multipass "
    "target.concept1 target.concept2 target.lemma_a2 target.fact_a3 target.hard target.sec8 target.slides "
    "complexity.cs complexity.compose complexity.polarise "
    "fact.c4 thm1.xi lemma.e3.corrected lemma.d1 lemma.d2 bound.sharp curve.need"
)


def test_what_cannot_fail_is_shown_as_an_identity() -> None:
    assert {claim.id for claim in claims().values() if claim.identity} == set(IDENTITIES.split())


def test_every_statement_has_its_claim_and_no_claim_is_without_one() -> None:
    assert {section: set(ids.split()) for section, ids in ALL.items()} == {
        section: {claim.id for claim in claims().values() if section_of(claim) == section} for section in SECTIONS
    }


@pytest.mark.parametrize("claim", claims().values(), ids=lambda claim: claim.id)
def test_a_claim_says_what_a_reader_needs(claim: Claim) -> None:
    for text in (claim.source, claim.statement, claim.stated):
        assert text == text.strip() != ""
    assert claim.statement.endswith((".", ")"))
    assert len(claim.statement) > 40
    name, line = claim.location.rsplit(":", 1)
    assert name.startswith("paper/claims/")
    assert int(line) > 1


def test_no_text_speaks_of_any_kernel_where_a_scalar_one_that_is_fixed_beforehand_is_meant() -> None:
    claims_folder = Path(claims_package.__file__).parent
    docs = Path(__file__).parents[3] / "docs" / "claims.md"
    said = {path.name: path.read_text() for path in (docs, *claims_folder.rglob("*.py"))}
    assert [name for name, text in said.items() if re.search(r"\bany\s+kernel\b", text, re.IGNORECASE)] == []


def test_an_unknown_claim_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match=r"fig2a"):
        get("fig2")


def test_holds_if_fails_else() -> None:
    assert holds_if(True, "1").outcome == "holds"
    assert holds_if(False, "1").outcome == "fails"


def test_numbers_are_plain() -> None:
    claim = get("lemma.d2")
    numbers = claim.measure("quick", 0)
    assert claim.judge(json.loads(json.dumps(numbers, allow_nan=False))) == claim.judge(numbers)
