"""Build the wheel and the sdist, and try the wheel: python scripts/wheels.py [--try python3.12 python3.13].

``make dist`` builds into dist/. With --try the wheel is installed into a fresh environment on each of these Pythons,
with whatever versions pip chooses, and quick commands are run in an empty folder.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPERIMENT = {
    "problem": "hard(d=6, k=2, alpha=0.3)",
    "samples": 20,
    "scales": {
        "quick": {
            "schedule": {"epochs": 4, "batch": 10},
            "validation_samples": 20,
            "test_samples": 50,
            "grids": [
                {"network": "3resnet", "mode": "all", "widths": [5], "rates": [0.02], "decays": [0.001]},
                {"kernels": ["ck2"], "ridges": [0.1]},
            ],
        }
    },
}
COMMANDS = (
    ("--version",),
    ("--help",),
    ("list", "--json"),
    ("certify", "any-kernel", "--problem", "sec8", "--n", "500", "--json"),
    ("curve", "ck2", "--problem", "sec8", "--n", "100,1000", "--json"),
    ("claims", "--list", "--json"),
    ("run", "tiny.yaml", "--workers", "1", "--json"),
    ("report", "runs/tiny-quick", "--json"),
)


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist, built into the folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder.resolve())]
    for target in ("wheel", "sdist"):
        subprocess.run([*command, "--target", target], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def try_wheel(python: str, wheel: Path, folder: Path) -> dict[str, str]:
    """Install the wheel alone into a new environment in the folder, and run each command: its output by its words."""
    subprocess.run([python, "-m", "venv", folder / "environment"], check=True)
    binaries, empty = folder / "environment" / "bin", folder / "empty"
    pip = [binaries / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--prefer-binary"]
    subprocess.run([*pip, wheel], check=True)
    empty.mkdir()
    (empty / "tiny.yaml").write_text(json.dumps(EXPERIMENT))  # JSON is YAML
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    outputs = {}
    for words in COMMANDS:
        done = subprocess.run(
            [binaries / "kernelgap", *words], cwd=empty, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"kernelgap {' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}")
        outputs[" ".join(words)] = done.stdout
    return outputs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--try", dest="pythons", nargs="+", default=[], metavar="PYTHON", help="try the wheel on these")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist", help="where they are built [default: dist]")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for old in (*asked.folder.glob("*.whl"), *asked.folder.glob("*.tar.gz")):
        old.unlink()
    wheel, sdist = build(asked.folder)
    print(f"{wheel}\n{sdist}")
    for python in asked.pythons:
        with tempfile.TemporaryDirectory() as folder:
            outputs = try_wheel(python, wheel, Path(folder))
        print(f"{python}: {len(outputs)} commands ran", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
