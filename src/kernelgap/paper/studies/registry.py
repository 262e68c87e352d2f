"""The studies by name."""

from kernelgap.errors import unknown
from kernelgap.paper.studies.leap_map import leap_map
from kernelgap.paper.studies.outside import outside
from kernelgap.paper.studies.study import Study

STUDIES: dict[str, Study] = {study.name: study for study in (outside, leap_map)}


def get(name: str) -> Study:
    """A study by name.

    Parameters
    ----------
    name
        "outside" or "map".

    Raises
    ------
    InputError
        If there is no such study.
    """
    if name not in STUDIES:
        raise unknown("experiment", name, STUDIES)
    return STUDIES[name]
