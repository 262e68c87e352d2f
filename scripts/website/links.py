"""Checks the site that was built: every link leads somewhere, and no page asks anything of another host.

What is wrong is logged as a warning, which ``mkdocs build --strict`` makes an error.
"""

import logging
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mkdocs.config.defaults import MkDocsConfig

log = logging.getLogger("mkdocs.hooks.links")
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
SERVED = "404.html"  # its links begin at the root of a server


class Document(HTMLParser):
    """The anchors of a page, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors, self.links, self.loaded = {""}, set[str](), set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.links |= {given["href"]} if tag == "a" and "href" in given else set()
        self.loaded |= {given[LOADED[tag]]} if LOADED.get(tag) in given else set()


def on_post_build(config: MkDocsConfig) -> None:
    for problem in problems(Path(config.site_dir)):
        log.warning(problem)


def problems(site: Path) -> list[str]:
    """What is wrong with a site, a sentence for each thing."""
    pages = {path: Document(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        loaded = [url for url in page.loaded if is_elsewhere(url)]
        found += [f"{name} loads {url} from another host." for url in sorted(loaded)]
        if name != SERVED:
            links = sorted(page.links | page.loaded)
            found += [f"{name} links to {url}, which is not there." for url in links if not is_there(url, path, pages)]
    for path in sorted(site.rglob("*.css")):
        urls = re.findall(r"(?:@import\s+|url\()[\"']?(https?:[^\"')]+)", path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site).as_posix()} loads {url} from another host." for url in urls]
    return found


def is_elsewhere(url: str) -> bool:
    return bool(urlsplit(url).netloc)


def is_there(url: str, path: Path, pages: dict[Path, Document]) -> bool:
    """Whether a link within the site leads to a file, and to an anchor in it; other links are not followed."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if target not in pages:
        return target.is_file()
    return unquote(parts.fragment) in pages[target].anchors or parts.fragment.startswith("__")
