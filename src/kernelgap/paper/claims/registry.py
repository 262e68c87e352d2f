"""All claims by id. A module in one of the rooms is found by itself: it offers ``claim``, or several as ``claims``."""

import importlib
import pkgutil
from functools import cache

from kernelgap.errors import InputError, unknown
from kernelgap.paper.claims.claim import Claim

# In the order in which they are shown.
ROOMS = ("learners", "targets", "algorithms", "positive", "negative", "experiments")


@cache
def claims() -> dict[str, Claim]:
    """Every claim there is, room by room."""
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
    if name not in claims():
        raise unknown("claim", name, claims())
    return claims()[name]


def room_of(claim: Claim) -> str:
    return claim.location.split("/")[2]
