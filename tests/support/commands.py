"""Commands as a user types them, in this process."""

import sys

import pytest

from kernelgap.cli import main


def exit_code(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> object:
    """The exit code of ``kernelgap`` with these arguments."""
    monkeypatch.setattr(sys, "argv", ["kernelgap", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code
