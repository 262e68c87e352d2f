"""The command line: exit 0 done, 1 the answer is negative, 2 bad usage or input, 130 interrupted."""

import sys


def main() -> None:
    """Run the command that was typed. Imports come late, so that Ctrl-C is taken from the first moment on."""
    try:
        from kernelgap.cli.app import run_app

        code = run_app()
    except KeyboardInterrupt:
        print("kernelgap: interrupted before anything was done.", file=sys.stderr)
        code = 130
    sys.exit(code)
