"""The command line: exit 0 done, 1 the answer is negative, 2 bad usage or input, 130 interrupted."""

import sys


def main() -> None:
    """Run a command; turn a mistake in the input into one sentence and exit code 2."""
    from kernelgap import console
    from kernelgap.cli.app import app
    from kernelgap.errors import InputError

    try:
        app()
    except InputError as error:
        console.message(f"kernelgap: {error}")
        sys.exit(2)
