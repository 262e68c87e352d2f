"""The kinds of run: figure, study, claims, images, audit. Each registers what differs; the rest is written once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelgap.errors import InputError
from kernelgap.progress import Progress
from kernelgap.runs.environment import code_digest
from kernelgap.runs.result import Run
from kernelgap.runs.store import KindStore, ResultStore
from kernelgap.runs.work import Work, WorkFunction

if TYPE_CHECKING:
    from collections.abc import Mapping

# Where each kind is defined, as KIND. Imported when first used: kinds are above this folder.
HOMES = {
    "figure": "kernelgap.paper.figures.kind",
    "study": "kernelgap.paper.studies.kind",
    "claims": "kernelgap.paper.claims.kind",
    "images": "kernelgap.images.experiment.kind",
    "audit": "kernelgap.audit.kind",
}
STUDIES = ("outside", "map")  # experiments that are runs of the kind "study"
# Single files that the numbers of every kind depend on: seeds, flags of the compiler, threads, inputs, names as text.
SHARED_CODE = ("seeds.py", "native.py", "machine.py", "rows.py", "calls.py")


@dataclass(frozen=True)
class Plan:
    """What a run is to do: a description that the folder must agree with, notes for the page, and the work.

    ``more`` names chunks that follow from what is stored: a search's next settings. It is asked after each chunk.
    """

    folder: Path
    description: "Mapping[str, object]"
    notes: "Mapping[str, object]"
    chunks: Sequence[Work]
    title: str
    estimate: "Callable[[Sequence[Any], int | None], float] | None" = None  # seconds for chunks, on so many workers
    more: "Callable[[Any], Sequence[Work]] | None" = None


@dataclass(frozen=True)
class Kind:
    """What differs between the kinds of run.

    ``plan`` makes a ``Plan`` of what was asked; ``work`` does a chunk of it in a worker; ``store`` keeps the results;
    ``read`` makes a ``Run`` of a folder; ``conclude`` computes, once all is done, what the run is to store beside the
    results; ``page`` names the function that writes the page, as "module:function". ``command`` goes on with such a
    run, and ``code`` names the folders and files of the package on which its numbers depend.
    """

    store: type[KindStore]
    work: WorkFunction
    read: Callable[[Path], Run]
    page: str
    code: tuple[str, ...]
    command: str = "run"
    plan: Callable[..., Plan] | None = None
    conclude: Callable[[Any, Progress], dict[str, Any]] | None = None
    failures_are_results: bool = False  # a run in which all failed is a run, too

    @property
    def name(self) -> str:
        return self.store.KIND

    def describe(self, asked: "Mapping[str, object]") -> dict[str, object]:
        """What identifies a run: what was asked, the version, and the code on which its numbers depend."""
        made_by = {"kernelgap version": version("kernelgap"), "code": code_digest(self.code)}
        return {"kind": self.name, **asked, **made_by}

    def write_page(self, run: Run, **options: Any) -> Path:
        module, _, function = self.page.partition(":")
        path: Path = getattr(import_module(module), function)(run, **options)
        return path


def kind_named(name: str) -> Kind:
    kind: Kind = import_module(HOMES[name]).KIND
    return kind


def kind_for(name: str) -> Kind:
    """The kind of the run that a name starts: "claims", "images" and "audit" are kinds, others are experiments."""
    if name in STUDIES:
        return kind_named("study")
    return kind_named(name if name in HOMES and name not in ("figure", "study") else "figure")


def kind_of(folder: str | Path) -> Kind:
    """The kind of the run in a folder."""
    with ResultStore.reading(folder) as store:
        name = store.kind()
    if name not in HOMES:
        raise InputError(f"'{folder}' holds a run of the kind '{name}', which this version does not know.")
    return kind_named(name)


def read_run(folder: str | Path) -> Run:
    """The run in a folder, as far as it is finished.

    Parameters
    ----------
    folder
        The folder of the run.

    Returns
    -------
    Run
        Of the class that belongs to its kind.

    Raises
    ------
    InputError
        If there is no run in the folder, its file is damaged, or this version does not know its kind.
    """
    return kind_of(folder).read(Path(folder))
