"""Pages of the site: every public name of the package, by mkdocstrings; each is documented once."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = "kernelgap"
INDEX, FOLDER = "reference/python.md", "reference/python"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for uri, text in pages().items():
        files.append(File.generated(config, uri, content=text))
    return files


def pages() -> dict[str, str]:
    """The text of each page by its place: the index, and a page for each package that exports names."""
    homes: dict[int, str] = {}  # where each thing is documented
    packages = [(name, module, exported(module)) for name, module in exporting()]
    for name, _, members in reversed(packages):
        homes.update({id(thing): f"{name}.{key}" for key, thing in members.items()})
    texts = {}
    rows = ["| package | what it is | names |", "|---|---|---|"]
    for name, module, members in packages:
        here = [key for key, thing in members.items() if homes[id(thing)] == f"{name}.{key}"]
        others = {key: homes[id(thing)] for key, thing in members.items() if key not in here}
        summary = (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ")
        parts = [f"# {name}", summary]
        if others:
            parts.append(
                "From other packages: " + ", ".join(f"[`{key}`][{home}]" for key, home in others.items()) + "."
            )
        parts += [f"::: {name}.{key}" for key in here]
        texts[f"{FOLDER}/{name}.md"] = "\n\n".join(parts) + "\n"
        rows.append(f"| [`{name}`](python/{name}.md) | {summary.replace('|', chr(92) + '|')} | {len(members)} |")
    opening = "Every public name. `import kernelgap as kg` gives the first package; the others are parts of it."
    texts[INDEX] = "\n\n".join(["# Python", opening, "\n".join(rows)]) + "\n"
    return texts


def exporting() -> Iterator[tuple[str, ModuleType]]:
    """The packages that export names, the package itself first."""
    root = importlib.import_module(ROOT)
    names = [ROOT, *(found.name for found in pkgutil.walk_packages(root.__path__, f"{ROOT}.") if found.ispkg)]
    for name in sorted(names):
        module = importlib.import_module(name)
        if exported(module):
            yield name, module


def exported(module: ModuleType) -> dict[str, object]:
    """The public names of a package that are no packages themselves."""
    members = {name: getattr(module, name) for name in sorted(getattr(module, "__all__", ()))}
    return {name: thing for name, thing in members.items() if not inspect.ismodule(thing)}
