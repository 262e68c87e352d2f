"""The playground as one file: the modules in ``web/`` joined, without a tool besides this."""

import re
import webbrowser
from pathlib import Path
from tempfile import gettempdir

from kernelgap.atomic_file import atomically
from kernelgap.cache_folder import cache_folder
from kernelgap.errors import InputError

WEB = Path(__file__).with_name("web")
IMPORT = re.compile(r'^import [^;]*? from "(\.[^"]+)";\n', re.MULTILINE)


def playground() -> str:
    """The page: HTML, style, and two programs, that of the page and that of its worker threads.

    Returns
    -------
    str
        A file that needs no other.
    """
    parts = {
        "style": (WEB / "style.css").read_text(encoding="utf-8"),
        "worker": join_modules(WEB / "worker.js"),
        "page": join_modules(WEB / "page" / "main.js"),
    }
    template = (WEB / "index.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]].strip(), template)


def join_modules(entry: Path) -> str:
    """A module after all that it imports, in one scope: without imports and exports, so that no name may be used twice.

    Parameters
    ----------
    entry
        The file of the module.
    """
    texts: dict[Path, str] = {}

    def add(module: Path) -> None:
        if module in texts:
            return
        source = module.read_text(encoding="utf-8")
        for path in IMPORT.findall(source):
            add((module.parent / path).resolve())
        texts[module] = re.sub(r"^export ", "", IMPORT.sub("", source), flags=re.MULTILINE).strip()

    add(entry.resolve())
    return "\n\n".join(texts.values())


def write_playground(path: str | Path) -> Path:
    """Write the page, whole or not at all.

    Parameters
    ----------
    path
        Where to; an existing file is replaced.

    Returns
    -------
    Path
        The same place.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"'{target}' could not be written: there is no folder '{target.parent}'. Make it first.")
    with atomically(target) as partial:
        partial.write_text(playground(), encoding="utf-8")
    return target


def open_playground() -> tuple[Path, bool]:
    """Write the page into the cache, or for who has none into the folder of temporary files, and show it.

    Returns
    -------
    tuple of Path and bool
        The file, and whether there was a browser to open it.
    """
    folder = cache_folder() or Path(gettempdir())
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"'{folder}' cannot be made ({error.strerror}): write the page elsewhere with --out play.html."
        ) from None
    path = write_playground(folder / "play.html")
    return path, webbrowser.open(path.resolve().as_uri())
