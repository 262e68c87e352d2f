"""Where programs that were compiled for this machine are kept for the next process."""

import os
import platform
from pathlib import Path

from kernelgap.fingerprint import fingerprint

VARIABLE = "KERNELGAP_CACHE_DIR"  # a folder, or "off"


def cache_folder() -> Path | None:
    """KERNELGAP_CACHE_DIR, or kernelgap in the user's cache; None where the user wants none or has no home."""
    asked = os.environ.get(VARIABLE)
    if asked is not None:
        return None if asked.strip().lower() in ("", "off") else Path(asked)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelgap"
    except RuntimeError:  # a user without a home
        return None


def processor() -> str:
    """A digest of the processor's instruction sets: homes are shared between machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        flags = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    except OSError:
        flags = ""
    return fingerprint(f"{platform.machine()} {platform.processor()} {flags}")[:12]
