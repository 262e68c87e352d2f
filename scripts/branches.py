"""Branch coverage of the folders that others rest on: python scripts/branches.py coverage.json [FOLDER ...].

Prints the share of branches that the tests take, folder by folder, and which files miss most. Exit code 1 if one of the
folders below, or of those that are named, has less than its share.
"""

import json
import sys
from collections import Counter
from pathlib import Path

LEAST = {"runs": 0.9, "certificates": 0.9, "models": 0.9}
PACKAGE = Path("src/kernelgap")


def by_folder(
    report: dict[str, dict[str, dict[str, dict[str, int]]]],
) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Branches that there are and that are taken by folder, and branches not taken by file."""
    there, taken, missed = Counter[str](), Counter[str](), Counter[str]()
    for name, file in report["files"].items():
        summary, path = file["summary"], Path(name).relative_to(PACKAGE)
        there[path.parts[0]] += summary["num_branches"]
        taken[path.parts[0]] += summary["covered_branches"]
        missed[str(path)] = summary["missing_branches"]
    return there, taken, missed


def main(path: str, *names: str) -> int:
    least = {folder: share for folder, share in LEAST.items() if folder in (names or LEAST)}
    there, taken, missed = by_folder(json.loads(Path(path).read_text()))
    short = 0
    for folder, branches in sorted(there.items()):
        if branches:
            share = taken[folder] / branches
            low = share < least.get(folder, 0.0)
            short += low
            print(
                f"{folder:20} {share:7.1%} of {branches:5} branches{f', less than {least[folder]:.0%}' if low else ''}"
            )
            for file, count in missed.most_common() if folder in least else ():
                if count and file.startswith(f"{folder}/"):
                    print(f"    {file:45} misses {count}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
