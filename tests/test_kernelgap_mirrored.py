"""Each file of tests is where what it tests is, and named after it: tests of a module are found by its name."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
FILES = sorted(TESTS.rglob("test_*.py"))


def names_for(file: Path) -> list[str]:
    """What a file in this folder of tests may be named after: modules and folders at the mirrored place, and itself."""
    folder = file.parent.relative_to(TESTS)
    places = [ROOT / "src" / "kernelgap" / folder, ROOT / folder]
    if file.parent == TESTS:
        places.append(TESTS)  # tools of the tests have tests, too
    found = [path for place in places if place.is_dir() for path in place.iterdir()]
    names = [path.stem for path in found if path.is_dir() or path.suffix in (".py", ".cpp")]
    return [name for name in names if not name.startswith((".", "_", "test_"))] + [folder.name or "kernelgap"]


def is_mirrored(file: Path) -> bool:
    stem = file.stem.removeprefix("test_")
    return any(stem == name or stem.startswith(f"{name}_") for name in names_for(file))


@pytest.mark.parametrize("file", FILES, ids=[file.relative_to(TESTS).as_posix() for file in FILES])
def test_a_file_of_tests_is_named_after_what_it_tests(file: Path) -> None:
    assert is_mirrored(file)


@pytest.mark.parametrize("name", ["kernels/test_digits.py", "test_spectrum.py", "nowhere/test_kernels.py"])
def test_a_file_at_another_place_is_noticed(name: str) -> None:
    assert not is_mirrored(TESTS / name)
