"""What there is, in the terminal."""

from kernelgap import console


def show_catalogue(found: dict[str, list[dict[str, str]]]) -> None:
    for kind, entries in found.items():
        columns = list(entries[0])
        console.table(columns, [[e[c] for c in columns] for e in entries], title=kind, left=len(columns))
        console.answer("")
    console.answer(
        "Times are estimates for all cores of this machine when it is idle; they may be off by a factor of 2."
    )
    console.answer("Start with: kernelgap run fig2a")
