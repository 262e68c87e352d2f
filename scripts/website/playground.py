"""The playground in the site: the page itself, and links to it at the top of the first page and of its own."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PAGE = "play.html"
OPEN = f"[**Open the playground**]({PAGE}): a ResNet, a two-layer network and a kernel learn live, in your browser.\n\n"
SHOWN = {"index.md": "## Install\n", "playground.md": "```\nkernelgap play"}  # before this text


def on_files(files: Files, config: MkDocsConfig) -> Files:
    from kernelgap.play import playground

    files.append(File.generated(config, PAGE, content=playground()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    place = SHOWN.get(page.file.src_uri)
    if place is None:
        return markdown
    before, found, after = markdown.partition(place)
    if not found:
        raise ValueError(f"{page.file.src_uri} has no {place!r} any more, before which the playground is linked.")
    return before + OPEN + found + after
