"""Compute a certificate of format 1 again: as one of format 2, and its sentence."""

from dataclasses import replace
from pathlib import Path

from kernelgap.certificates.files.checks import Check, Verification
from kernelgap.certificates.files.format1.reading import ROOM, Certificate1
from kernelgap.certificates.files.format2.verification import verify_format2
from kernelgap.progress import Progress


def verify_format1(certificate: Certificate1, resume: str | Path | None, on_progress: Progress) -> Verification:
    """Recompute all that the file claims."""
    found, stated = verify_format2(certificate, resume, on_progress), certificate.stated
    same = stated.sentence == stated.own_sentence
    sentence = Check("The sentence says what the numbers say", "as it says", "the same" if same else "another", same)
    matrix = f"{found.claim.any_kernel.matrix_valued_samples_for_same_risk:,}"  # type: ignore[union-attr]
    old = (
        "It is of format 1, the oldest one, about one network: whether its start was picked among many, no file shows. "
        f"Its risk and its floors hold up to {ROOM:g} of |H|^2. Where its sentence says 'any kernel', it means any "
        f"scalar one; a matrix-valued kernel needs {matrix} samples."
    )
    return replace(found, checks=(*found.checks, sentence), trusted=(old, *found.trusted[1:]))
