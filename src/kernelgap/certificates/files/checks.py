"""What a verifier says of a certificate: statement by statement, and what it takes on trust."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelgap.display import Card, Displayed

if TYPE_CHECKING:
    from kernelgap.certificates.files.claim import CertifiedClaim
    from kernelgap.certificates.files.format2.claim import Claim2

SHOWN = ("rate", "decay", "epochs", "batch")  # of the training


@dataclass(frozen=True)
class Check:
    """One statement of a certificate, and what came out.

    Attributes
    ----------
    what
        What the statement is about.
    stated, found
        What the certificate says, and what the verifier computed.
    holds
        Whether the computation supports the statement.
    """

    what: str
    stated: str
    found: str
    holds: bool


@dataclass(frozen=True, repr=False)
class Verification(Displayed):
    """What holds of a certificate, and what it asks to be believed.

    Attributes
    ----------
    claim
        All that the certificate states.
    checks
        Each statement that was computed again.
    trusted
        What cannot be computed from the file, a sentence each.
    """

    claim: "CertifiedClaim | Claim2"
    checks: tuple[Check, ...]
    trusted: tuple[str, ...] = ()

    def _card(self) -> Card:
        failed = [check.what for check in self.checks if not check.holds]
        facts: dict[str, object] = {"holds": "yes" if self.holds else "no", "statements checked": len(self.checks)}
        facts |= {"failed": ", ".join(failed)} if failed else {}
        return Card("verification", self.claim.problem, facts | {"to be believed": " ".join(self.trusted)})

    @property
    def holds(self) -> bool:
        return all(check.holds for check in self.checks)


Verdict = Verification  # its earlier name


def same(what: str, stated: object, found: object) -> Check:
    """A statement that must be repeated exactly."""
    return Check(what, shown(stated), shown(found), stated == found)


def shown(value: object) -> str:
    """A value in a table: short, as fractions can have hundreds of digits."""
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value}"
    return text if len(text) <= 40 else f"{text[:20]}...{text[-12:]}"


def interval(low: float, high: float, digits: int) -> str:
    return f"[{low:.{digits}g}, {high:.{digits}g}]"


def description_check(own: Mapping[str, object], training: Mapping[str, object]) -> Check:
    """Where the description of the training repeats what the certificate states, it says the same."""
    others = [name for name in own if name in training and training[name] != own[name]]
    found = f"it has {others[0]} {training[others[0]]}, not {own[others[0]]}" if others else "the same"
    return Check("The description of the training fits the claim", "the same", found, not others)


def trusted_training(mode: str | None, training: Mapping[str, object], *, several: bool) -> str:
    """How networks were trained: nothing in a file shows it."""
    layers = {"all": "all layers were", "hidden": "the hidden layers alone were", None: "it was"}[mode]
    if several and mode is None:
        layers = "they were"
    settings = ", ".join(f"{name} {value}" for name, value in training.items() if name in SHOWN)
    settings = f" ({settings})" if settings else ""
    what = "How they were trained" if several else "How it was trained"
    return f"{what}: that {layers} trained{settings}. Try it: kernelgap verify --retrain."


def trusted_versions(versions: Mapping[str, str]) -> str:
    return f"What it was made with: {', '.join(f'{name} {text}' for name, text in versions.items())}."
