"""Studies: experiments beyond the paper's figures, whose parts are measured one by one."""

from kernelgap.paper.studies.registry import STUDIES, get
from kernelgap.paper.studies.study import Part, Study, StudyScale

__all__ = ["STUDIES", "Part", "Study", "StudyScale", "get"]
