"""Links of the documentation to files elsewhere in the repository lead to copies of them in the site.

So the pages of docs/ have plain relative links, which also work in a checkout. Programs and notebooks are shown as
pages, pictures are copied.
"""

import json
import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
ELSEWHERE = "repository"
LANGUAGES = {".py": "python", ".yaml": "yaml", ".toml": "toml", ".cff": "yaml", "": "text"}
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files that pages link to, and those that these link to."""
    docs = Path(config.docs_dir)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        files.append(File.generated(config, PAGES[name], abs_src_path=str(ROOT / name)))
    waiting = list(files.documentation_pages())
    while waiting:
        page = waiting.pop()
        for target in targets(page.content_string, folder_of(page, docs)):
            uri = place_of(target, docs)
            if target.is_file() and files.get_file_from_path(uri) is None:
                added = copied(target, uri, config)
                files.append(added)
                waiting += [added] if added.is_documentation_page() else []
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links that leave docs/, and those of pages that come from elsewhere, to where files are in the site."""
    docs = Path(config.docs_dir)
    here, there = folder_of(page.file, docs), Path(page.file.src_uri).parent

    def turned(match: re.Match[str]) -> str:
        target = resolved(match[0], here)
        if here.is_relative_to(docs) and target.is_relative_to(docs):
            return match[0]  # as it is, for the build to check
        return Path(os.path.relpath(place_of(target, docs), there)).as_posix()

    return LINK.sub(turned, markdown)


def targets(text: str, folder: Path) -> list[Path]:
    """What a page in this folder links to within the repository."""
    paths = [resolved(link, folder) for link in LINK.findall(text)]
    return [path for path in paths if path.is_relative_to(ROOT)]


def resolved(link: str, folder: Path) -> Path:
    """The file of a link; that of a folder is its README."""
    path = Path(os.path.normpath(folder / link))
    return path / "README.md" if path.is_dir() else path


def folder_of(file: File, docs: Path) -> Path:
    """Where the source of a page is; one that was made stands for a file in docs/."""
    return Path(file.abs_src_path or docs / file.src_uri).parent


def place_of(path: Path, docs: Path) -> str:
    """Where a file of the repository is in the site."""
    if path.is_relative_to(docs):
        return path.relative_to(docs).as_posix()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    shown = path.suffix in LANGUAGES or path.suffix == ".ipynb"
    return PAGES.get(name, f"{ELSEWHERE}/{name}{'.md' if shown else ''}")


def copied(path: Path, uri: str, config: MkDocsConfig) -> File:
    if path.suffix not in LANGUAGES and path.suffix != ".ipynb":
        return File.generated(config, uri, abs_src_path=str(path))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return File.generated(config, uri, content=notebook(text, path))
    title = f"# {path.relative_to(ROOT).as_posix()}"
    return File.generated(config, uri, content=f"{title}\n\n```{LANGUAGES[path.suffix]}\n{text}```\n")


def notebook(text: str, path: Path) -> str:
    """The cells of a notebook as a page."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
    file = path.relative_to(ROOT).as_posix()
    return "\n\n".join([*parts, f"*This is `{file}`. Open it with Jupyter to run it.*"]) + "\n"
