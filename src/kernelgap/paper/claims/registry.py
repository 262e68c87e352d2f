"""All claims by id. A module in the folder of a section is found by itself: it offers ``claim`` or ``claims``."""

import importlib
import pkgutil
from functools import cache

from kernelgap.errors import InputError, unknown
from kernelgap.paper.claims.claim import Claim
from kernelgap.registry import Registry, load_extensions

SECTIONS = (
    "learners",
    "targets",
    "algorithms",
    "positive",
    "lemmas",
    "negative",
    "experiments",
    "talk",
)  # in the order shown
OWN = "own"  # the section of claims that users register
_REGISTERED: Registry[Claim] = Registry("claim", {})


def register(claim: Claim) -> Claim:
    """Add a claim of one's own, under its id, and return it.

    Parameters
    ----------
    claim
        A claim whose id is a word that is not taken.

    Returns
    -------
    The claim, so that it can be kept in a variable, too.

    Raises
    ------
    InputError
        If its id is no word, or there is a claim of that id already.
    """
    if claim.id in _built_in():
        raise InputError(f"There is a claim '{claim.id}' already: choose another id.")
    return _REGISTERED.register(claim.id, claim)


def claims() -> dict[str, Claim]:
    """Every claim there is: section by section, then those that users registered."""
    load_extensions()
    return {**_built_in(), **_REGISTERED}


@cache
def _built_in() -> dict[str, Claim]:
    by_id: dict[str, Claim] = {}
    for section in SECTIONS:
        package = importlib.import_module(f"kernelgap.paper.claims.{section}")
        for module in pkgutil.iter_modules(package.__path__):
            home = importlib.import_module(f"{package.__name__}.{module.name}")
            for claim in home.claims if hasattr(home, "claims") else (home.claim,):
                if claim.id in by_id:
                    raise InputError(f"Two claims are called {claim.id}: {by_id[claim.id].location}, {claim.location}.")
                by_id[claim.id] = claim
    return by_id


def get(name: str) -> Claim:
    """The claim with an id.

    Parameters
    ----------
    name
        The id.

    Returns
    -------
    The claim.

    Raises
    ------
    InputError
        If there is none; the message suggests one.
    """
    known = claims()
    if name not in known:
        raise unknown("claim", name, known)
    return known[name]


def section_of(claim: Claim) -> str:
    return claim.location.split("/")[2] if claim.id in _built_in() else OWN
