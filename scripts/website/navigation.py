"""Takes the pages of docs/ that mkdocs.yml does not name into the navigation: results as they come, new pages."""

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig

RESULTS, OTHERS = "Results", "How to"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    docs = Path(config.docs_dir)
    named = set(pages(config.nav))
    parts = {title: part for entry in config.nav or [] for title, part in entry.items()}
    parts[RESULTS] += [f"results/{page.name}" for page in sorted((docs / "results").glob("*.md"))]
    parts[OTHERS] += [page.name for page in sorted(docs.glob("*.md")) if page.name not in named]
    return config


def pages(nav: Any) -> list[str]:
    """The pages that a part of the navigation names."""
    if isinstance(nav, str):
        return [nav]
    return [page for entry in (nav.values() if isinstance(nav, dict) else nav) for page in pages(entry)]
