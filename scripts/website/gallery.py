"""A page of the site: the figures of the kept results."""

import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGE = "gallery.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, PAGE, content=page(Path(config.docs_dir))))
    return files


def page(docs: Path) -> str:
    """The text of the page, with links as a file in ``docs`` has them."""
    from kernelgap.paper.figures.reference import CHART, folder_of, kept_references
    from kernelgap.paper.kept_file import RESULTS
    from kernelgap.reports.common.words import rounded

    parts = [
        "# Gallery",
        "The figures of the paper and of the talk, as they came out here: points are medians over seeds, bands reach "
        "from the least to the greatest error. Under the dashed line, the *threshold*, a method knows more than the "
        "base signal F. Each page has all numbers, and the paper's beside them.",
    ]
    for kept in kept_references():
        chart = os.path.relpath(folder_of(kept.experiment, kept.scale, RESULTS) / CHART, docs)
        parts += [
            f"## {kept.experiment}, scale {kept.scale}",
            f"{kept.title}. {kept.samples:,} samples, {len(kept.seeds)} seeds.",
            f"![{kept.title}: {rounded(kept.sentence)}]({chart})",
            rounded(kept.sentence),
            f"[All numbers of {kept.experiment}](results/{kept.experiment}.md)",
        ]
    return "\n\n".join(parts) + "\n"
