"""All claims by id. A module in one of the rooms is found by itself: it offers ``claim``, or several as ``claims``."""

import importlib
import pkgutil
from functools import cache

from kernelgap.errors import InputError, unknown
from kernelgap.paper.claims.claim import Claim
from kernelgap.registry import Registry, load_extensions

# In the order in which they are shown.
ROOMS = ("learners", "targets", "algorithms", "positive", "negative", "experiments")


OWN = "own"  # the room of claims that users register
_REGISTERED: Registry[Claim] = Registry("claim", {})


def register(claim: Claim) -> Claim:
    """Add a claim of one's own, under its id."""
    if claim.id in _built_in():
        raise InputError(f"There is a claim '{claim.id}' already: choose another id.")
    return _REGISTERED.register(claim.id, claim)


def claims() -> dict[str, Claim]:
    """Every claim there is: room by room, then those that users registered."""
    load_extensions()
    return {**_built_in(), **_REGISTERED}


@cache
def _built_in() -> dict[str, Claim]:
    found: dict[str, Claim] = {}
    for room in ROOMS:
        package = importlib.import_module(f"kernelgap.paper.claims.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            home = importlib.import_module(f"{package.__name__}.{module.name}")
            for claim in home.claims if hasattr(home, "claims") else (home.claim,):
                if claim.id in found:
                    raise InputError(f"Two claims are called {claim.id}: {found[claim.id].location}, {claim.location}.")
                found[claim.id] = claim
    return found


def get(name: str) -> Claim:
    """A claim by its id."""
    known = claims()
    if name not in known:
        raise unknown("claim", name, known)
    return known[name]


def room_of(claim: Claim) -> str:
    return claim.location.split("/")[2] if claim.id in _built_in() else OWN
