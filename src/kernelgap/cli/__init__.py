"""The command line: exit 0 done, 1 the answer is negative, 2 bad usage or input, 70 our mistake, 130 interrupted."""

import os
import signal
import sys
import threading
from types import FrameType


def main() -> None:
    """Run the command that was typed. Imports come late, so that Ctrl-C is taken from the first moment on."""
    if threading.current_thread() is not threading.main_thread():
        sys.exit(_run())
    before = signal.signal(signal.SIGINT, _leave)
    try:
        sys.exit(_run())
    finally:
        signal.signal(signal.SIGINT, before)


def _run() -> int:
    from kernelgap.cli.app import run_app

    return run_app()


def _leave(signum: int, frame: FrameType | None) -> None:
    """End at once: an exception raised amid the import of a compiled library would crash it instead."""
    os.write(2, b"kernelgap: interrupted.\n")
    os._exit(130)
