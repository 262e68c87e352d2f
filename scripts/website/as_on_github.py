"""Markdown as GitHub reads it, so that a page looks the same in a checkout and in the site.

Lists within lists may be indented by two spaces, and <x,z> is text, no tag; both also in docstrings, where formulas
have the role ``math``.
"""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from mkdocs.config.defaults import MkDocsConfig

NESTED = re.compile(r"^ {2,3}(?=(?:[-*] |\d+\. ))")


class Lines(Preprocessor):
    """Runs when blocks of code are put aside already."""

    def run(self, lines: list[str]) -> list[str]:
        return [NESTED.sub("    ", line).replace(":math:`", "`") for line in lines]


class AsOnGitHub(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.register(Lines(md), "as-on-github", 10)
        md.inlinePatterns.deregister("html")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.markdown_extensions.append(AsOnGitHub())
    return config
